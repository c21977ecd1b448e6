"""Answers without a language model: the sentences that answer, quoted, with their sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rag.answering import Answered, Citation, Grounding, Piece, Sentence
from rag.fences import fences
from rag.model import Excerpt, Notice, Span, Usage
from rag.query.directs import directs
from rag.query.gaps import MOST_QUOTED
from rag.query.support import ASKED_FOR
from rag.sentences import sentences as split

# One that is so much worse than the best is no answer beside it.
WORSE = 0.4
# A row of a table or a line of code tells little without the others, and "These are:" nothing
# without what follows.
LONGEST_TABLE = 900
LONGEST_BLOCK = 700
# A sentence is quoted with those after it in its paragraph as long as all of it is this short.
SHORT = 160

EXTRACTIVE = "extractive"
NOTHING = "The documents do not say."

# What makes a line an item of a list is no part of what it says.
_MARKER = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
# An empty line ends a block, unless a list, a table or code goes on after it.
_END_OF_BLOCK = re.compile(r"\n[^\S\n]*\n(?!\s*+[|`*-])")


def quotes(
    sentences: Iterable[Sentence], excerpts: Sequence[Excerpt], pieces: Iterable[Piece]
) -> list[Citation]:
    """The best of the sentences, best first, each made longer where it says nothing alone."""
    holding = {ref: piece for piece in pieces for ref in piece.refs}
    found: list[tuple[Piece, Span]] = []
    least: float | None = None
    for sentence in sentences:
        excerpt = excerpts[sentence.excerpt]
        piece = holding.get(excerpt.ref)
        # What gives orders is no answer, unless it is what was asked for.
        if piece is None or (directs(sentence.text) and sentence.own < ASKED_FOR):
            continue
        least = sentence.value - WORSE if least is None else least
        if len(found) == MOST_QUOTED or sentence.value < least:
            break
        offset = excerpt.stored.chunk.start - piece.span.start
        span = Span(sentence.span.start + offset, sentence.span.end + offset)
        found.append((piece, _extended(piece.text, span)))
    said: dict[str, Citation] = {}
    for piece, span in _joined(found):
        citation = piece.cited(_trimmed(piece.text, span))
        said.setdefault(" ".join(citation.quote.split()), citation)
    return [citation for words, citation in said.items() if words]


def written(
    quoted: Sequence[Citation],
    grounding: Grounding,
    usage: Usage | None = None,
    notices: tuple[Notice, ...] = (),
) -> Answered:
    """The quotes as an answer, after what is missing; or that there is none."""
    abstains = grounding.outcome == "abstain" or not quoted
    text = " ".join([NOTHING, *grounding.gaps] if abstains else grounding.gaps)
    used: list[Citation] = []
    for citation in () if abstains else quoted:
        shown = _shown(citation)
        text += "\n\n" if text else ""
        used.append(replace(citation, answer=Span(len(text), len(text) + len(shown))))
        text += shown
    confidence = grounding.score if used else 0.0
    return Answered(text, tuple(used), confidence, EXTRACTIVE, usage or Usage(), notices)


def with_titles(answered: Answered) -> str:
    """An answer's text and under it what its numbers stand for, for who sees nothing but text."""
    titles = {one.n: " ".join(one.document.title.split()) for one in answered.citations}
    listed = "\n".join(f"[{n}] {title}" for n, title in titles.items())
    return "\n\n".join(filter(None, (answered.text, listed)))


def _shown(citation: Citation) -> str:
    # A table or a list stays one only on lines of its own.
    if "\n" in citation.quote:
        return f"{citation.quote}\n\n[{citation.n}]"
    return f"“{citation.quote}” [{citation.n}]"


def _extended(text: str, span: Span) -> Span:
    sentence = text[span.start : span.end].strip()
    if code := next((one for one in fences(text) if one.start <= span.start < one.end), None):
        long = len(text[code.start : code.end].rstrip()) > LONGEST_BLOCK
        return span if long or directs(text[code.start : code.end]) else code
    if sentence.startswith("|"):
        return _table(text, span)
    if sentence.endswith(":"):
        return _announced(text, span)
    return _continued(text, span)


def _table(text: str, row: Span) -> Span:
    """All of the table where it is short; from its header, as many rows as are; or the row."""
    start, end = row
    while start and text[text.rfind("\n", 0, start - 1) + 1 : start].lstrip(" ").startswith("|"):
        start = text.rfind("\n", 0, start - 1) + 1
    while end < len(text) and text[end : end + 4].lstrip(" ").startswith("|"):
        end = text.find("\n", end) + 1 or len(text)
    if end - start > LONGEST_TABLE:
        if row.start != start:
            return row
        end = max(row.end, text.rfind("\n", start, start + LONGEST_TABLE) + 1)
    return row if directs(text[start:end]) else Span(start, end)


def _announced(text: str, span: Span) -> Span:
    """With the block that it announces, as far as that is told and not ordered."""
    over = _END_OF_BLOCK.search(text, span.end, span.end + LONGEST_BLOCK)
    end = over.start() if over else min(len(text), span.end + LONGEST_BLOCK)
    for start, stop in _after(text, span.end):
        if start + len(text[start:stop].rstrip()) > end or directs(text[start:stop]):
            return Span(span.start, min(start, end))
    return Span(span.start, end)


def _continued(text: str, span: Span) -> Span:
    """With the next sentences of its paragraph, as long as all of it is short."""
    end = span.end
    for start, stop in _after(text, span.end):
        before, long = text[span.start : start], len(text[span.start : stop].rstrip()) > SHORT
        if long or "\n" in before[len(before.rstrip()) :] or directs(text[start:stop]):
            break
        end = stop
    return Span(span.start, end)


def _after(text: str, position: int) -> Iterator[Span]:
    """The sentences from there on, where one ends there."""
    following = [span for span in split(text) if span.start >= position]
    if following and not text[position : following[0].start].strip():
        yield from following


def _joined(found: Sequence[tuple[Piece, Span]]) -> list[tuple[Piece, Span]]:
    """What touches becomes one, in the place of the better."""
    joined: list[tuple[Piece, Span]] = []
    for piece, span in found:
        place = len(joined)
        for other in [one for one in joined if one[0] is piece and _touch(one[1], span)]:
            place = min(place, joined.index(other))
            span = Span(min(span.start, other[1].start), max(span.end, other[1].end))
            joined.remove(other)
        joined.insert(place, (piece, span))
    return joined


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _trimmed(text: str, span: Span) -> Span:
    quote = text[span.start : span.end]
    start = span.start + len(quote) - len(quote.lstrip())
    end = max(start, span.end - (len(quote) - len(quote.rstrip())))
    marker = _MARKER.match(text, start, end)
    one_line = "\n" not in text[start:end]
    return Span(marker.end() if marker and one_line else start, end)
