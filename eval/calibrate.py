"""`python -m eval.calibrate FOLDER…`: what the values of the embedding model mean as relevance.

Reads labelled pairs of questions and documents (BEIR's layout or SQuAD's) and prints the
calibration to keep beside the model. Relevant and irrelevant weigh the same, so that 0.5 is where
they are equally likely. More than one collection is better: the questions of one are the unrelated
questions of the others.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from eval import logistic
from eval.beir import Collection
from eval.corpus import ingested, load
from rag.access import queryable, within
from rag.calibration import Calibration, Scale
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Condition, Where
from rag.query.fuse import fuse
from rag.query.rerank import DEPTH, read
from rag.query.retrieve import retrieve

SMALL_CORPORA = (1, 3, 10, 30)
QUESTIONS = 150  # of each kind; more change nothing
PROBABLY_IRRELEVANT = slice(5, 30)


@dataclass(frozen=True, slots=True)
class Sample:
    """A chunk and a question: what the pipeline knows of them, and whether they belong together."""

    path: str
    cosine: float
    words: float
    closeness: float
    terms: int
    total: int

    @property
    def fused(self) -> float:
        return self.cosine + self.words


@dataclass(frozen=True, slots=True)
class Labelled:
    """Samples of one kind, which together weigh as much as those of any other kind."""

    relevant: bool
    samples: list[Sample]


def main(arguments: Sequence[str]) -> int:
    """Print a calibration."""
    parser = argparse.ArgumentParser(prog="python -m eval.calibrate", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path, help="where to keep the indexes for the next run")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        corpora = []
        for folder in options.folders:
            collection = load(folder)
            corpora.append(Corpus(ingested(stack, collection, options.keep), collection))
        groups = [group for corpus in corpora for group in corpus.labelled()]
        groups += [one.unrelated(other) for one in corpora for other in corpora if one is not other]
    print(fitted(corpora[0].calibration, groups))
    return 0


class Corpus:
    """An ingested collection that can be asked under the pipeline's own stages."""

    def __init__(self, footnote: Footnote, collection: Collection) -> None:
        self._querying = footnote.querying
        self._collection = collection
        self._ids = {one.path: one.id for one in footnote.documents.all(LOCAL_OWNER.org)}
        self._random = random.Random(collection.name)
        # Where titles name topics, several articles have the same.
        titles = {article.id: article.title for article in collection.articles}
        self._topics = titles if len(set(titles.values())) < len(titles) / 2 else {}
        self.calibration = footnote.parts.embedder.calibration

    def labelled(self) -> Iterator[Labelled]:
        """Pairs of this collection: in all of it, and in small parts of it."""
        relevant = self._collection.relevant
        asked = {id: self.ask(query) for id, query in self._some_queries().items()}
        pairs = [(s, s.path in relevant[id]) for id, found in asked.items() for s in found]
        later = [
            (s, s.path in relevant[id])
            for id, found in asked.items()
            for s in found[PROBABLY_IRRELEVANT]
        ]
        yield Labelled(True, [sample for sample, is_relevant in pairs if is_relevant])
        yield Labelled(False, [sample for sample, is_relevant in later if not is_relevant])
        if self._topics:
            yield Labelled(False, [one for one in self._beside_the_topic() if one is not None])
        for size in SMALL_CORPORA:
            hits, misses = [], []
            for id, query in self._some_queries().items():
                gold = self._random.choice(sorted(relevant[id]))
                rest = self._random.sample(sorted(self._ids.keys() - relevant[id].keys()), size)
                hits += [s for s in self.ask(query, [gold, *rest[1:]]) if s.path == gold]
                misses += self.ask(query, rest)[:1]
            yield Labelled(True, hits)
            yield Labelled(False, misses)

    def _beside_the_topic(self) -> Iterator[Sample | None]:
        """The best that is left for a question when all articles on its topic are taken out."""
        for id, query in self._some_queries().items():
            topics = {self._topics[path] for path in self._collection.relevant[id]}
            others = [path for path, topic in self._topics.items() if topic not in topics]
            yield next(iter(self.ask(query, others)), None)

    def unrelated(self, other: Corpus) -> Labelled:
        """The best that this collection has for the questions of another one."""
        best = [self.ask(query)[:1] for query in other._some_queries().values()]
        return Labelled(False, [sample for samples in best for sample in samples])

    def ask(self, query: str, paths: Sequence[str] | None = None) -> list[Sample]:
        """What the pipeline knows of the best chunks for a query, among all or some documents."""
        where: Where = ()
        if paths is not None:
            where = (Condition("document", frozenset(self._ids[path] for path in paths)),)
        org, querying = LOCAL_OWNER.org, self._querying
        documents, index, known = querying.documents, querying.index, self.calibration
        visible = within(queryable(LOCAL_OWNER, querying.sources.all(org)), where)
        question, candidates, _ = retrieve(documents, index, querying.embedder, org, query, visible)
        best = fuse(index, org, question.embedding.vector, candidates, known, DEPTH)
        found = read(documents, org, question, best, known)
        closeness = querying.reranker.rerank(question, [excerpt for _, excerpt in found])
        terms = len(question.weights)
        return [
            Sample(one.document.path, one.cosine, one.words, close, terms, question.total)
            for (one, _), close in zip(found, closeness, strict=True)
        ]

    def _some_queries(self) -> dict[str, str]:
        queries = self._collection.queries
        some = self._random.sample(sorted(queries), min(QUESTIONS, len(queries)))
        return {id: queries[id] for id in some}


def fitted(known: Calibration, groups: Sequence[Labelled]) -> Calibration:
    """The calibration under which the labels are most likely."""
    good = [sample for group in groups if group.relevant for sample in group.samples]
    slope, base = np.polyfit([s.fused for s in good], [s.closeness for s in good], 1)
    likely = replace(known, likely_closeness=(round(float(base), 2), round(float(slope), 2)))
    return replace(
        likely,
        fused=_scale(groups, lambda s: s.fused),
        reranked=_scale(groups, lambda s: likely.joined(s.cosine, s.words, s.closeness, s.terms)),
    )


def _scale(groups: Sequence[Labelled], value: Callable[[Sample], float]) -> Scale:
    """Logistic regression on a value and the size of its corpus."""
    rows, labels, weights = [], [], []
    for group in groups:
        alike = sum(other.relevant == group.relevant for other in groups)
        for sample in group.samples:
            rows.append([value(sample), math.log10(max(sample.total, 1))])
            labels.append(float(group.relevant))
            weights.append(1 / (alike * len(group.samples)))
    solution = logistic.fit(np.array(rows), np.array(labels), np.array(weights))
    bias, slope, size = (float(one) for one in solution)
    return Scale(round(slope, 2), round(-bias / slope, 3), round(-size / slope, 3))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
