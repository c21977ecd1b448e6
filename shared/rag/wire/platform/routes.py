"""Platform's routes, in one router per function that serves them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query, Request
from fastapi.responses import StreamingResponse

from rag import trace
from rag.access import may_cancel, may_change, may_know, may_watch
from rag.answering import Said
from rag.errors import InsufficientContext, NotFound, PermissionDenied
from rag.footnote import Footnote
from rag.job import Job
from rag.model import Principal, Source
from rag.wire.caller import App, Caller
from rag.wire.events import streamed
from rag.wire.fields import between
from rag.wire.platform import questions, schema, translate
from rag.wire.router import failures, router

if TYPE_CHECKING:  # requests are refused without it
    from rag.query.pipeline import Queried

jobs = router("Jobs")
uploads = router("Documents")
sources = router("Data sources")
retrieval = router("Search")
answering = router("Chat")
usage = router("Usage")

NOT_YOURS = "The data source, or the job, is not yours to change"
CANCELLING = failures({403: NOT_YOURS, 409: "The job is done"})
UPLOADING = failures(
    {
        403: NOT_YOURS,
        415: "The body is not JSON, or the file's format cannot be read",
        507: "The storage quota is used up",
    }
)
NO_SOURCES = "There is no data source that you may query"
RETRIEVING = failures({403: NO_SOURCES})
ANSWERING = {
    **failures(
        {
            403: NO_SOURCES,
            422: "Not even one passage fits into `maxTokens`, or, with `strictMode`, the documents"
            " do not answer the question: `details` has `groundingScore`, `gaps` and, with"
            " `explain`, `explain`",
        }
    ),
    200: {
        "description": "The answer; with `stream`, events: `sources`, then `text` as often as"
        " there is more of it, and at last `done` with all of this",
        "content": {"text/event-stream": {}},  # OpenAPI 3.1 has no words for events
    },
}


@jobs.get("/api/rag/ingest")
def list_jobs(
    caller: Caller,
    app: App,
    limit: Annotated[int, between(1, 100)] = 20,
    after: Annotated[str, Query(max_length=128)] = "",
) -> schema.JobsResponse:
    """List the jobs, newest first; `next` of a page is `after` of the following one."""

    def read(visible: frozenset[str]) -> list[Job]:
        seen = (job for job in app.jobs.latest(caller.org, after) if _is_seen(job, caller, visible))
        return list(islice(seen, limit + 1))

    page = app.seen_by(caller, read)
    return schema.JobsResponse(
        jobs=[translate.summary(one) for one in page[:limit]],
        next=page[limit - 1].id if len(page) > limit else None,
    )


@jobs.get("/api/rag/ingest/{jobId}")
def read_job(jobId: str, caller: Caller, app: App) -> schema.JobResponse:
    """Tell how far a job is, and what became of each of its documents."""
    return described(app, caller, _watched(jobId, caller, app))


@jobs.delete("/api/rag/ingest/{jobId}", responses=CANCELLING)
def cancel_job(jobId: str, caller: Caller, app: App) -> schema.JobResponse:
    """Cancel a job: documents that are finished stay, and no other of it is ever found."""
    job = _watched(jobId, caller, app)
    source = app.sources.get(caller.org, job.data_source) if job.data_source else None
    if not may_cancel(caller, job.sender, source):
        raise PermissionDenied("Only its sender, the data source's owner and admins may cancel it.")
    return described(app, caller, app.jobs.cancel(caller.org, job))


@uploads.post("/api/rag/uploads", status_code=201, responses=UPLOADING)
def create_upload(
    body: schema.UploadRequest, caller: Caller, app: App, request: Request
) -> schema.UploadResponse:
    """Get a form by which one file can be uploaded; once it is, it is ingested as a job."""
    ticket, form = app.intake.ticket(caller, translate.file(body))
    return translate.upload(ticket, form, str(request.base_url))


@sources.get("/api/rag/sources")
def list_sources(caller: Caller, app: App) -> schema.SourcesResponse:
    """List the data sources that you may query or change."""
    known = [one for one in app.sources.all(caller.org) if may_know(caller, one)]
    counts = app.sources.counts(caller.org, known)
    return schema.SourcesResponse(sources=[translate.source(one, counts[one.id]) for one in known])


@sources.post("/api/rag/sources", status_code=201)
def create_source(body: schema.SourceRequest, caller: Caller, app: App) -> schema.SourceResponse:
    """Make a data source; you own it."""
    made = app.sources.create(caller.org, caller.sub, body.name, translate.access(body))
    return translate.source(made, 0)


@sources.get("/api/rag/sources/{sourceId}")
def read_source(sourceId: str, caller: Caller, app: App) -> schema.SourceResponse:
    """Read one data source."""
    return _with_count(app, caller, _known(sourceId, caller, app))


@sources.patch("/api/rag/sources/{sourceId}")
def change_source(
    sourceId: str, body: schema.SourceChanges, caller: Caller, app: App
) -> schema.SourceResponse:
    """Change its name, or who may query it: from the next request on."""
    before = _changeable(sourceId, caller, app)
    access = translate.changed_access(before.access, body)
    after = replace(before, name=body.name or before.name, access=access)
    if not app.sources.change(caller.org, before, after):
        raise _unknown_source(sourceId)
    return _with_count(app, caller, after)


@sources.delete("/api/rag/sources/{sourceId}")
def delete_source(sourceId: str, caller: Caller, app: App) -> schema.SourceDeletedResponse:
    """Delete a data source: from now on nobody finds its documents."""
    source = _changeable(sourceId, caller, app)
    if not app.sources.delete(caller.org, source.id):
        raise _unknown_source(sourceId)
    return schema.SourceDeletedResponse(id=source.id)


@retrieval.post("/api/rag/retrieve", responses=RETRIEVING)
def retrieve(body: schema.RetrieveRequest, caller: Caller, app: App) -> schema.RetrieveResponse:
    """Find the passages that are most relevant to a query, among all that you may see."""
    search = questions.search(body)  # before all that a search needs is made
    with _explained(body) as notes:
        found = app.querying.search(caller, search)
    return questions.retrieved(found, notes)


@answering.post("/api/rag/query", response_model=schema.QueryResponse, responses=ANSWERING)
def query(
    body: schema.QueryRequest, caller: Caller, app: App, request: Request
) -> schema.QueryResponse | StreamingResponse:
    """Answer a question from the documents that you may see, with the words that support it."""
    inquiry = questions.inquiry(body)  # before all that an answer needs is made
    with _explained(body) as notes:
        try:
            run = app.querying.query(caller, inquiry)
        except InsufficientContext as error:
            raise questions.refused(error, notes) from error
        if body.stream:
            return streamed(request, _events(run, notes))
        *_, (_, done) = _steps(run, notes)
    assert done is not None  # noqa: S101
    return done


@usage.get("/api/rag/usage")
def read_usage(
    caller: Caller, app: App, days: Annotated[int, between(1, 90)] = 30
) -> schema.UsageResponse:
    """Tell what your org has done and used on each day, what it has stored, and the limits."""
    return schema.UsageResponse(
        days=[translate.usage_day(one) for one in app.usages.latest(caller.org, days)],
        storage=schema.UsageStorage(
            usedBytes=app.documents.stored(caller.org),
            quotaBytes=app.policy.storage_quota,
            documents=app.sources.total(caller.org),
        ),
        limits=translate.limits(app.policy),
    )


def described(app: Footnote, caller: Principal, job: Job) -> schema.JobResponse:
    """The job with what became of its documents."""
    return translate.job(job, app.jobs.results(caller.org, job))


def _watched(id: str, caller: Principal, app: Footnote) -> Job:
    def read(visible: frozenset[str]) -> Job:
        job = app.jobs.get(caller.org, id)
        if job is None or not _is_seen(job, caller, visible):
            raise NotFound(f"There is no job {id[:100]}.")
        return job

    return app.seen_by(caller, read)


def _known(id: str, caller: Principal, app: Footnote) -> Source:
    source = app.sources.get(caller.org, id)
    if source is None or not may_know(caller, source):
        raise _unknown_source(id)
    return source


def _changeable(id: str, caller: Principal, app: Footnote) -> Source:
    source = _known(id, caller, app)
    if not may_change(caller, source):
        raise PermissionDenied("Only its owner and admins may change this data source.")
    return source


def _with_count(app: Footnote, caller: Principal, source: Source) -> schema.SourceResponse:
    return translate.source(source, app.sources.counts(caller.org, [source])[source.id])


def _unknown_source(id: str) -> NotFound:
    return NotFound(f"There is no data source {id[:100]}.")


def _is_seen(job: Job, caller: Principal, visible: frozenset[str]) -> bool:
    return may_watch(caller, job.sender, job.data_source, visible)


def _explained(body: schema.RetrieveRequest) -> Any:
    return trace.traced() if body.explain else nullcontext()


def _events(run: Queried, notes: trace.Notes | None) -> Iterator[dict[str, Any]]:
    """What was found, the answer as it is written, and at the end all that is told at once to
    whoever does not want it in pieces."""
    found = [one.model_dump(mode="json") for one in questions.documents(run.found.excerpts)]
    yield {"type": "sources", "documents": found}
    for text, done in _steps(run, notes):
        if done is not None:
            yield {"type": "done", **done.model_dump(mode="json")}
        elif text:
            yield {"type": "text", "text": text}


def _steps(
    run: Queried, notes: trace.Notes | None
) -> Iterator[tuple[str, schema.QueryResponse | None]]:
    """The pieces of the answer, and at last the whole response."""
    for step in run.answer:
        if isinstance(step, Said):
            yield step.text if step.kept else "", None
        else:
            yield "", questions.queried(run, step, notes)
