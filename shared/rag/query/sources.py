"""The sources that are shown beside an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """A source as a reader of the answer sees it."""

    id: str  # the same as long as the content is
    title: str
    url: str
    excerpt: str
    score: float
    n: int  # its number in the answer's marks
