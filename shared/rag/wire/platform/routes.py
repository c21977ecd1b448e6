"""Platform's routes, in one router per function that serves them."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Annotated

from fastapi import Query

from rag.access import may_change, may_know
from rag.errors import NotFound, PermissionDenied
from rag.footnote import Footnote
from rag.model import Principal, Source
from rag.stores.jobs import Job
from rag.wire.caller import App, Caller
from rag.wire.fields import between
from rag.wire.platform import schema, translate
from rag.wire.router import router

jobs = router("Jobs")
sources = router("Data sources")


@jobs.get("/api/rag/ingest")
def list_jobs(
    caller: Caller,
    app: App,
    limit: Annotated[int, between(1, 100)] = 20,
    after: Annotated[str, Query(max_length=128)] = "",
) -> schema.JobsResponse:
    """List the jobs, newest first; `next` of a page is `after` of the following one."""
    visible = app.queryable(caller)
    seen = (job for job in app.jobs.latest(caller.org, after) if _is_seen(job, visible))
    page = list(islice(seen, limit + 1))
    return schema.JobsResponse(
        jobs=[translate.job(one) for one in page[:limit]],
        next=page[limit - 1].id if len(page) > limit else None,
    )


@jobs.get("/api/rag/ingest/{jobId}")
def read_job(jobId: str, caller: Caller, app: App) -> schema.JobResponse:
    """Tell how far a job is, and what became of each of its documents."""
    job = app.jobs.get(caller.org, jobId)
    if job is None or not _is_seen(job, app.queryable(caller)):
        raise NotFound(f"There is no job {jobId[:100]}.")
    return translate.job(job)


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
    return _described(app, caller, _known(sourceId, caller, app))


@sources.patch("/api/rag/sources/{sourceId}")
def change_source(
    sourceId: str, body: schema.SourceChanges, caller: Caller, app: App
) -> schema.SourceResponse:
    """Change its name, or who may query it: from the next request on."""
    before = _changeable(sourceId, caller, app)
    access = translate.changed_access(before.access, body)
    after = replace(before, name=body.name or before.name, access=access)
    if not app.sources.change(caller.org, after.id, after.name, after.access):
        raise _unknown_source(sourceId)
    return _described(app, caller, after)


@sources.delete("/api/rag/sources/{sourceId}")
def delete_source(sourceId: str, caller: Caller, app: App) -> schema.SourceDeletedResponse:
    """Delete a data source: from now on nobody finds its documents."""
    source = _changeable(sourceId, caller, app)
    if not app.sources.delete(caller.org, source.id):
        raise _unknown_source(sourceId)
    return schema.SourceDeletedResponse(id=source.id)


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


def _described(app: Footnote, caller: Principal, source: Source) -> schema.SourceResponse:
    return translate.source(source, app.sources.counts(caller.org, [source])[source.id])


def _unknown_source(id: str) -> NotFound:
    return NotFound(f"There is no data source {id[:100]}.")


def _is_seen(job: Job, visible: frozenset[str]) -> bool:
    return job.data_source is None or job.data_source in visible
