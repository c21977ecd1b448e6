"""Whether what was found can support an answer, judged before one is written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag.answering import Evidence, Grounding, Outcome, Sentence, Verdict
from rag.errors import GenerationFailed, GroundingFailed
from rag.model import Excerpt, Question
from rag.ports import Judge
from rag.query.directs import directs
from rag.query.evidence import MOST_EXCERPTS, logit
from rag.query.gaps import Gaps, gaps
from rag.query.lexical import coverage, title_terms
from rag.query.support import links
from rag.terms import terms

# Below this nothing is answered; nor below the next, where something is in no document at all.
HOPELESS, DOUBTFUL = 0.1, 0.4
# From here on it is an answer, if no more than this share of the question is missing.
GOOD, MISSING = 0.5, 0.25
# Where only a second judge can tell, and none does, strict callers are told so.
UNSURE = (HOPELESS, 0.6)
RELEVANT = 0.5
# What a question that names nothing has of the names.
NAMELESS = 0.8
# What a verdict says as a score.
VERDICTS: Mapping[str, float] = {"yes": 0.9, "partly": 0.5, "no": 0.1}

CLOSE = "What was found comes close, but may not answer this."
NOTHING = "Nothing was found that answers this."


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each feature of the best sentence speaks for an answer."""

    name: str
    bias: float
    features: Mapping[str, float]

    def score(self, features: Mapping[str, float]) -> float:
        value = self.bias + sum(weight * features[name] for name, weight in self.features.items())
        return 1 / (1 + math.exp(-value))


# `python -m eval.grounding FOLDER --fit` makes these.
STATES = Weights(
    "states", -6.46, {"closeness": 4.53, "alone": 4.38, "coverage": 0.97, "names": 0.94}
)
WORDS = Weights("words", -0.77, {"score": 0.45, "names": 1.05})


def ground(
    question: Question,
    excerpts: Sequence[Excerpt],
    evidence: Evidence,
    judge: Judge | None = None,
    *,
    strict: bool = False,
    asked: Question | None = None,
) -> Grounding:
    """Judge by the evidence, and by a second judge where there is one and it answers. Of a question
    that brings a text with it, only a part is `asked`: nothing else can be missing.

    Raises GroundingFailed where that one fails, a verdict is needed, and the evidence leaves it
    open."""
    missing = gaps(asked or question, evidence)
    if not evidence.sentences:
        return Grounding("abstain", 0.0, _relevant(excerpts, ()), missing.words or (NOTHING,))
    best = evidence.sentences[0]
    weights = STATES if best.alone is not None else WORDS
    score = weights.score(features(question, excerpts, best))
    judges = [weights.name]
    verdict = None
    if judge is not None:
        try:
            verdict = judge.judge(question.text, _texts(excerpts))
        except GenerationFailed as failed:
            if strict and UNSURE[0] <= score < UNSURE[1]:
                raise GroundingFailed(
                    "Whether the documents hold the answer could not be judged."
                ) from failed
        else:
            verdict = replace(verdict, missing=_related(question, verdict.missing))
            score = _both(score, VERDICTS[verdict.answerable])
            judges.append(judge.name)
    outcome = _outcome(score, missing, verdict)
    if asked is not None and missing.nowhere and missing.share == 1:
        outcome = "abstain"  # what was found is close to the text, and not to what is asked
    return Grounding(
        outcome,
        score,
        _relevant(excerpts, evidence.sentences if outcome != "abstain" else ()),
        _words(outcome, missing, verdict),
        evidence.sentences,
        tuple(judges),
    )


def features(question: Question, excerpts: Sequence[Excerpt], best: Sentence) -> dict[str, float]:
    """What the best sentence and its excerpt have of the question."""
    excerpt = excerpts[best.excerpt]
    said = {term.text for term in terms(excerpt.text, question.weights)} | title_terms(excerpt)
    named = {term: question.weights[term] for term in _named(question)}
    found = {
        "closeness": best.closeness,
        "score": logit(excerpt.score),
        "coverage": coverage(question.weights, said),
        "names": coverage(named, said) if any(named.values()) else NAMELESS,
    }
    return found if best.alone is None else {**found, "alone": best.alone}


def _named(question: Question) -> set[str]:
    """The terms that name something: written with a capital, though not at the start, or with
    nothing but capitals, or with a digit."""
    named = set()
    for term in question.terms:
        word = question.text[term.span.start : term.span.end]
        capital = word[0].isupper() and (term.span.start > 0 or (len(word) > 1 and word.isupper()))
        if capital or any(map(str.isdigit, word)):
            named.add(term.text)
    return named


def _texts(excerpts: Sequence[Excerpt]) -> list[str]:
    return [f"{one.document.title}\n{one.text_in_context}" for one in excerpts[:MOST_EXCERPTS]]


def _related(question: Question, missing: Sequence[str]) -> tuple[str, ...]:
    """Those that are about what was asked: a judge may repeat what a document has told it to, and
    from here it goes to the writer and to the caller."""
    asked = {term.text for term in question.terms}
    return tuple(
        one
        for one in missing
        if (said := {term.text for term in terms(one)})
        and len(said & asked) * 2 >= len(said)
        and not (links(one) or directs(one))
    )


def _both(one: float, other: float) -> float:
    """Two scores in one: the mean of their logits."""
    return 1 / (1 + math.exp(-(logit(one) + logit(other)) / 2))


def _outcome(score: float, missing: Gaps, verdict: Verdict | None) -> Outcome:
    """A second judge may take away from an answer; what words show to be missing stays missing."""
    denied = verdict is not None and verdict.answerable == "no"
    if score < HOPELESS or (score < DOUBTFUL and (missing.nowhere or denied)):
        return "abstain"
    lacking = missing.nowhere or missing.unanswered or missing.uncounted
    whole = not lacking and missing.share < MISSING
    agreed = verdict is None or (verdict.answerable == "yes" and not verdict.missing)
    return "answer" if score >= GOOD and whole and agreed else "partial"


def _words(outcome: Outcome, missing: Gaps, verdict: Verdict | None) -> tuple[str, ...]:
    """What is missing; something always is where the answer is not whole."""
    if outcome == "answer":
        return ()
    told = [*missing.words, *(f"Not said: {one}." for one in (verdict.missing if verdict else ()))]
    return tuple(told) or (CLOSE if outcome == "partial" else NOTHING,)


def _relevant(excerpts: Sequence[Excerpt], sentences: Sequence[Sentence]) -> tuple[int, ...]:
    """Those with the best sentence, with a high score, or with one of the other sentences and a
    score that is not hopeless: of few documents, all have some of the best sentences."""
    best = {sentence.excerpt for sentence in sentences[:1]}
    others = {sentence.excerpt for sentence in sentences}
    return tuple(
        number
        for number, excerpt in enumerate(excerpts)
        if number in best or excerpt.score >= (HOPELESS if number in others else RELEVANT)
    )
