"""Jobs: what was asked to be ingested, and what became of each document of it.

The head of a job counts its documents, each of which has a row. A document is finished by one
transaction that closes its row and counts it: so it counts once, and never after a cancellation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rag.clock import Clock, iso
from rag.errors import ConditionFailed, Conflict
from rag.job import CANCELLED, INDEXED, NOT_UPLOADED, STALLED, Failure, Job, Part, Result
from rag.model import Caution, Chunking, Span
from rag.ports import Absent, Equals, Item, Items, Put, Update, Write
from rag.stores import layout
from rag.stores.documents import Overtaken

KEPT_SECONDS = 90 * 24 * 3600
# Longer than a full queue takes. Where nothing has moved for so long, nothing will by itself.
LONGEST_SECONDS = 24 * 3600
PAGE = 50
MOST_WRITES = 100  # at once


class Jobs:
    """All jobs of all orgs; every call names the org."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    # Reading

    def get(self, org: str, id: str) -> Job | None:
        """The job as it is now."""
        head = self._items.get(layout.job(org, id))
        return None if head is None else self._job(head)

    def results(self, org: str, job: Job) -> list[Result]:
        """What became of each of its documents so far, in their order."""
        rows = self._items.query(layout.job_items(org, job.id))
        found = [_result(row) for _, row in rows]
        return [_over(one, job.over) if job.over and one.is_open else one for one in found]

    def latest(self, org: str, before: str = "") -> Iterator[Job]:
        """Every job older than `before`, newest first."""
        prefix = layout.job(org, "").sk
        last = layout.job(org, before).sk if before else ""
        while page := self._items.query(
            layout.org(org), prefix, after=last, limit=PAGE, descending=True
        ):
            yield from (self._job(head) for _, head in page)
            last = page[-1][0]

    # Writing

    def create(self, org: str, job: Job, documents: Sequence[Result]) -> bool:
        """A new job, some of whose documents may have failed already. False if it is there."""
        expires = self._expiry()
        rows = [
            Put(layout.job_item(org, job.id, number), _row(one), Absent(), expires)
            for number, one in enumerate(documents)
        ]
        for first in range(0, len(rows), MOST_WRITES):
            # Those are there where the same request comes twice, and may be under way by now.
            with suppress(ConditionFailed):
                self._items.write(*rows[first : first + MOST_WRITES])
        try:
            self._write_head(org, _counting(job, documents), Absent())
        except ConditionFailed:
            return False
        return True

    def restart(self, org: str, job: Job, document: Result, *also: Write) -> bool:
        """A job of one document as if it were new, whatever became of it before. False if it was
        cancelled. Raises Overtaken if `also` is refused."""
        row = Put(layout.job_item(org, job.id, 0), _row(document), expires=self._expiry())
        fresh = _counting(job, [document])
        for guard in (Absent(), Equals("state", "open")):
            try:
                self._write_head(org, fresh, guard, row, *also)
            except ConditionFailed as refused:
                if max(refused.failed) > 1:
                    raise Overtaken from refused
                continue
            return True
        return False

    def begin(self, org: str, job: Job, number: int, *, again: bool = False) -> Result | None:
        """A document that is to be worked on, which the job then tells. None if there is nothing
        left to do; one that has failed is opened `again`."""
        row = self._items.get(layout.job_item(org, job.id, number))
        if row is None or job.over == CANCELLED:
            return None
        found = _result(row)
        if not found.is_open and not (again and found.status == "failed"):
            return None
        begun = replace(found, status="processing", failure=None)
        if begun == found and job.started:
            return begun
        reopened = {} if found.is_open else {"finished": -1}
        try:
            self._items.write_lightly(
                self._put(org, job.id, number, begun, Equals("status", found.status)),
                self._count(org, job.id, {"started": True}, reopened),
            )
        except ConditionFailed:
            return None  # somebody else was quicker, or cancelled it
        return begun

    def finish(self, org: str, id: str, number: int, result: Result) -> tuple[Write, ...]:
        """The writes by which a document is finished. They are refused where it already is, or
        where the job was cancelled."""
        tally = {"finished": 1}
        if result.status in INDEXED:
            tally |= {"indexed": 1, "chunks": result.chunk_count}
        failure = {"failure": _told(result.failure)} if result.failure else {}
        return (
            self._put(org, id, number, result, Equals("open", result.fence)),
            self._count(org, id, failure, tally),
        )

    def close(self, org: str, id: str, number: int, result: Result) -> bool:
        """Finish a document. False where that is refused."""
        try:
            self._items.write(*self.finish(org, id, number, result))
        except ConditionFailed:
            return False
        return True

    def end(
        self, org: str, id: str, number: int, status: str, failure: Failure | None = None
    ) -> None:
        """Finish a document that nothing came of, unless it is finished, whoever is at it."""
        row = self._items.get(layout.job_item(org, id, number))
        if row is not None:
            self.close(org, id, number, replace(_result(row), status=status, failure=failure))

    def cancel(self, org: str, job: Job) -> Job:
        """No document of the job that is not finished is ever found. Raises Conflict for one that
        is done."""
        while job.over != CANCELLED:
            if job.is_done:
                raise Conflict("The job is done; there is nothing left to cancel.")
            state = {"state": "cancelled", "updatedAt": iso(self._clock())}
            key = layout.job(org, job.id)
            with suppress(ConditionFailed):
                self._items.write(Update(key, set=state, when=Equals("finished", job.finished)))
            # One that is forgotten by now is over, too.
            job = self.get(org, job.id) or replace(job, over=CANCELLED)
        return job

    def _write_head(self, org: str, job: Job, guard: Absent | Equals, *more: Write) -> None:
        head = _head(replace(job, updated_at=iso(self._clock())))
        self._items.write(
            Put(layout.job(org, job.id), head, when=guard, expires=self._expiry()), *more
        )

    def _put(self, org: str, id: str, number: int, result: Result, guard: Equals) -> Put:
        key = layout.job_item(org, id, number)
        return Put(key, _row(result), when=guard, expires=self._expiry())

    def _count(self, org: str, id: str, news: dict[str, Any], tally: dict[str, int]) -> Update:
        news = {**news, "updatedAt": iso(self._clock())}
        return Update(layout.job(org, id), set=news, add=tally, when=Equals("state", "open"))

    def _expiry(self) -> int:
        return int(self._clock()) + KEPT_SECONDS

    def _job(self, head: Item) -> Job:
        job = Job(
            id=head["id"],
            data_source=head["dataSource"],
            created_at=head["createdAt"],
            updated_at=head["updatedAt"],
            name=head["name"],
            total=head["total"],
            finished=head["finished"],
            indexed=head["indexed"],
            chunks=head["chunks"],
            started=head["started"],
            sender=head["sender"],
            chunking=Chunking(*head["chunking"]),
            upload_until=head["uploadUntil"],
            failure=Failure(**head["failure"]) if head["failure"] else None,
        )
        return replace(job, over=self._end(job, head["state"]))

    def _end(self, job: Job, state: str) -> Failure | None:
        if state == "cancelled":
            return CANCELLED
        if job.is_done:
            return None
        now = self._clock()
        if job.upload_until and not job.started:
            return NOT_UPLOADED if job.upload_until < iso(now) else None
        return STALLED if job.updated_at < iso(now - LONGEST_SECONDS) else None


