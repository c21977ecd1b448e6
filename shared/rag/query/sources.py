"""The sources that are shown beside an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import quote

from rag.answering import SELECTED, Answered, Piece
from rag.model import Document, Excerpt, Span, mark_at

if TYPE_CHECKING:  # it has all of a search with it
    from rag.query.pipeline import Queried

LONGEST_EXCERPT = 200
# What is shown though the answer does not name it.
RELEVANT = 0.5

_CUT = "…"
_ABSOLUTE = re.compile(r"https?://[^/?#@]", re.IGNORECASE)
_SCHEME = re.compile(r"[^/?#]*:")
# What browsers skip, or take for something else.
_ODD = re.compile(r"[\s\x00-\x1f\x7f\\\"<>^`{|}]")
_NOT_IN_SLUGS = re.compile(r"[^\w\s-]")
_WORD_ENDS = re.compile(r"\s\S*$")
_WORD_BEGINS = re.compile(r"\s\S")


@dataclass(frozen=True, slots=True)
class Shown:
    """A source as a reader of the answer sees it."""

    id: str  # the same as long as the content is
    title: str
    url: str
    excerpt: str
    score: float
    n: int  # its number in the answer's marks


def shown(run: Queried, answered: Answered) -> tuple[Shown, ...]:
    """What the answer names, and what else is relevant: in the order of the search."""
    excerpts = {excerpt.ref: excerpt for excerpt in run.found.excerpts}
    order = {ref: place for place, ref in enumerate(excerpts)}
    pieces = sorted(
        (piece for piece in run.assembled.pieces if piece.n != SELECTED),
        key=lambda piece: min(order[ref] for ref in piece.refs),
    )
    cited = {citation.n: citation for citation in reversed(answered.citations)}
    kept = [piece for piece in pieces if piece.n in cited or piece.score >= RELEVANT]
    evident = dict(reversed([*_evident(run)]))
    told = []
    for piece in kept or pieces[:1]:
        chunks = [excerpts[ref] for ref in piece.refs]
        best = max(chunks, key=lambda one: one.score)
        citation = cited.get(piece.n)
        if citation is not None:
            at = citation.span.start - piece.span.start
            span = Span(at, at + len(citation.quote))
        else:
            span = evident.get(piece.n, _within(piece, best, Span(0, 0)))
        told.append(
            Shown(
                _id(best),
                " ".join(piece.document.title.split()) or piece.document.path,
                address(piece.document, _heading(piece, span)),
                around(piece.text, span),
                piece.score,
                piece.n,
            )
        )
    return tuple(told)


def around(text: str, span: Span) -> str:
    """A part of a text that begins with the words that matter, or before them near its end."""
    if len(whole := " ".join(text.split())) <= LONGEST_EXCERPT:
        return whole
    room = LONGEST_EXCERPT - 2 * len(_CUT)
    start = max(0, min(span.start, len(text) - room))
    end = min(len(text), start + room)
    if 0 < start < span.start and (word := _WORD_BEGINS.search(text, start - 1, end)):
        start = min(word.end() - 1, span.start)
    if end < len(text) and not text[end].isspace():
        word = _WORD_ENDS.search(text, start + 1, end)
        end = word.start() if word else end
    part = " ".join(text[start:end].split())
    return (_CUT if start else "") + part + (_CUT if end < len(text) else "")


def _evident(run: Queried) -> Iterator[tuple[int, Span]]:
    """By the numbers of pieces, the sentences for which they were found, best first."""
    relevant = dict(zip(run.grounding.relevant, run.relevant, strict=True))
    holding = {ref: piece for piece in run.assembled.pieces for ref in piece.refs}
    for sentence in run.grounding.sentences:
        excerpt = relevant.get(sentence.excerpt)
        if excerpt is not None and excerpt.ref in holding:
            piece = holding[excerpt.ref]
            yield piece.n, _within(piece, excerpt, sentence.span)


def _within(piece: Piece, excerpt: Excerpt, span: Span) -> Span:
    offset = excerpt.stored.chunk.start - piece.span.start
    return Span(span.start + offset, span.end + offset)


def _id(best: Excerpt) -> str:
    named = json.dumps([best.document.id, best.text])
    return f"cit_{sha256(named.encode()).hexdigest()[:20]}"


def _heading(piece: Piece, span: Span) -> str:
    section = mark_at(piece.marks, piece.span.start + span.start).section if piece.marks else ()
    return section[-1] if section else ""


def address(document: Document, heading: str) -> str:
    """Where a document can be read: at its own address, or under its path on the page's site."""
    url = _safe(document.url or "") or "/" + quote(document.path.lstrip("/\\"))
    place = slug(heading)
    return f"{url}#{place}" if place and "#" not in url else url


def _safe(url: str) -> str:
    """An address of the web or a path on the page's own site; nothing, if it is neither."""
    url = _ODD.sub(lambda odd: quote(odd.group()), url.strip())
    relative = not url.startswith("//") and not _SCHEME.match(url)
    return url if relative or _ABSOLUTE.match(url) else ""


def slug(heading: str) -> str:
    """A heading as generators of sites name its place."""
    words = _NOT_IN_SLUGS.sub("", heading.strip().lower())
    return quote(re.sub(r"\s", "-", words))
