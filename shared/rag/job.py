"""The nouns of ingestion jobs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from rag.model import Caution, Chunking, ChunkRef, Ingested, Span

JobStatus: TypeAlias = Literal["queued", "processing", "completed", "failed"]

INDEXED = frozenset({"created", "updated", "unchanged"})


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something was not done."""

    code: str
    message: str


CANCELLED = Failure("CANCELLED", "The job was cancelled before this was done.")
STALLED = Failure(
    "STALLED", "Every try to ingest this ended without a word; ask the operator to look into it."
)
NOT_UPLOADED = Failure("NOT_UPLOADED", "The file was never uploaded, and its form has expired.")


@dataclass(frozen=True, slots=True)
class Part:
    """Where a document waits: in a part of an object, or as a file that comes by a form."""

    object: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one document: queued, processing, created, updated, unchanged, superseded,
    cancelled or failed."""

    name: str  # what the sender calls it
    status: str = "queued"
    document_id: str | None = None
    version: str = ""
    chunk_count: int = 0
    failure: Failure | None = None
    warnings: tuple[Caution, ...] = ()  # of a document that was indexed all the same
    part: Part | None = None
    fence: str = "open"  # whoever opened it by another name cannot finish it any more

    @property
    def is_open(self) -> bool:
        return self.status in ("queued", "processing")

    def indexed(self, done: Ingested, warnings: tuple[Caution, ...]) -> Result:
        """The same document, once it is found."""
        return replace(
            self,
            status=done.status,
            document_id=done.document_id,
            version=done.version,
            chunk_count=done.chunk_count,
            warnings=warnings,
        )

    @property
    def vector_ids(self) -> tuple[str, ...]:
        """The names of its chunks in the index."""
        if self.document_id is None:
            return ()
        document, version = self.document_id, self.version
        return tuple(str(ChunkRef(document, version, at)) for at in range(self.chunk_count))


@dataclass(frozen=True, slots=True)
class Job:
    """An ingestion job. `over` says why it ended before all its documents were finished."""

    id: str
    data_source: str | None  # None where the sender named one that does not exist
    created_at: str
    updated_at: str
    name: str
    total: int
    finished: int = 0
    indexed: int = 0
    chunks: int = 0
    started: bool = False
    sender: str | None = None  # a dropped file has none
    chunking: Chunking = field(default_factory=Chunking)
    upload_until: str | None = None  # when the form expires by which its document is to come
    failure: Failure | None = None  # of the document that failed last
    over: Failure | None = None

    @property
    def is_done(self) -> bool:
        return self.finished == self.total

    @property
    def status(self) -> JobStatus:
        """One bad document does not fail the others: a job fails where none was indexed."""
        if self.over:
            return "failed"
        if self.is_done:
            return "failed" if self.failure and not self.indexed else "completed"
        return "processing" if self.started else "queued"
