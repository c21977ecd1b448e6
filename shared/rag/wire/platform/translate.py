"""The core's words into platform's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from itertools import islice
from urllib.parse import urljoin

from rag.errors import Invalid
from rag.footnote import Policy
from rag.ingest.intake import Batch, File, Repeat
from rag.ingest.sent import Sent
from rag.job import INDEXED, Failure, Job, Result
from rag.limits import PER_MINUTE
from rag.model import Access, Chunking, Source
from rag.ports import UploadForm
from rag.stores.tickets import Ticket
from rag.stores.usages import Day
from rag.wire.platform import schema

DEFAULT = Chunking()
# A Lambda's answer has at most 6 MB: a job of many large files could not be watched at all.
MOST_VECTOR_IDS = 50_000


def access(body: schema.SourceRequest) -> Access:
    """Who may query the source that a request describes."""
    return _checked(
        Access(
            body.visibility,
            frozenset(body.roles or ()),
            frozenset(body.teams or ()),
            frozenset(body.users or ()),
        )
    )


def changed_access(access: Access, body: schema.SourceChanges) -> Access:
    """Who may query a source after a change."""
    return _checked(
        Access(
            body.visibility or access.visibility,
            access.roles if body.roles is None else frozenset(body.roles),
            access.teams if body.teams is None else frozenset(body.teams),
            access.users if body.users is None else frozenset(body.users),
        )
    )


def source(source: Source, count: int) -> schema.SourceResponse:
    """A data source as those see it who know of it."""
    return schema.SourceResponse(
        id=source.id,
        name=source.name,
        visibility=source.access.visibility,
        roles=sorted(source.access.roles),
        teams=sorted(source.access.teams),
        users=sorted(source.access.users),
        owner=source.owner,
        createdAt=source.created_at,
        documentCount=count,
    )


def _checked(access: Access) -> Access:
    """By mistake nobody makes a source that is open to no role or team at all."""
    for visibility, field in (("role", "roles"), ("team", "teams")):
        if access.visibility == visibility and not getattr(access, field):
            raise Invalid(field, f"{field} is required where visibility is {visibility}")
    return access


def batch(body: schema.JobRequest) -> Batch:
    """The documents that a request brings."""
    size = DEFAULT.size if body.chunkSize is None else body.chunkSize
    overlap = body.chunkOverlap
    if overlap is None:
        # Who asks for tiny chunks and says nothing of an overlap wants no error about it.
        overlap = DEFAULT.overlap if size > DEFAULT.overlap else size // 10
    if overlap >= size:
        raise Invalid("chunkOverlap", f"chunkOverlap must be less than chunkSize ({size})")
    documents = tuple(_sent(one) for one in body.documents)
    seen: set[str] = set()
    for at, one in enumerate(documents):
        if one.id is not None and one.id in seen:
            # They are done in no certain order, so neither could be said to be the last.
            field = f"documents.{at}.id"
            raise Invalid(field, f"{field} must be another for each document of a job")
        seen.add(one.id or "")
    return Batch(body.dataSourceId, documents, Chunking(size, overlap), body.embeddingModel)


def _sent(body: schema.DocumentRequest) -> Sent:
    return Sent(
        id=body.id,
        title=body.title,
        text=body.text,
        content=body.content,
        media_type=body.mediaType or "",
        upload=body.uploadId,
        url=body.url,
        tags=tuple(dict.fromkeys(body.tags or ())),
        metadata=body.metadata or {},
    )


def repeat(key: str | None, body: schema.JobRequest) -> Repeat | None:
    """What tells that a request is the same as an earlier one."""
    if key is None:
        return None
    return Repeat(key, sha256(body.model_dump_json().encode()).hexdigest())


def file(body: schema.UploadRequest) -> File:
    """The file that somebody wants to upload."""
    return File(
        body.dataSourceId, body.filename, body.mediaType, body.size, body.ingest is not False
    )


def upload(ticket: Ticket, form: UploadForm, base: str) -> schema.UploadResponse:
    """How to upload it; the embedded server's own address is where it was asked at."""
    return schema.UploadResponse(
        uploadId=ticket.id,
        url=urljoin(base, form.url),
        fields=dict(form.fields),
        expiresAt=ticket.until,
        jobId=ticket.job,
    )


def job(job: Job, results: Sequence[Result]) -> schema.JobResponse:
    """A job as those see it who watch it."""
    ids = (id for one in results if one.status in INDEXED for id in one.vector_ids)
    return schema.JobResponse(
        **summary(job).model_dump(),
        vectorIds=list(islice(ids, MOST_VECTOR_IDS)),
        results=[_result(one) for one in results],
    )


def summary(job: Job) -> schema.JobSummary:
    """A job without its documents."""
    why = job.over or job.failure
    return schema.JobSummary(
        jobId=job.id,
        status=job.status,
        dataSourceId=job.data_source,
        name=job.name,
        progress=schema.Progress(total=job.total, finished=job.finished),
        indexed=job.indexed,
        chunks=job.chunks,
        failure=_failure(why) if job.status == "failed" and why else None,
        createdAt=job.created_at,
        updatedAt=job.updated_at,
    )


def usage_day(day: Day) -> schema.UsageDay:
    """A day of the org's."""
    return schema.UsageDay(**asdict(day))


def limits(policy: Policy) -> schema.UsageLimits:
    """What everybody is held to."""
    return schema.UsageLimits(
        perMinute=dict(PER_MINUTE),
        largestFileBytes=policy.largest_file,
        longestUploadTokens=policy.longest_upload,
        longestTextTokens=policy.longest_text,
    )


def _result(result: Result) -> schema.ResultResponse:
    return schema.ResultResponse(
        name=result.name,
        status=result.status,
        documentId=result.document_id,
        chunkCount=result.chunk_count,
        failure=_failure(result.failure) if result.failure else None,
        warnings=[
            schema.WarningResponse(code=one.code, message=one.message) for one in result.warnings
        ],
    )


def _failure(failure: Failure) -> schema.FailureResponse:
    return schema.FailureResponse(code=failure.code, message=failure.message)
