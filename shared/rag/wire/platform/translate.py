"""The core's words into platform's."""

from __future__ import annotations

from rag.stores.jobs import Failure, Job, Result
from rag.wire.platform import schema

INDEXED = frozenset({"created", "updated", "unchanged"})


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
