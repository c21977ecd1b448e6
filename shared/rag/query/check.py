"""An answer that is held against its sources sentence by sentence, while it is being written."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag import timing
from rag.answering import SELECTED, Answered, Citation, Grounding, Piece, Said
from rag.model import Notice, Span, Usage
from rag.query.arriving import Arriving
from rag.query.directs import directs
from rag.query.quote import written
from rag.query.support import CLOSE, Asked, Reason, Source, Support, beyond, obeys, support
from rag.sentences import is_heading, sentences

REASONS: dict[Reason, str] = {
    "obeys": "it follows an order that stands in a source",
    "link": "it has a link that no source has",
    "number": "it has a number that its sources lack",
    "name": "it has a name that its sources lack",
    "negation": "its source says the opposite",
    "unsupported": "its sources do not say it",
    "unrelated": "what it is taken from has nothing to do with the question",
}
# What is left out even where the caller takes unsupported sentences with a warning: it may carry
# somebody else's will, or what is known here to somebody else.
NEVER_SENT: frozenset[Reason] = frozenset(["obeys", "link"])
# What must not be held against a sentence that says next to nothing, one that says that nothing is
# known, and a heading.
_WAIVED_FOR_LITTLE: frozenset[Reason] = frozenset(["unsupported"])
_WAIVED: frozenset[Reason] = _WAIVED_FOR_LITTLE.union(("unrelated", "negation"))
_WAIVED_FOR_HEADINGS: frozenset[Reason] = _WAIVED.union(("name", "number"))
# A sentence with fewer terms beyond the question's, such as "Yes", need not be in a source.
LEAST, LEAST_STRICTLY = 2, 1
# Nor one that says that nothing is known, nor a heading, unless it has so many of them: then it
# says something else as well.
MOST_UNHELD = 5
_MOST_NAMED = 3
_LONGEST_NAMED = 120

# "[1](…)" is no marker, but a link.
_MARKERS = re.compile(r"[^\S\n]?(?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\](?!\())+")
_NUMBER = re.compile(r"\d+")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_TELL = (
    r"(?:say|mention|state|specify|tell|contain|provide|give|answer|include|indicate|cover|address"
    r"|describe|have)"
)
_UNKNOWN = re.compile(
    r"\b(?:documents?|sources?|context|texts?|passages?|excerpts?|material|information|they)"
    rf" (?:\w+ )?(?:do|does|did)(?: not|n['’]t) {_TELL}\b"
    r"|\b(?:cannot|can['’]t|could not|couldn['’]t) (?:find|answer|tell|say)\b"
    r"|\b(?:do not|don['’]t) know\b|\bno (?:information|mention|answer|context)\b"
    r"|\bnot (?:mentioned|stated|specified|answered|known|found)\b"
    r"|\bnothing (?:is |was )?(?:said|found|known|about)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A sentence of the answer as it may be sent, and what became of its check."""

    text: str
    after: str  # the white space between it and the next
    checked: bool
    reasons: tuple[Reason, ...]
    cites: tuple[int, ...]
    best: Mapping[int, Span]  # of each source that holds it, the sentence that it is from

    @property
    def good(self) -> bool:
        return self.checked and not self.reasons

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(REASONS[reason] for reason in self.reasons)


