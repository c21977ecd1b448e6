"""The core's words into platform's."""

from __future__ import annotations

from rag.errors import Invalid
from rag.model import Access, Source
from rag.stores.jobs import Failure, Job, Result
from rag.wire.platform import schema

INDEXED = frozenset({"created", "updated", "unchanged"})


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


def job(job: Job) -> schema.JobResponse:
    """A job as its sender sees it."""
    indexed = [one for one in job.results if one.status in INDEXED]
    failures = [one.failure for one in job.results if one.failure]
    return schema.JobResponse(
        jobId=job.id,
        status=job.status,
        dataSourceId=job.data_source,
        indexed=len(indexed),
        chunks=sum(one.chunk_count for one in indexed),
        vectorIds=[id for one in indexed for id in one.vector_ids],
        results=[_result(one) for one in job.results],
        failure=_failure(failures[0]) if job.status == "failed" and failures else None,
        createdAt=job.created_at,
        updatedAt=job.updated_at,
    )


def _result(result: Result) -> schema.ResultResponse:
    return schema.ResultResponse(
        name=result.name,
        status=result.status,
        documentId=result.document_id,
        chunkCount=result.chunk_count,
        failure=_failure(result.failure) if result.failure else None,
    )


def _failure(failure: Failure) -> schema.FailureResponse:
    return schema.FailureResponse(code=failure.code, message=failure.message)
