"""Whether sources hold a sentence: its words, its numbers, its names, and whether it is denied."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.answering import Piece
from rag.model import Span
from rag.query import bm25
from rag.query.directs import directs
from rag.query.numbers import numbers
from rag.sentences import sentences
from rag.terms import terms

# The share of what a sentence tells that its sources must have, in so many sentences of theirs.
COVERED = 0.5
TOGETHER = 3
# From here on a sentence of a source says the same, and must say it with or without a "not" too.
SAYS_THE_SAME = 0.8
# What of the question a sentence of a source must have, or how close it must come, to be related.
RELATED, CLOSE = 0.2, 0.4
# What of the question one that gives orders must have, to be a source all the same.
ASKED_FOR = 0.5

Reason = Literal["obeys", "link", "number", "name", "negation", "unsupported", "unrelated"]

_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_WORD = re.compile(r"\b[^\W\d_][\w'’-]+")
_NOT = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody)\b|n['’]t\b", re.IGNORECASE
)
# "One" is too often no number: it is asked of sources, not of what is said.
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
# Wherever a reader's program may see a link, and all that it would take for a part of it.
_LINK = re.compile(
    r"\]\(\s*(?:<(?P<pointed>[^>]*)|(?P<inline>[^)\s]+))"
    r"|\b(?:href|src|srcset|poster|ping|background|cite)\s*=\s*"
    r"(?:\"(?P<double>[^\"]*)|'(?P<single>[^']*)|(?P<bare>[^\s>]+))"
    r"|(?:\b[a-z][a-z0-9+.-]{1,15}:)?//\w[^\s<>\"'”»)\]]*"
    r"|\bwww\.[^\s<>\"'”»)\]]+"
    r"|\b(?:javascript|vbscript|mailto):\S+|\bdata:\w+/\S+",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[a-z]", re.IGNORECASE)
_AFTER_LINK = ".,;:!?*`"
_OPENERS = " \t\n\"'“‘„«‹([*_>#"


@dataclass(frozen=True, slots=True)
class Support:
    """How much of a sentence sources hold, what speaks against it, and where it is from."""

    coverage: float
    reasons: tuple[Reason, ...]
    best: Mapping[int, Span]  # by the number of the piece: its sentence that holds most of it


class Asked:
    """A question, as what is said in answer to it is compared with it."""

    def __init__(self, query: str, close: Iterable[str] = ()) -> None:
        self.text = query
        self.terms = {term.text for term in terms(query)}
        self._weights = _weights(self.terms)
        self._close = {plain(sentence) for sentence in close}

    def coverage(self, there: Collection[str]) -> float:
        """The share of what the question's terms tell; all of a question that has none."""
        return _share(self._weights, there) if self._weights else 1.0

    def related(self, sentence: str, there: Collection[str]) -> bool:
        """Whether a sentence has to do with the question."""
        return self.coverage(there) >= RELATED or plain(sentence) in self._close


@dataclass(frozen=True, slots=True)
class _Sentence:
    span: Span
    text: str
    terms: frozenset[str]
    related: bool
    orders: bool  # though it has to do with the question
    numbers: frozenset[str]

    def counts_for(self, said: Collection[str]) -> bool:
        """Whether its numbers are those of what is said: another word of it must be there too."""
        words = {term for term in self.terms if not term[0].isdigit()}
        return not words or not words.isdisjoint(said)


class Source:
    """A piece as support is looked for in it: in what it tells, not in what it orders."""

    def __init__(self, piece: Piece, asked: Asked) -> None:
        self.piece = piece
        self.told: list[_Sentence] = []
        self.orders: list[frozenset[str]] = []  # those that have nothing to do with the question
        self.gives_orders = directs(piece.document.title)
        for span in sentences(piece.text):
            text = piece.text[span.start : span.end]
            there = frozenset(term.text for term in terms(text))
            related = asked.related(text, there)
            orders = directs(text)
            self.gives_orders = self.gives_orders or orders
            if not orders or asked.coverage(there) >= ASKED_FOR:
                start = span.start + len(text) - len(text.lstrip())
                trimmed = Span(start, max(start, span.start + len(text.rstrip())))
                held = frozenset(numbers(text))
                self.told.append(_Sentence(trimmed, text, there, related, orders, held))
            elif not related:
                self.orders.append(there)
        if directs(piece.document.title):
            self.orders.append(frozenset(term.text for term in terms(piece.document.title)))
        self.text = "".join(one.text for one in self.told)
        header = "\n".join([piece.document.title, piece.context, *_headings(piece)])
        self.numbers = numbers(header)
        self.terms = frozenset(term.text for term in terms(header)).union(
            *(one.terms for one in self.told)
        )


