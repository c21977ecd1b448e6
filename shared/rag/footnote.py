"""The whole application, as its faces use it.

A capability is imported where it is made: a Lambda needs one or two, and pays for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from rag.access import queryable
from rag.clock import Clock
from rag.model import Principal

if TYPE_CHECKING:
    from rag.identity import Authenticator, SigningKeys
    from rag.ingest.intake import Intake
    from rag.ingest.pipeline import Ingestion
    from rag.ingest.quota import Quota
    from rag.ingest.worker import Worker
    from rag.ports import (
        Answerer,
        Embedder,
        Forms,
        Index,
        Items,
        Judge,
        Objects,
        Queue,
        Reader,
        Reranker,
    )
    from rag.query.converse import Chat
    from rag.query.pipeline import Querying
    from rag.query.visit import Visiting
    from rag.stores.answers import Answers
    from rag.stores.apikeys import ApiKeys
    from rag.stores.documents import Documents
    from rag.stores.jobs import Jobs
    from rag.stores.leases import Leases
    from rag.stores.limits import Limits
    from rag.stores.sites import Sites
    from rag.stores.sources import Sources
    from rag.stores.tickets import Tickets
    from rag.stores.usages import Usages

MINUTE, HOUR = 60, 3600
# Questions of visitors at once: quotations are computed, most of it under Python's one lock; for a
# language model one mostly waits.
COMPUTING, WAITING = 4, 40

Result = TypeVar("Result")


class Parts(Protocol):
    """What the application is made of, each part made when it is first asked for."""

    @property
    def items(self) -> Items: ...

    @property
    def fleeting(self) -> Items:
        """What may be lost: caches and the like."""
        ...

    @property
    def objects(self) -> Objects: ...

    @property
    def forms(self) -> Forms:
        """They let files come to the objects."""
        ...

    @property
    def queue(self) -> Queue: ...

    @property
    def dead(self) -> Queue:
        """Where messages end up that nobody could work on."""
        ...

    @property
    def index(self) -> Index: ...

    @property
    def embedder(self) -> Embedder: ...

    @property
    def reranker(self) -> Reranker: ...

    @property
    def answerer(self) -> Answerer | None:
        """The language model, where there is one."""
        ...

    @property
    def judge(self) -> Judge | None:
        """A second opinion on whether documents answer a question."""
        ...

    @property
    def reader(self) -> Reader:
        """Who reads the files that others have sent."""
        ...

    @property
    def secret(self) -> str:
        """What signs tokens here."""
        ...

    @property
    def signing_keys(self) -> SigningKeys | None: ...


@dataclass(frozen=True, slots=True)
class Policy:
    """What an operator may decide."""

    open: bool  # to callers without credentials
    longest_text: int
    longest_upload: int
    largest_file: int  # bytes
    storage_quota: int  # bytes
    context_tokens: int
    default_site: str  # of visitors whose page names none
    audience: str  # what tokens are for, where they say it


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to be done again and again, by one or by many at once."""

    every: float  # seconds
    do: Callable[[], object]


