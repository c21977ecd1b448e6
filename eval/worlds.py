"""Every question in every world that it can be asked in: with its paragraph, without it, without
its whole article; and those that no paragraph answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal, TypeAlias

from eval.beir import Collection
from eval.recipe import Recipe
from eval.squad import Asked
from rag.access import within
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Condition, Embedding, Found, Search
from rag.query.evidence import Embed, evidence
from rag.query.ground import features, ground
from rag.query.lexical import LexicalReranker

World: TypeAlias = Literal["answerable", "absent", "removed", "adversarial"]
WORLDS: tuple[World, ...] = ("answerable", "absent", "removed", "adversarial")
TOP_K = 10
QUOTED = 3

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a question in a world."""

    asked: Asked
    article: str
    world: World
    outcome: str
    features: Mapping[str, float]
    signals: Mapping[str, float]  # how sure each way of judging is that it can be answered
    holds: Sequence[bool]  # of the best sentences, whether each has an answer
    inside: bool = False  # whether the best sentence of its own paragraph has one
    ranks: Mapping[str, int] = field(default_factory=dict)  # of its paragraph, from 0

    @property
    def is_even(self) -> bool:
        """Which half it is in: by its paragraph's number, or by a hash where there is none."""
        number = _NUMBER.search(self.asked.paragraph)
        digest = sha256(self.asked.paragraph.encode()).hexdigest()
        return int(number[0] if number else digest, 10 if number else 16) % 2 == 0


class Asking:
    """Asks through the product's own stages."""

    def __init__(self, footnote: Footnote, collection: Collection, *, by_words: bool) -> None:
        self._querying = footnote.querying
        if by_words:
            self._querying = replace(self._querying, reranker=LexicalReranker())
        self._embed = None if by_words else _remembering(footnote.parts.embedder.embed)
        self._ids = {one.path: one.id for one in footnote.documents.all(LOCAL_OWNER.org)}
        self._articles = {one.id: one.title for one in collection.articles}
        where = footnote.seen_by(LOCAL_OWNER, lambda sources: within(sources, ()))
        self._recipe = Recipe(footnote, where)

    def everywhere(self, asked: Asked) -> Iterator[Judged]:
        """The question in each of its worlds."""
        article = self._articles[asked.paragraph]
        everything = self._ids.keys()
        found = self._found(asked.question, everything)
        recipe = self._recipe.rank(found.question)
        if not asked.answerable:
            signals = recipe.signals(everything)
            yield self._judged(asked, "adversarial", found, signals)
            return
        own = self._found(asked.question, [asked.paragraph])
        ours = [excerpt.document.path for excerpt in found.excerpts]
        orders = {name: recipe.first(name) for name in recipe.rankers} | {"ours": ours}
        yield replace(
            self._judged(asked, "answerable", found, recipe.signals(everything)),
            inside=self._holding(asked, own)[0],
            ranks={name: _place(asked.paragraph, order) for name, order in orders.items()},
        )
        others = {path for path, other in self._articles.items() if other != article}
        left = everything - {asked.paragraph}
        worlds: dict[World, set[str]] = {"absent": others, "removed": left}
        for world, paths in worlds.items():
            there = self._found(asked.question, paths)
            yield self._judged(asked, world, there, recipe.signals(paths))

    def _found(self, question: str, paths: Iterable[str]) -> Found:
        """What is found among these documents."""
        where = (Condition("document", frozenset(self._ids[path] for path in paths)),)
        return self._querying.retrieve(LOCAL_OWNER, Search(question, TOP_K, where=where))

    def _judged(
        self, asked: Asked, world: World, found: Found, signals: Mapping[str, float]
    ) -> Judged:
        seen = evidence(self._querying.reranker, self._embed, found.question, found.excerpts)
        grounding = ground(found.question, found.excerpts, seen)
        known = features(found.question, found.excerpts, seen.sentences[0])
        return Judged(
            asked,
            self._articles[asked.paragraph],
            world,
            grounding.outcome,
            known,
            {**signals, "top score": found.excerpts[0].score, "groundingScore": grounding.score},
            [_holds(asked, one.text) for one in seen.sentences[:QUOTED]],
        )

    def _holding(self, asked: Asked, found: Found) -> list[bool]:
        seen = evidence(self._querying.reranker, self._embed, found.question, found.excerpts)
        return [_holds(asked, one.text) for one in seen.sentences] or [False]


def _remembering(embed: Embed) -> Embed:
    """The same sentences come up for many questions."""
    known: dict[str, Embedding] = {}

    def embedded(texts: Sequence[str]) -> list[Embedding]:
        new = [text for text in texts if text not in known]
        known.update(zip(new, embed(new), strict=True))
        return [known[text] for text in texts]

    return embedded


def _holds(asked: Asked, sentence: str) -> bool:
    said = _plain(sentence)
    return any(_plain(answer) in said for answer in asked.answers)


def _plain(text: str) -> str:
    """Just the words, with a space at both ends."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _place(path: str, order: Sequence[str]) -> int:
    return order.index(path) if path in order else len(order)