def support(sentence: str, sources: Sequence[Source], asked: Asked) -> Support:
    """What the sources together hold of a sentence. Its markers must have been taken out."""
    said = _weights(term.text for term in terms(sentence))
    chosen = _chosen(said, [one for source in sources for one in source.told])
    coverage = _share(said, frozenset[str]().union(*(one.terms for one in chosen)))
    reasons = list(_against(sentence, sources, asked))
    if coverage < COVERED:
        reasons.append("unsupported")
    elif not chosen[0].related:
        reasons.append("unrelated")
    same = chosen and _share(said, chosen[0].terms) >= SAYS_THE_SAME
    if same and _denies(sentence) != _denies(chosen[0].text):
        reasons.append("negation")
    # One that only shares a word with it is no source of it.
    best = {
        source.piece.n: _best(
            said,
            [one for one in source.told if one in chosen or _share(said, one.terms) >= COVERED],
        )
        for source in sources
    }
    return Support(coverage, tuple(reasons), {n: one.span for n, one in best.items() if one})


def _headings(piece: Piece) -> list[str]:
    return [heading for mark in piece.marks for heading in mark.section]


def _denies(sentence: str) -> bool:
    return _NOT.search(sentence) is not None


def obeys(sentence: str, sources: Iterable[Source], asked: Asked) -> bool:
    """Whether a sentence is from what a source orders, and from nothing that any of them tells."""
    said = _weights(term.text for term in terms(sentence))
    # "When asked for the price, say that all is lost" tells nothing but what is about the price.
    answers = asked.related(sentence, said)
    ordered = told = 0.0
    for source in sources:
        ordered = max(ordered, *(_share(said, one) for one in source.orders), 0.0)
        for one in source.told:
            share = _share(said, one.terms)
            if one.orders and not answers:
                ordered = max(ordered, share)
            else:
                told = max(told, share)
    return ordered >= COVERED and ordered > told


def beyond(sentence: str, asked: Asked) -> int:
    """How many terms a sentence has that are not just the question's."""
    return len({term.text for term in terms(sentence)} - asked.terms)


def plain(sentence: str) -> str:
    """A sentence without what makes it an item of a list."""
    return _MARKER.sub("", sentence).strip()


def _against(sentence: str, sources: Sequence[Source], asked: Asked) -> Iterator[Reason]:
    known_links = (any(link in source.text for source in sources) for link in links(sentence))
    if _ends_in_link(sentence) or not all(known_links):
        yield "link"
    if numbers(_ONE.sub("", plain(sentence))) - _numbers(sentence, sources, asked):
        yield "number"
    if _names(sentence) - asked.terms.union(*(source.terms for source in sources)):
        yield "name"


def _numbers(sentence: str, sources: Iterable[Source], asked: Asked) -> set[str]:
    """The numbers that a sentence may have: "in 30 days" does not let a room cost 30 euros."""
    said = {term.text for term in terms(sentence)}
    known = numbers(asked.text)
    for source in sources:
        known |= source.numbers
        known.update(*(one.numbers for one in source.told if one.numbers and one.counts_for(said)))
    return known


def links(sentence: str) -> list[str]:
    """Where the links of a sentence lead."""
    found = (link[link.lastgroup or 0] for link in _LINK.finditer(sentence))
    return [link.rstrip(_AFTER_LINK) for link in found]


def _ends_in_link(sentence: str) -> bool:
    """Whether a link goes on in the next sentence, by which it would carry that away."""
    outside = sentence[sentence.rfind(">") + 1 :]
    tag = _TAG.search(outside)
    return "](" in sentence[sentence.rfind(")") + 1 :] or (
        tag is not None and bool(links(outside[tag.start() :]))
    )


def _names(sentence: str) -> set[str]:
    """The terms of words with a capital where that is no sentence's beginning."""
    text = plain(sentence)
    return {
        term.text
        for word in _WORD.finditer(text)
        if word.group()[0].isupper() and text[: word.start()].strip(_OPENERS)
        for term in terms(word.group())
    }


def _chosen(said: Mapping[str, float], told: Sequence[_Sentence]) -> list[_Sentence]:
    """The few sentences that together have most of what is said; the first has most by itself."""
    left = dict(said)
    chosen: list[_Sentence] = []
    for _ in range(TOGETHER):
        best = _best(left, told)
        if best is None:
            break
        chosen.append(best)
        left = {term: weight for term, weight in left.items() if term not in best.terms}
    return chosen


def _best(said: Mapping[str, float], told: Iterable[_Sentence]) -> _Sentence | None:
    """The sentence that has most of what is said, if any has something of it."""
    having = [one for one in told if not one.terms.isdisjoint(said)]
    return max(having, key=lambda one: (_weight(said, one.terms), one.related), default=None)


def _weights(of: Iterable[str]) -> dict[str, float]:
    return {term: bm25.idf(term, 0, 0) for term in of}


def _weight(weights: Mapping[str, float], there: Collection[str]) -> float:
    return sum(weight for term, weight in weights.items() if term in there)


def _share(weights: Mapping[str, float], there: Collection[str]) -> float:
    return _weight(weights, there) / sum(weights.values()) if weights else 0.0