class Footnote:
    """Every capability, made of its parts when it is first used: a Lambda uses one or two."""

    def __init__(self, parts: Parts, policy: Policy, clock: Clock) -> None:
        self.parts = parts
        self.policy = policy
        self._clock = clock

    @cached_property
    def sources(self) -> Sources:
        from rag.stores.sources import Sources

        return Sources(self.parts.items, self._clock)

    def seen_by(self, caller: Principal, read: Callable[[frozenset[str]], Result]) -> Result:
        """What `read` makes of the data sources whose documents the caller may see, read while
        that is so."""
        return self.sources.steadily(caller.org, lambda all: read(queryable(caller, all)))

    @cached_property
    def documents(self) -> Documents:
        from rag.stores.documents import Documents

        return Documents(self.parts.items, self._clock)

    @cached_property
    def ingestion(self) -> Ingestion:
        """Raises IndexMismatch, as everything that uses the index."""
        from rag.ingest.pipeline import Ingestion

        return Ingestion(
            self.documents,
            self._index,
            self.parts.embedder,
            self.policy.longest_text,
            self._quota,
        )

    @cached_property
    def jobs(self) -> Jobs:
        from rag.stores.jobs import Jobs

        return Jobs(self.parts.items, self._clock)

    @cached_property
    def worker(self) -> Worker:
        from rag.ingest.jobs import JobDocuments
        from rag.ingest.parse import Parser
        from rag.ingest.uploads import Following
        from rag.ingest.worker import Worker
        from rag.stores.uploads import Uploads

        def patient() -> Ingestion:
            # It has minutes where a request has seconds.
            return replace(self.ingestion, longest_text=self.policy.longest_upload)

        uploads = Uploads(self.parts.items, self._clock)
        objects, queue = self.parts.objects, self.parts.queue
        parser = Parser(self.parts.reader)
        following = Following(
            objects, self.sources, uploads, self.jobs, parser, self.policy.largest_file, patient
        )
        documents = JobDocuments(self.jobs, self._tickets, objects, queue, parser, patient)
        return Worker(following, documents, self._leases, self.usages, queue, self.parts.dead)

    @cached_property
    def intake(self) -> Intake:
        from rag.ingest.intake import Intake
        from rag.stores.repeats import Repeats

        return Intake(
            sources=self.sources,
            documents=self.documents,
            jobs=self.jobs,
            tickets=self._tickets,
            repeats=Repeats(self.parts.fleeting, self._clock),
            leases=self._leases,
            objects=self.parts.objects,
            forms=self.parts.forms,
            queue=self.parts.queue,
            quota=self._quota,
            largest_file=self.policy.largest_file,
            model=lambda: self.parts.embedder.model,
            clock=self._clock,
        )

    @cached_property
    def querying(self) -> Querying:
        from rag.query.pipeline import Querying
        from rag.stores.rankings import Rankings

        return Querying(
            self.sources,
            self.documents,
            self._index,
            self.parts.embedder,
            self.parts.reranker,
            self.parts.answerer,
            self.parts.judge,
            Rankings(self.parts.fleeting, self._clock),
            self.policy.context_tokens,
        )

    @cached_property
    def chat(self) -> Chat:
        from rag.query.converse import Chat
        from rag.stores.conversations import Conversations

        return Chat(self.querying, Conversations(self.parts.items, self._clock))

    @cached_property
    def limits(self) -> Limits:
        from rag.stores.limits import Limits

        return Limits(self.parts.fleeting, self._clock)

    @cached_property
    def sites(self) -> Sites:
        from rag.stores.sites import Sites

        return Sites(self.parts.items, self._clock)

    @cached_property
    def answers(self) -> Answers:
        from rag.stores.answers import Answers

        return Answers(self.parts.items, self.parts.fleeting, self._clock)

    @cached_property
    def visiting(self) -> Visiting:
        from rag.query.visit import Visiting
        from rag.stores.said import Sayings
        from rag.turns import Turns

        sayings = Sayings(self.parts.fleeting, self._clock)
        turns = Turns(COMPUTING if self.parts.answerer is None else WAITING)
        return Visiting(self.querying, sayings, self.answers, turns, self._clock)

    @cached_property
    def usages(self) -> Usages:
        from rag.stores.usages import Usages

        return Usages(self.parts.fleeting, self._clock)

    @cached_property
    def api_keys(self) -> ApiKeys:
        from rag.stores.apikeys import ApiKeys

        return ApiKeys(self.parts.items, self._clock)

    @cached_property
    def authenticator(self) -> Authenticator:
        from rag.identity import Authenticator

        return Authenticator(
            open=self.policy.open,
            clock=self._clock,
            api_key=self.api_keys.principal,
            secret=self.parts.secret,
            signing_keys=self.parts.signing_keys,
            audience=self.policy.audience,
        )

    @cached_property
    def chores(self) -> tuple[Chore, ...]:
        from rag.ingest import outdated
        from rag.ingest.sources import remove_deleted
        from rag.ingest.worker import requeue
        from rag.stores.progress import Progress

        def refresh() -> int:
            progress = Progress(self.parts.items, self._clock, outdated.NAME)
            return outdated.bring_up_to_date(self.documents, progress, self._index)

        return (
            # Made when it is done: an index that does not answer keeps no other from being done.
            Chore(MINUTE, lambda: self.ingestion.sweep()),
            Chore(MINUTE, lambda: remove_deleted(self.sources, self.documents, self.ingestion)),
            Chore(MINUTE, lambda: requeue(self._leases, self.parts.queue)),
            Chore(MINUTE, refresh),
            Chore(HOUR, self.parts.items.purge),
            Chore(HOUR, self.parts.fleeting.purge),
        )

    def ready(self) -> None:
        """Make everything now, so that what is wrong shows at the start. Raises IndexMismatch."""
        for capability in ("chat", "ingestion", "worker", "authenticator", "chores"):
            getattr(self, capability)

    @cached_property
    def _quota(self) -> Quota:
        from rag.ingest.quota import Quota

        return Quota(self.documents, self.policy.storage_quota)

    @cached_property
    def _tickets(self) -> Tickets:
        from rag.stores.tickets import Tickets

        return Tickets(self.parts.items, self._clock)

    @cached_property
    def _leases(self) -> Leases:
        from rag.stores.leases import Leases

        return Leases(self.parts.items, self._clock)

    @cached_property
    def _index(self) -> Index:
        from rag.ingest.reembed import check_maker

        check_maker(self.parts.index, self.parts.embedder)
        return self.parts.index
