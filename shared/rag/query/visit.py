"""A visitor's question: answered from what the site lists, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from rag import tokens
from rag.access import visitor_of
from rag.answering import Answered, Outcome
from rag.clock import Clock, ulid
from rag.errors import NoAccessibleSources, Unavailable
from rag.model import Principal, Search, Site
from rag.query.inquiry import Inquiry
from rag.query.layouts import PLATFORM
from rag.query.look import CACHE_SECONDS
from rag.query.page import near, path, told
from rag.query.quote import EXTRACTIVE, NOTHING
from rag.query.selection import STEERING, selected
from rag.query.sources import Shown, shown
from rag.sentences import sentences
from rag.stores.answers import Given
from rag.stores.said import Saying
from rag.timing import stage as timed
from rag.timing import time_limit
from rag.usage import count

if TYPE_CHECKING:  # it is made by those who have all of its parts
    from rag.query.pipeline import Queried, Querying
    from rag.stores.answers import Answers
    from rag.stores.said import Sayings
    from rag.turns import Turns

# Of so many, the page's own may come first; and from so many a question is answered.
LOOKED_AT, MOST = 8, 5


@dataclass(frozen=True, slots=True)
class Asked:
    """What a visitor asks, and where."""

    message: str
    mode: Literal["browse", "chat"]
    selection: str | None
    page: str | None
    session: str


@dataclass(frozen=True, slots=True)
class Finished:
    """An answer, when all of it is said."""

    text: str
    sources: tuple[Shown, ...]
    outcome: Outcome
    model: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Visited:
    """An answer on its way: its sentences, and at last all of it."""

    id: str
    steps: Iterator[str | Finished]


@dataclass(frozen=True, slots=True)
class Visiting:
    """Answers visitors."""

    querying: Querying
    sayings: Sayings
    answers: Answers
    turns: Turns
    clock: Clock

    def ask(self, site: Site, asked: Asked) -> Visited:
        """What fails before the first sentence fails here."""
        id = f"ans_{ulid(self.clock())}"
        return Visited(id, self._kept(id, site, asked, self._answered(visitor_of(site), asked)))

    def _answered(self, visitor: Principal, asked: Asked) -> Iterator[str | Finished]:
        count(questions=1)
        inquiry = self._inquiry(asked)
        try:
            with timed("cache"):
                key = self._key(visitor, inquiry, asked.page)
            known = self._remembered(key)
            if known is not None:
                return known
            with self.turns.taken():
                found = near(self.querying.retrieve(visitor, inquiry.search), asked.page, MOST)
                run = self.querying.respond(found, inquiry)
        except NoAccessibleSources:
            count(abstained=1)
            return iter((NOTHING, Finished(NOTHING, (), "abstain", EXTRACTIVE, 0)))
        return self._said(key, run)

    def _inquiry(self, asked: Asked) -> Inquiry:
        """The question, with room for it and its rules beside that for documents."""
        bare = PLATFORM.rendered(asked.message, ())
        room = self.querying.context_tokens + tokens.most(bare.system) + tokens.most(bare.prompt)
        text = (asked.selection or "") if asked.mode == "chat" else ""
        selection = selected(tokens.truncate(text, room // 3)) if text.strip() else None
        query = f"{asked.message}\n\n{text[:STEERING]}" if selection else asked.message
        return Inquiry(
            Search(query, LOOKED_AT),
            room,
            asked=asked.message,
            selection=selection,
            needs_context=False,
        )

    def _key(self, visitor: Principal, inquiry: Inquiry, page: str | None) -> str:
        """Names all that an answer depends on. Raises NoAccessibleSources."""
        state = self.querying.state(visitor, inquiry.search)
        selection = inquiry.selection.text if inquiry.selection else None
        writer = self.querying.answerer
        place = page and path(page)
        parts = [state, inquiry.asked, selection, place, writer.name if writer else EXTRACTIVE]
        return sha256(json.dumps(parts).encode()).hexdigest()

    def _remembered(self, key: str) -> Iterator[str | Finished] | None:
        known = None
        with timed("cache"), suppress(Unavailable), time_limit(CACHE_SECONDS):
            known = self.sayings.get(key)
        if known is None:
            return None
        count(abstained=known.outcome == "abstain")
        return _again(known)

    def _said(self, key: str, run: Queried) -> Iterator[str | Finished]:
        for step in run.answer:
            if not isinstance(step, Answered):
                if step.kept:
                    yield step.text
                continue
            # What a stage had to do without, the next answer may have again.
            finished = _finished(run, step)
            if run.found.whole and not (run.found.notices or step.notices):
                self._remember(key, finished)
            yield finished

    def _remember(self, key: str, finished: Finished) -> None:
        sources = tuple(asdict(one) for one in finished.sources)
        saying = Saying(finished.text, sources, finished.outcome, finished.model)
        with timed("cache"), suppress(Unavailable), time_limit(CACHE_SECONDS):
            self.sayings.put(key, saying)

    def _kept(
        self, id: str, site: Site, asked: Asked, steps: Iterator[str | Finished]
    ) -> Iterator[str | Finished]:
        """The same steps; the answer can be rated once it is there."""
        for step in steps:
            if isinstance(step, Finished):
                given = Given(
                    org=site.org,
                    site=site.id,
                    session=asked.session,
                    question=asked.message,
                    outcome=step.outcome,
                    sources=tuple(
                        {"id": one.id, "title": one.title, "url": one.url} for one in step.sources
                    ),
                    page=asked.page and told(asked.page),
                )
                with suppress(Unavailable), time_limit(CACHE_SECONDS):
                    self.answers.keep(id, given)
            yield step


def _again(known: Saying) -> Iterator[str | Finished]:
    for start, end in sentences(known.text):
        yield known.text[start:end]
    sources = tuple(Shown(**one) for one in known.sources)
    yield Finished(known.text, sources, known.outcome, known.model, 0)


def _finished(run: Queried, answered: Answered) -> Finished:
    usage = answered.usage
    # A language model may find that the documents do not say it, or have nothing that they do.
    outcome: Outcome = run.grounding.outcome if answered.confidence else "abstain"
    return Finished(
        answered.text,
        () if outcome == "abstain" else shown(run, answered),
        outcome,
        answered.model,
        usage.prompt_tokens + usage.completion_tokens,
    )
