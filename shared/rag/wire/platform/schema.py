"""Platform's bodies, field by field."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from rag.model import Visibility
from rag.stores.jobs import JobStatus
from rag.wire.fields import not_blank

Name = Annotated[str, StringConstraints(max_length=200), AfterValidator(not_blank)]
Names = Annotated[list[Annotated[str, StringConstraints(max_length=256)]], Field(max_length=1000)]


class SourceRequest(BaseModel):
    """A data source to make, and who beside its owner may query it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"name": "Contracts", "visibility": "role", "roles": ["legal"]}
        }
    )

    name: Name
    visibility: Visibility
    roles: Names | None = None
    teams: Names | None = None
    users: Names | None = None


class SourceChanges(BaseModel):
    """What is to be different; what is not named stays."""

    name: Name | None = None
    visibility: Visibility | None = None
    roles: Names | None = None
    teams: Names | None = None
    users: Names | None = None


class SourceResponse(BaseModel):
    """A data source. The default one has no owner and was never made."""

    id: str
    name: str
    visibility: Visibility
    roles: list[str]
    teams: list[str]
    users: list[str]
    owner: str | None
    createdAt: str | None
    documentCount: int


class SourcesResponse(BaseModel):
    """The data sources that the caller may query or change."""

    sources: list[SourceResponse]


class SourceDeletedResponse(BaseModel):
    """Nobody finds its documents any more; they are removed soon."""

    status: Literal["deleted"] = "deleted"
    id: str


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