class Checked:
    """Takes an answer in pieces and gives what may be sent of it.

    Nothing is sent before a sentence has been found in the sources: where there is none, the
    answer is not the writer's but quotations.
    """

    def __init__(
        self,
        query: str,
        pieces: Sequence[Piece],
        grounding: Grounding,
        quoted: Sequence[Citation],
        strict: bool,
    ) -> None:
        close = [one.text for one in grounding.sentences if one.closeness >= CLOSE]
        # What was selected is what is asked about, except for orders that it may give.
        selected = [told for piece in pieces if piece.n == SELECTED for told in _told(piece)]
        self._asked = Asked(query, close + selected)
        self._sources = {piece.n: Source(piece, self._asked) for piece in pieces}
        self._grounding = grounding
        self._quoted = quoted
        self._strict = strict
        self._least = LEAST_STRICTLY if strict else LEAST
        self._arriving = Arriving()
        self._gap = ""
        self._judged: list[_Judged] = []
        self._held: list[_Judged] = []
        self._begun = False
        self.text = ""
        self._citations: list[Citation] = []

    def feed(self, piece: str) -> Iterator[Said]:
        """What may be sent now that this piece is there as well."""
        for sentence in self._arriving.feed(piece):
            yield from self._taken(sentence)

    def rest(self) -> Iterator[Said]:
        """What may be sent now that all is there."""
        for sentence in self._arriving.rest():
            yield from self._taken(sentence)
        if not self._begun:
            yield from self._sent() if self._knows_nothing else map(_left_out, self._held)

    def answered(self, model: str, usage: Usage) -> Answered:
        """The whole of what was sent; or quotations, where that is nothing."""
        if not self.text:
            return written(self._quoted, self._grounding, usage, tuple(self._notices()))
        checked = [one for one in self._judged if one.checked]
        share = sum(one.good for one in checked) / len(checked) if checked else 0.0
        return Answered(
            text=self.text,
            citations=tuple(self._citations),
            confidence=self._grounding.score * share,
            model=model,
            usage=usage,
            notices=tuple(self._notices()),
        )

    @property
    def unsupported(self) -> int:
        """How many of the sentences so far are not held by their sources."""
        return sum(bool(one.reasons) for one in self._judged)

    @property
    def misled(self) -> bool:
        """Whether orders of a source may have been followed: a sentence is from one, or there are
        some and nothing is from what the sources tell."""
        obeyed = any("obeys" in one.reasons for one in self._judged)
        return obeyed or (
            not self._begun and any(one.gives_orders for one in self._sources.values())
        )

    @property
    def harmless(self) -> str:
        """What was written but for what follows orders; nothing where that may be all of it."""
        kept = (one for one in self._judged if self._begun and "obeys" not in one.reasons)
        return "".join(one.text + one.after for one in kept).strip()

    @property
    def _knows_nothing(self) -> bool:
        """The writer says that the sources do not tell, and says nothing else."""
        kept = [one for one in self._held if not one.checked]
        return len(kept) == len(self._held) and any(_UNKNOWN.search(one.text) for one in kept)

    def _taken(self, sentence: str) -> Iterator[Said]:
        if not sentence.strip():
            return
        timing.check()  # a writer may have sent very many of them at once
        one = self._judge(sentence)
        self._judged.append(one)
        self._held.append(one)
        self._begun = self._begun or one.good
        if self._begun:
            yield from self._sent()

    def _sent(self) -> Iterator[Said]:
        held, self._held = self._held, []
        for one in held:
            yield self._said(one)

    def _said(self, one: _Judged) -> Said:
        if not self._keeps(one):
            self._gap = max(self._gap, one.after, key=lambda gap: gap.count("\n"))
            return _left_out(one)
        before = self._gap if self.text else ""
        start = len(self.text) + len(before)
        place = Span(start, start + len(one.text))
        used = tuple(self._sources[n].piece.cited(one.best[n], place) for n in one.best)
        self.text += before + one.text
        self._citations += used
        self._gap = one.after
        return Said(before + one.text, True, used, one.words)

    def _keeps(self, one: _Judged) -> bool:
        refused = self._strict or not NEVER_SENT.isdisjoint(one.reasons)
        return bool(one.text) and not (refused and one.reasons)

    def _judge(self, sentence: str) -> _Judged:
        text, cites = _marked(sentence.strip(), self._sources)
        bare, _ = _marked(text, ())
        found = self._support(bare, cites)
        against = found.reasons
        if obeys(bare, self._sources.values(), self._asked):
            against = ("obeys", *against)
        waived = self._waived(bare)
        reasons = tuple(reason for reason in against if reason not in waived)
        checked = bool(reasons) or not (against or self._says_nothing(bare))
        good = checked and not reasons
        after = sentence[len(sentence.rstrip()) :]
        shown = self._sources.keys() - {SELECTED}
        # Also one without a marker is from somewhere: from where it was found.
        best = {n: place for n, place in found.best.items() if good and n in shown}
        return _Judged(_marked(text, shown)[0], after, checked, reasons, cites, best)

    def _waived(self, sentence: str) -> frozenset[Reason]:
        if self._says_nothing(sentence):
            return _WAIVED_FOR_HEADINGS if is_heading(sentence) else _WAIVED
        little = beyond(sentence, self._asked) < self._least
        return _WAIVED_FOR_LITTLE if little else frozenset()

    def _says_nothing(self, sentence: str) -> bool:
        """Whether it is a heading or says that nothing is known, and hardly anything besides."""
        rest = _UNKNOWN.sub(" ", sentence)
        return (is_heading(sentence) or rest != sentence) and (
            beyond(rest, self._asked) < MOST_UNHELD
        )

    def _support(self, sentence: str, cites: Sequence[int]) -> Support:
        if cites:
            return support(sentence, [self._sources[n] for n in cites], self._asked)
        # It does not say which of them it is from: one must hold it all.
        of_each = [support(sentence, [one], self._asked) for one in self._sources.values()]
        nothing = support(sentence, [], self._asked)
        return min(of_each, key=lambda one: (len(one.reasons), -one.coverage), default=nothing)

    def _notices(self) -> Iterator[Notice]:
        if any(one.good for one in self._judged):
            if against := [one for one in self._judged if one.reasons]:
                yield Notice("NOT_GROUNDED", self._not_grounded(against))
        elif not self.text:
            if not any(one.cites for one in self._judged):
                yield Notice("CONTEXT_IGNORED", "The language model did not use what was found.")
            yield Notice(
                "NOT_GROUNDED",
                "Nothing that the language model wrote is in the sources; they are quoted instead.",
            )

    def _not_grounded(self, against: Sequence[_Judged]) -> str:
        named = "; ".join(map(self._named, against[:_MOST_NAMED]))
        count = f"{len(against)} of {len(self._judged)} sentences"
        return f"The sources do not hold {count} of the answer. {named}."

    def _named(self, one: _Judged) -> str:
        # What is never sent is not sent as an example either.
        shown = NEVER_SENT.isdisjoint(one.reasons)
        sentence = f"“{one.text[:_LONGEST_NAMED]}”" if shown else "A sentence"
        left_out = "" if self._keeps(one) else " (left out)"
        return f"{sentence}{left_out}: {', '.join(one.words)}"


def _told(piece: Piece) -> Iterator[str]:
    for paragraph in _PARAGRAPHS.split(piece.text):
        # Of an order, what it wants to be said may be a sentence of its own.
        if not directs(paragraph):
            yield from (paragraph[start:end] for start, end in sentences(paragraph))


def _left_out(one: _Judged) -> Said:
    return Said(one.text, False, reasons=one.words)


def _marked(text: str, known: Container[int]) -> tuple[str, tuple[int, ...]]:
    """The text without markers of sources that there are not, and those that it has."""
    cites: list[int] = []

    def mended(marker: re.Match[str]) -> str:
        if text.count("`", 0, marker.start()) % 2:  # code, and no marker
            return marker.group()
        there = [n for n in map(int, _NUMBER.findall(marker.group())) if n in known]
        cites.extend(there)
        space = marker.group()[: marker.group().index("[")]
        return space + "".join(f"[{n}]" for n in there) if there else ""

    return _MARKERS.sub(mended, text).strip(), tuple(dict.fromkeys(cites))
