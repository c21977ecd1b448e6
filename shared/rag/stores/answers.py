"""Answers that visitors were given, for a day; and what became of them, for the org's owners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from rag.answering import Outcome
from rag.clock import Clock, iso
from rag.ports import Item, Items, Put
from rag.stores import layout

DAY = 24 * 3600
KEPT_SECONDS = DAY
RATED_SECONDS = 180 * DAY
UNANSWERED_SECONDS = 30 * DAY
# Rows read at once: most callers want one page of a list.
PAGE = 100


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it was given."""

    org: str
    site: str
    session: str
    question: str
    outcome: Outcome
    sources: tuple[Mapping[str, str], ...]  # id, title, url
    page: str | None


@dataclass(frozen=True, slots=True)
class Rated:
    """An answer that somebody rated, or that the documents did not hold (`helpful` is None)."""

    id: str
    site: str
    question: str
    outcome: Outcome
    sources: tuple[Mapping[str, str], ...]
    page: str | None
    helpful: bool | None
    comment: str | None
    created_at: str


class Answers:
    """What was answered, and what visitors thought of it."""

    def __init__(self, items: Items, fleeting: Items, clock: Clock) -> None:
        self._items = items
        self._fleeting = fleeting
        self._clock = clock

    def keep(self, id: str, given: Given) -> None:
        """Remember an answer, so that it can be rated; longer, what the documents did not hold."""
        now = self._clock()
        row = {
            "site": given.site,
            "question": given.question,
            "outcome": given.outcome,
            "sources": [dict(source) for source in given.sources],
            "pageUrl": given.page,
            "at": iso(now),
        }
        if given.outcome == "abstain":
            # First: nobody can rate it yet, so that no rating is lost by it.
            unrated = {**row, "helpful": None, "comment": None}
            key, expires = layout.feedback(given.org, id), int(now) + UNANSWERED_SECONDS
            self._items.write_lightly(Put(key, unrated, expires=expires))
        body = {"org": given.org, "session": _digest(given.session), "row": row}
        self._fleeting.write_lightly(Put(layout.answer(id), body, expires=int(now) + KEPT_SECONDS))

    def rate(self, id: str, site: str, session: str, helpful: bool, comment: str | None) -> bool:
        """Note a rating, in the place of an earlier one. False unless this session of the site was
        given such an answer lately."""
        kept = self._fleeting.get(layout.answer(id))
        if kept is None or (kept["row"]["site"], kept["session"]) != (site, _digest(session)):
            return False
        expires = int(self._clock()) + RATED_SECONDS
        row = {**kept["row"], "helpful": helpful, "comment": comment}
        self._items.write(Put(layout.feedback(kept["org"], id), row, expires=expires))
        return True

    def rated(self, org: str, after: str = "") -> Iterator[Rated]:
        """Newest first, beyond `after`."""
        while page := self._items.query(
            layout.feedback_on(org), after=after, limit=PAGE, descending=True
        ):
            yield from (_rated(id, row) for id, row in page)
            after = page[-1][0]


def _digest(session: str) -> str:
    # The same UUID however it is written; who asked is nobody's business.
    return sha256(session.lower().encode()).hexdigest()


def _rated(id: str, row: Item) -> Rated:
    return Rated(
        id,
        row["site"],
        row["question"],
        row["outcome"],
        tuple(row["sources"]),
        row["pageUrl"],
        row["helpful"],
        row["comment"],
        row["at"],
    )
