"""Platform's bodies, field by field."""

from __future__ import annotations

from pydantic import BaseModel, Field

from rag.stores.jobs import JobStatus


class FailureResponse(BaseModel):
    """Why something was not done."""

    code: str = Field(examples=["PARSE_ERROR"])
    message: str


class ResultResponse(BaseModel):
    """What became of one document: created, updated, unchanged, superseded, failed…"""

    name: str
    status: str
    documentId: str | None
    chunkCount: int
    failure: FailureResponse | None = Field(None, exclude_if=lambda failure: failure is None)


class JobResponse(BaseModel):
    """An ingestion job. `failure` is there when nothing of it was indexed."""

    jobId: str
    status: JobStatus
    dataSourceId: str | None
    indexed: int
    chunks: int
    vectorIds: list[str]
    results: list[ResultResponse]
    failure: FailureResponse | None = Field(None, exclude_if=lambda failure: failure is None)
    createdAt: str
    updatedAt: str


class JobsResponse(BaseModel):
    """A page of jobs, newest first; `next` is the cursor of the following page."""

    jobs: list[JobResponse]
    next: str | None
