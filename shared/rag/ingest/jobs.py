"""Documents of jobs, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rag.errors import NotFound
from rag.ingest import sent
from rag.ingest.messages import JobMessage, about_document
from rag.ingest.parse import Parser
from rag.ingest.pipeline import Ingestion
from rag.ingest.sent import Sent
from rag.job import CANCELLED, Failure, Job, Part, Result
from rag.model import Draft, Ingested, Span
from rag.ports import Objects, Queue, Write
from rag.stores.documents import Overtaken
from rag.stores.jobs import Jobs
from rag.stores.tickets import Tickets
from rag.usage import counting_failures

GONE = "The document's content is no longer kept; send it again."


@dataclass(frozen=True, slots=True)
class JobDocuments:
    """Ingests what jobs ask for."""

    jobs: Jobs
    tickets: Tickets
    objects: Objects
    queue: Queue
    parser: Parser
    # Made when it is needed: where the index does not answer, that is one message's failure, which
    # comes again soon, and not the worker's.
    ingestion: Callable[[], Ingestion]

    def work(self, message: JobMessage) -> None:
        """Do what the message asks for, unless it is done or cancelled. Raises FootnoteError."""
        job = self.jobs.get(message.org, message.job)
        if job is None:
            return
        if message.document is None:
            self._send(message.org, job)
            return
        begun = self.jobs.begin(message.org, job, message.document, again=message.again)
        if begun is not None:
            self._ingest(message.org, job, message.document, begun)

    def arrived(self, key: str, *, again: bool) -> None:
        """A file has come by a form; one that has failed is tried `again`."""
        if (message := self._expected(key)) is not None:
            self.work(replace(message, again=again))

    def give_up(self, message: JobMessage, failure: Failure) -> None:
        """Say in the job why nothing came of the document."""
        if message.document is not None:
            self.jobs.end(message.org, message.job, message.document, "failed", failure)

    def give_up_file(self, key: str, failure: Failure) -> None:
        """The same for a file that has come by a form."""
        if (message := self._expected(key)) is not None:
            self.give_up(message, failure)

    def _send(self, org: str, job: Job) -> None:
        """Queue a message for each of its documents that waits."""
        if job.over == CANCELLED:
            return
        # One that reads as stalled does so for the lack of these messages.
        results = self.jobs.results(org, replace(job, over=None))
        waiting = [at for at, one in enumerate(results) if one.is_open]
        self.queue.send(*(about_document(org, job.id, at) for at in waiting), group=org)

    def _ingest(self, org: str, job: Job, number: int, begun: Result) -> None:
        with counting_failures():
            draft = self._draft(job, begun)

        def finish(done: Ingested) -> Sequence[Write]:
            return self.jobs.finish(org, job.id, number, begun.indexed(done, draft.cautions))

        try:
            self.ingestion().ingest(org, draft, also=finish)
        except Overtaken:
            return  # cancelled, or done by another worker: either way it is as the job says

    def _draft(self, job: Job, begun: Result) -> Draft:
        if begun.part is None or job.data_source is None:
            raise NotFound("The document has no content.")
        document = self._sent(begun.part)
        if document.text is not None:
            return sent.as_sent(document, job.data_source, job.chunking)
        if document.upload is not None:
            data = self._kept(document.upload)
        else:
            data = sent.decoded(document.content or "")
        parsed = self.parser.parse(document.filename, document.media_type, data)
        return sent.draft(document, data, parsed, job.data_source, job.chunking)

    def _sent(self, part: Part) -> Sent:
        if part.span is not None:
            return sent.unpack(self._kept(part.object, part.span))
        ticket = self.tickets.of(part.object)
        if ticket is None:
            raise NotFound(GONE)
        # A file of the same name in the same data source is the same document, as in a folder.
        name = ticket.filename
        return Sent(id=name, media_type=ticket.media_type, upload=ticket.key, filename=name)

    def _kept(self, key: str, span: Span | None = None) -> bytes:
        data = self.objects.get(key, span)
        if data is None:
            raise NotFound(GONE)
        return data

    def _expected(self, key: str) -> JobMessage | None:
        ticket = self.tickets.of(key)
        if ticket is None or ticket.job is None:
            return None
        return JobMessage(ticket.org, ticket.job, 0, again=False)