def _counting(job: Job, documents: Sequence[Result]) -> Job:
    failures = [one.failure for one in documents if one.failure]
    return replace(
        job,
        total=len(documents),
        finished=sum(not one.is_open for one in documents),
        started=any(one.status == "processing" for one in documents),
        failure=failures[-1] if failures else None,
    )


def _over(result: Result, why: Failure) -> Result:
    status = "cancelled" if why == CANCELLED else "failed"
    return replace(result, status=status, failure=why)


def _told(failure: Failure | None) -> Item | None:
    return {"code": failure.code, "message": failure.message} if failure else None


def _head(job: Job) -> Item:
    return {
        "id": job.id,
        "dataSource": job.data_source,
        "createdAt": job.created_at,
        "updatedAt": job.updated_at,
        "name": job.name,
        "total": job.total,
        "finished": job.finished,
        "indexed": job.indexed,
        "chunks": job.chunks,
        "started": job.started,
        "sender": job.sender,
        "chunking": [job.chunking.size, job.chunking.overlap],
        "uploadUntil": job.upload_until,
        "failure": _told(job.failure),
        "state": "open",
    }


def _row(result: Result) -> Item:
    return {
        "name": result.name,
        "open": result.fence if result.is_open else "",
        "status": result.status,
        "documentId": result.document_id,
        "version": result.version,
        "chunkCount": result.chunk_count,
        "failure": _told(result.failure),
        "warnings": [list(one) for one in result.warnings],
        "object": result.part.object if result.part else None,
        "span": list(result.part.span) if result.part and result.part.span else None,
    }


def _result(row: Item) -> Result:
    span = Span(*map(int, row["span"])) if row["span"] else None
    return Result(
        name=row["name"],
        status=row["status"],
        document_id=row["documentId"],
        version=row["version"],
        chunk_count=row["chunkCount"],
        failure=Failure(**row["failure"]) if row["failure"] else None,
        warnings=tuple(Caution(*one) for one in row.get("warnings", ())),
        part=Part(row["object"], span) if row["object"] else None,
        fence=row["open"] or "open",
    )
