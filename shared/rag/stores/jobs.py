"""Jobs: what was asked to be ingested, and what became of each document of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from rag.clock import Clock, iso
from rag.ports import Item, Items, Put
from rag.stores import layout

JobStatus: TypeAlias = Literal["queued", "processing", "completed", "failed"]

KEPT_SECONDS = 90 * 24 * 3600
# Longer than all tries with the pauses between them. What is still under way then died at it.
LONGEST_SECONDS = 6 * 3600
PAGE = 50


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something was not done."""

    code: str
    message: str


STALLED = Failure(
    "STALLED", "Every try to ingest this ended without a word; ask the operator to look into it."
)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one document."""

    name: str  # what the sender calls it
    status: str
    document_id: str | None = None
    chunk_count: int = 0
    vector_ids: tuple[str, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """An ingestion job."""

    id: str
    data_source: str | None  # None where the sender named one that does not exist
    status: JobStatus
    created_at: str
    updated_at: str
    results: tuple[Result, ...]


class Jobs:
    """All jobs of all orgs; every call names the org."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def put(self, org: str, job: Job) -> None:
        """Write a job as it is now; `updated_at` becomes this moment."""
        now = self._clock()
        expires = int(now) + KEPT_SECONDS
        head = _head(replace(job, updated_at=iso(now)))
        rows = [
            Put(layout.job_item(org, job.id, number), _row(result), expires=expires)
            for number, result in enumerate(job.results)
        ]
        self._items.write(*rows, Put(layout.job(org, job.id), head, expires=expires))

    def get(self, org: str, id: str) -> Job | None:
        """The job as it is now."""
        head = self._items.get(layout.job(org, id))
        return None if head is None else self._job(org, head)

    def latest(self, org: str, before: str = "") -> Iterator[Job]:
        """Every job older than `before`, newest first."""
        prefix = layout.job(org, "").sk
        last = layout.job(org, before).sk if before else ""
        while page := self._items.query(
            layout.org(org), prefix, after=last, limit=PAGE, descending=True
        ):
            yield from (self._job(org, head) for _, head in page)
            last = page[-1][0]

    def _job(self, org: str, head: Item) -> Job:
        rows = self._items.query(layout.job_items(org, head["id"]))
        job = Job(
            id=head["id"],
            data_source=head["dataSource"],
            status=head["status"],
            created_at=head["createdAt"],
            updated_at=head["updatedAt"],
            results=tuple(_result(row) for _, row in rows),
        )
        overdue = job.updated_at < iso(self._clock() - LONGEST_SECONDS)
        return _stalled(job) if overdue and job.status in ("queued", "processing") else job


def _stalled(job: Job) -> Job:
    results = tuple(
        replace(one, status="failed", failure=STALLED) if one.status == "processing" else one
        for one in job.results
    )
    return replace(job, status="failed", results=results)


def _head(job: Job) -> Item:
    return {
        "id": job.id,
        "dataSource": job.data_source,
        "status": job.status,
        "createdAt": job.created_at,
        "updatedAt": job.updated_at,
    }


def _row(result: Result) -> Item:
    row: Item = {
        "name": result.name,
        "status": result.status,
        "documentId": result.document_id,
        "chunkCount": result.chunk_count,
        "vectorIds": list(result.vector_ids),
    }
    if result.failure is not None:
        row["failure"] = {"code": result.failure.code, "message": result.failure.message}
    return row


def _result(row: Mapping[str, Any]) -> Result:
    return Result(
        name=row["name"],
        status=row["status"],
        document_id=row["documentId"],
        chunk_count=row["chunkCount"],
        vector_ids=tuple(row["vectorIds"]),
        failure=Failure(**row["failure"]) if "failure" in row else None,
    )
