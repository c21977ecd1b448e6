"""Intake: documents of a request become a job, and files that may be uploaded become one each.

The order of its writes is what makes a job safe: its documents first, then the job, then its
messages. Whoever dies in between leaves nothing, or a job whose messages are sent by others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace

from rag.access import may_know, may_query, may_write
from rag.clock import Clock, iso, ulid
from rag.errors import FootnoteError, Invalid, NotFound, PermissionDenied, Unavailable
from rag.ingest import sent
from rag.ingest.formats.kinds import check_claim
from rag.ingest.messages import about_document, about_job, lease_name
from rag.ingest.quota import Quota
from rag.ingest.sent import Sent
from rag.job import Failure, Job, Part, Result
from rag.model import Chunking, Principal, Source
from rag.ports import Forms, Objects, Queue, UploadForm
from rag.stores.documents import Documents, document_id
from rag.stores.jobs import Jobs
from rag.stores.leases import Lease, Leases
from rag.stores.repeats import Repeats
from rag.stores.sources import Sources
from rag.stores.tickets import FORM_SECONDS, Ticket, Tickets
from rag.usage import count

PREFIX = "jobs/"
# A file that has come in time may still have to wait for its worker.
GRACE_SECONDS = 900
SIDE_BY_SIDE = 16


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents to ingest into one data source."""

    data_source: str
    documents: tuple[Sent, ...]
    chunking: Chunking
    model: str | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file that somebody wants to upload."""

    data_source: str
    filename: str
    media_type: str
    size: int
    ingest: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """A request that may come again: the sender's key for it, and what it says."""

    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class Intake:
    """Accepts documents and files, or says why not before anything is written."""

    sources: Sources
    documents: Documents
    jobs: Jobs
    tickets: Tickets
    repeats: Repeats
    leases: Leases
    objects: Objects
    forms: Forms
    queue: Queue
    quota: Quota
    largest_file: int  # bytes
    model: Callable[[], str]  # the deployment's embedding model
    clock: Clock

    def accept(self, sender: Principal, batch: Batch, repeat: Repeat | None = None) -> Job:
        """A job of the batch, or the one that the first of repeated requests has made."""
        source = self.writable(sender, batch.data_source)
        # The model is not even loaded by whoever only queues.
        if batch.model is not None and batch.model != self.model():
            raise Invalid("embeddingModel", f"embeddingModel must be {self.model()}")
        if repeat is not None and (made := self._made(sender, repeat)) is not None:
            return made
        documents = self._all_located(sender, batch.documents)
        refused = _refused(documents)
        count(failed=len(refused))
        if len(refused) == len(documents):
            raise refused[0]
        self._check_room(sender.org, source, documents, batch.chunking)
        id = f"job_{ulid(self.clock())}"
        if repeat is not None:
            # Not before: a request that is refused may be mended and sent again under its key.
            id = self.repeats.first(sender.org, sender.sub, repeat.key, repeat.digest, id)
        job = self._job(id, source, sender, _name(0, documents[0]), batch.chunking)
        return self._begin(sender.org, job, documents, refused)

    def ticket(self, sender: Principal, file: File) -> tuple[Ticket, UploadForm]:
        """The permission to upload a file, and the form to do it by."""
        source = self.writable(sender, file.data_source)
        check_claim(file.filename, file.media_type)
        if file.size > self.largest_file:
            raise Invalid("size", f"size must be at most {self.largest_file}")
        self.quota.check(sender.org, 1)
        now = self.clock()
        ticket = Ticket(
            id=self.tickets.new_id(),
            org=sender.org,
            sender=sender.sub,
            data_source=source.id,
            filename=file.filename,
            media_type=file.media_type,
            size=file.size,
            until=iso(now + FORM_SECONDS),
            job=f"job_{ulid(now)}" if file.ingest else None,
        )
        form = self.forms.upload_form(ticket.key, file.media_type, file.size, FORM_SECONDS)
        if ticket.job is not None:
            self._expect(sender, source, ticket, ticket.job)
        self.tickets.put(ticket)
        return ticket, form

    def writable(self, sender: Principal, id: str) -> Source:
        """A data source that the sender may write to. Raises NotFound, PermissionDenied."""
        source = self.sources.get(sender.org, id)
        if source is None or not may_know(sender, source):
            raise NotFound(f"There is no data source {id[:100]}.")
        if not may_write(sender, source):
            raise PermissionDenied("Only its owner and admins may write to this data source.")
        return source

    def _made(self, sender: Principal, repeat: Repeat) -> Job | None:
        """The job of the first such request, if there was one and it got so far."""
        id = self.repeats.known(sender.org, sender.sub, repeat.key, repeat.digest)
        return self.jobs.get(sender.org, id) if id else None

    def _expect(self, sender: Principal, source: Source, ticket: Ticket, id: str) -> None:
        """A job whose one document is still to come."""
        job = self._job(id, source, sender, ticket.filename, Chunking())
        until = iso(self.clock() + FORM_SECONDS + GRACE_SECONDS)
        document = Result(ticket.filename, part=Part(ticket.key))
        self.jobs.create(sender.org, replace(job, upload_until=until), [document])

    def _begin(
        self, org: str, job: Job, documents: Sequence[Sent], refused: dict[int, FootnoteError]
    ) -> Job:
        results = self._stored(org, job.id, documents, refused)
        # Only now: a sweep that came before the job is made would find none, and let it go.
        message = about_job(org, job.id)
        lease = self.leases.take(lease_name(message), org, message)
        if self.jobs.create(org, job, results):
            # Where the queue is away, the lease has a sweep send them later.
            with suppress(Unavailable):
                waiting = [at for at, one in enumerate(results) if one.is_open]
                self.queue.send(*(about_document(org, job.id, at) for at in waiting), group=org)
                if isinstance(lease, Lease):
                    self.leases.release(lease)
        return self.jobs.get(org, job.id) or job

    def _stored(
        self, org: str, id: str, documents: Sequence[Sent], refused: dict[int, FootnoteError]
    ) -> list[Result]:
        """The documents, laid down for the workers."""
        packed, spans = sent.pack(documents)
        key = f"{PREFIX}{org}/{id}"
        self.objects.put(key, packed)
        return [
            Result(_name(at, document), "failed", failure=_failure(refused[at]))
            if at in refused
            else Result(_name(at, document), part=Part(key, span))
            for at, (document, span) in enumerate(zip(documents, spans, strict=True))
        ]

    def _job(
        self, id: str, source: Source, sender: Principal, name: str, chunking: Chunking
    ) -> Job:
        now = iso(self.clock())
        return Job(
            id=id,
            data_source=source.id,
            created_at=now,
            updated_at=now,
            name=name,
            total=0,
            sender=sender.sub,
            chunking=chunking,
        )

    def _all_located(self, sender: Principal, documents: Sequence[Sent]) -> list[Sent]:
        if all(one.upload is None for one in documents):
            return list(documents)
        # One after the other, a thousand looks at a bucket would take longer than a request may.
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            # Each in a context of its own, so that the request's deadline holds there too.
            looks = [
                pool.submit(copy_context().run, self._located, sender, at, one)
                for at, one in enumerate(documents)
            ]
            try:
                return [look.result() for look in looks]
            finally:
                pool.shutdown(cancel_futures=True)

    def _located(self, sender: Principal, at: int, document: Sent) -> Sent:
        """The document, with the place of the file that it refers to."""
        if document.upload is None:
            return document
        ticket = self.tickets.get(sender.org, document.upload)
        if (
            ticket is None
            or not self._may_read(sender, ticket)
            or self.objects.head(ticket.key) is None
        ):
            raise Invalid(f"documents.{at}.uploadId", "There is no such upload, or no file yet.")
        return replace(
            document,
            upload=ticket.key,
            filename=ticket.filename,
            media_type=document.media_type or ticket.media_type,
        )

    def _may_read(self, sender: Principal, ticket: Ticket) -> bool:
        """Whether what has come by the ticket is no secret to the sender."""
        if ticket.sender == sender.sub:
            return True
        source = self.sources.get(sender.org, ticket.data_source)
        return source is not None and may_query(sender, source)

    def _check_room(
        self, org: str, source: Source, documents: Sequence[Sent], chunking: Chunking
    ) -> None:
        """Refuse at once what is known to go beyond the quota; files are only known later."""
        drafts = {
            document_id(one): one.size
            for document in documents
            if document.text is not None
            for one in [sent.as_sent(document, source.id, chunking)]
        }
        present = self.documents.get_many(org, drafts)
        growth = sum(
            size - (present[id].size if id in present else 0) for id, size in drafts.items()
        )
        self.quota.check(org, max(growth, 1) if len(drafts) < len(documents) else growth)


def _refused(documents: Sequence[Sent]) -> dict[int, FootnoteError]:
    """Those that can be seen not to work."""
    refused: dict[int, FootnoteError] = {}
    for at, document in enumerate(documents):
        try:
            sent.check(document)
        except FootnoteError as error:
            refused[at] = error
    return refused


def _name(at: int, document: Sent) -> str:
    return document.name or f"document {at + 1}"


def _failure(error: FootnoteError) -> Failure:
    return Failure(error.code or "INVALID", error.message)
