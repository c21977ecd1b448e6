"""What a question asks that nothing found says, in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import NamedTuple

from rag.answering import Evidence, Sentence
from rag.model import Question, Span, Term
from rag.query.numbers import numbers
from rag.terms import terms

# As cosines of word states: below this no word found means a term of the question…
NOWHERE = 0.6
# …and below this none of one sentence, with its heading and title, comes near it.
NOT_THERE = 0.5

NO_NUMBER = "Nothing found gives the number."
# Where a number is looked for: among what may be quoted.
MOST_QUOTED = 3

# What questions are asked with: an answer need not say it again.
_ASKING = """much many long often soon far old large big high happen mean use need give kind type
    sort name call work way thing reason manage make do get take set may must can one new answer
    question year date time cost price"""
# What only a number answers, and what else may stand for one.
_COUNTING = re.compile(r"\bhow many\b|\b(?:what|which) (?:year|percentage)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\b(?:hundred|thousand|million|billion|dozen|half|both|single|once|twice|no|none|any|all"
    r"|unlimited)s?\b",
    re.IGNORECASE,
)
# Where another question begins.
_NEXT_QUESTION = re.compile(
    r"[?？]\s*+(?=\S)"
    r"|[,;]?(?<!\s)\s++(?:and|und|et)\s++(?=(?:who|whom|whose|what|when|where|why|how|which|"
    r"wer|wie|was|wann|wo|warum|qui|que|quand|où|pourquoi|comment)\b)",
    re.IGNORECASE,
)
# Of so many questions in one, the last is all the rest.
MOST_PARTS = 8
# What may stand between terms that are missed together: "capital of Mongolia".
_BETWEEN = re.compile(
    r"[\s’'-]*(?:(?:of|the|an?|and|or|for|in|on|at|to|into|with|from|by|against)\s+){0,2}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing, as the question has it."""

    nowhere: tuple[str, ...] = ()  # in nothing that was found
    not_there: tuple[str, ...] = ()  # somewhere, but not where the answer seems to be
    unanswered: tuple[str, ...] = ()  # of several questions in one, those that nothing answers
    share: float = 0.0  # of what the question's terms tell, how much is not there
    uncounted: bool = False  # a number is asked for, and none is given

    @property
    def words(self) -> tuple[str, ...]:
        """A sentence for each kind of gap."""
        said = {
            "The documents say nothing about": self.nowhere,
            "Nothing found answers": self.unanswered,
            "Nothing found says this of": self.not_there,
        }
        told = [f"{begin} {_quoted(gaps)}." for begin, gaps in said.items() if gaps]
        return (*told, NO_NUMBER) if self.uncounted else tuple(told)


def gaps(question: Question, evidence: Evidence) -> Gaps:
    """Compare what is asked with what was found, and with the best sentence for each part."""
    asked = _content(question)
    parts = _parts(question.text, asked)
    missed: list[Term] = []
    unanswered: list[_Part] = []
    for part in parts:
        best = _best(question, part, evidence, alone=len(parts) == 1)
        of_part = [term for term in part.asked if not best or best.near[term.text] < NOT_THERE]
        missed += of_part
        if len(of_part) == len(part.asked):
            unanswered.append(part)
    if len(unanswered) == len(parts):  # then its words tell more
        unanswered = []
    told = {term for part in unanswered for term in part.asked}
    nowhere = {term for term in asked if evidence.near[term.text] < NOWHERE} - told
    return Gaps(
        tuple(_phrases(question.text, nowhere)),
        tuple(_phrases(question.text, set(missed) - nowhere - told)),
        tuple(part.text for part in unanswered),
        _share(question.weights, missed, asked),
        _uncounted(question.text, evidence.sentences[:MOST_QUOTED]),
    )


class _Part(NamedTuple):
    """One of the questions in a question."""

    text: str
    asked: list[Term]


def _content(question: Question) -> list[Term]:
    """The terms that an answer has to do with, once each, in their order."""
    spans = [term.span for term in question.terms]
    shortest = {span.start: span for span in sorted(spans, reverse=True)}
    latest = {span.end: span for span in sorted(spans)}
    # GPT-4 is gpt, 4 and gpt4: what has parts is looked for by its parts.
    whole = [
        term
        for term in question.terms
        if term.text not in _asking()
        and shortest[term.span.start] == term.span == latest[term.span.end]
    ]
    first = {term.text: term for term in reversed(whole)}
    return sorted(first.values(), key=lambda term: term.span)


def _parts(text: str, asked: Sequence[Term]) -> list[_Part]:
    """The questions in a question, each with its terms; those without any are left out."""
    joints = [match.span() for match in islice(_NEXT_QUESTION.finditer(text), MOST_PARTS - 1)]
    starts = [0, *(end for _, end in joints)]
    ends = [*(start for start, _ in joints), len(text)]
    parts = [
        _Part(
            text[start:end].strip(" ,;?？"),
            [term for term in asked if start <= term.span.start < end],
        )
        for start, end in zip(starts, ends, strict=True)
    ]
    return [part for part in parts if part.asked]


def _best(question: Question, part: _Part, evidence: Evidence, *, alone: bool) -> Sentence | None:
    """The sentence that answers: of several questions, each has its own."""
    if alone:
        return next(iter(evidence.sentences), None)
    return max(
        evidence.sentences,
        key=lambda one: sum(question.weights[t.text] * one.near[t.text] for t in part.asked),
        default=None,
    )


def _share(weights: Mapping[str, float], missed: Sequence[Term], asked: Sequence[Term]) -> float:
    whole = sum(weights[term.text] for term in asked)
    return sum(weights[term.text] for term in missed) / whole if whole else 0.0


def _uncounted(asked: str, sentences: Sequence[Sentence]) -> bool:
    """Whether a number is asked for that none of these sentences gives."""
    given = (numbers(one.text) - numbers(asked) or _AMOUNT.search(one.text) for one in sentences)
    return _COUNTING.search(asked) is not None and not any(given)


def _phrases(text: str, missed: Collection[Term]) -> Iterator[str]:
    """The terms as they are written, neighbours together."""
    spans: list[Span] = []
    for term in sorted(missed, key=lambda term: term.span):
        if spans and _go_together(text, spans[-1], term.span):
            spans[-1] = Span(spans[-1].start, term.span.end)
        else:
            spans.append(term.span)
    return (text[span.start : span.end] for span in spans)


def _go_together(text: str, one: Span, next: Span) -> bool:
    # Terms of scripts without spaces overlap: each is a pair of characters.
    overlap = next.start < one.end
    return overlap or _BETWEEN.fullmatch(text, one.end, next.start) is not None


def _quoted(phrases: Sequence[str]) -> str:
    quoted = [f"“{phrase}”" for phrase in phrases]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


@cache
def _asking() -> frozenset[str]:
    return frozenset(term.text for term in terms(_ASKING))
