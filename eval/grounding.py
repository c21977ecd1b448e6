"""`python -m eval.grounding FOLDER`: whether it is known before answering what can be answered.

FOLDER holds paragraphs and questions in SQuAD's way. Every answerable question is also asked where
its paragraph, and where its whole article, has been taken out. Weights are fitted on the paragraphs
with an even number; tables are of the others, unless they say otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from eval import logistic
from eval.corpus import ingested
from eval.metrics import auroc
from eval.squad import load, load_questions
from eval.worlds import QUOTED, WORLDS, Asking, Judged, World
from rag.query.ground import STATES, WORDS, Weights

# What each world counts for together: as much can be answered as cannot.
MASS: Mapping[World, float] = {"answerable": 2, "absent": 1, "removed": 0.5, "adversarial": 0.5}
UNANSWERABLE = [world for world in WORLDS if world != "answerable"]
BINS = 5

Half = Callable[[Judged], bool]


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.grounding", description=__doc__)
    parser.add_argument("folder", type=Path, help="paragraphs and questions in SQuAD's way")
    parser.add_argument("--keep", type=Path, help="where to keep the index for the next run")
    parser.add_argument("--words", action="store_true", help="as with a vendor's embeddings")
    parser.add_argument("--fit", action="store_true", help="print weights instead")
    options = parser.parse_args(arguments)
    collection = load(options.folder)
    if len({article.title for article in collection.articles}) < 2:
        parser.error("questions are asked without their article too: two or more are needed")
    with ExitStack() as stack:
        asked = load_questions(options.folder)
        footnote = ingested(stack, collection, options.keep)
        asking = Asking(footnote, collection, by_words=options.words)
        judged: list[Judged] = []
        for done, one in enumerate(asked, 1):
            judged += asking.everywhere(one)
            if done % 200 == 0 or done == len(asked):
                print(f"\rasked {done} of {len(asked)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    shipped = WORDS if options.words else STATES
    if options.fit:
        print(fitted(shipped, [one for one in judged if one.is_even]))
        return 0
    report(shipped, judged)
    return 0


def fitted(known: Weights, judged: Sequence[Judged]) -> Weights:
    """The same features, weighed so that what became of these questions is most likely."""
    sizes = Counter(one.world for one in judged)
    solution = logistic.fit(
        np.array([[one.features[name] for name in known.features] for one in judged]),
        np.array([float(one.world == "answerable") for one in judged]),
        np.array([MASS[one.world] / sizes[one.world] for one in judged]),
    )
    bias, *weights = (round(float(weight), 2) for weight in solution)
    return Weights(known.name, bias, dict(zip(known.features, weights, strict=True)))


def report(shipped: Weights, judged: Sequence[Judged]) -> None:
    """Ranking, quotation, and how well what can be answered is told from what cannot."""
    odd = [one for one in judged if not one.is_even]
    answerable = [one for one in judged if one.world == "answerable"]
    counts = Counter(one.world for one in judged)
    print(
        f"{counts['answerable']} questions are answered by their paragraph,"
        f" {counts['adversarial']} are not"
    )
    _recall(answerable)
    _quotation(answerable)
    _auroc(shipped, judged, odd)
    _outcomes(odd)
    _reliability(odd)


def _recall(answerable: Sequence[Judged]) -> None:
    _head("recall of the paragraph", "@1", "@5", "@1, odd", "@5, odd")
    odd = [one for one in answerable if not one.is_even]
    for name in answerable[0].ranks:
        shares = [
            _share(one.ranks[name] < depth for one in some)
            for some in (answerable, odd)
            for depth in (1, 5)
        ]
        _row(name, *shares)


def _quotation(answerable: Sequence[Judged]) -> None:
    _head("sentences that hold an answer", "all", "odd")
    odd = [one for one in answerable if not one.is_even]
    for name, holds in {
        "best, inside its paragraph": lambda one: one.inside,
        "best": lambda one: any(one.holds[:1]),
        f"best {QUOTED}": lambda one: any(one.holds),
    }.items():
        _row(name, *(_share(map(holds, some)) for some in (answerable, odd)))


def _auroc(shipped: Weights, judged: Sequence[Judged], odd: Sequence[Judged]) -> None:
    _head("AUROC, answerable against", *UNANSWERABLE)
    for name in odd[0].signals:
        _row(f"{name}, odd", *_apart(odd, [one.signals[name] for one in odd]))
    articles = sorted({one.article for one in judged})[::2]
    splits: dict[str, Half] = {
        "fitted on even, of odd": lambda one: one.is_even,
        "fitted on odd, of even": lambda one: not one.is_even,
        "every second article, of others": lambda one: one.article in articles,
        "the others, of those": lambda one: one.article not in articles,
    }
    for name, half in splits.items():
        weights = fitted(shipped, [one for one in judged if half(one)])
        others = [one for one in judged if not half(one)]
        _row(name, *_apart(others, [weights.score(one.features) for one in others]))


def _apart(judged: Sequence[Judged], values: Sequence[float]) -> list[float]:
    """How well values tell what can be answered from each kind that cannot."""
    of: dict[World, list[float]] = {world: [] for world in WORLDS}
    for one, value in zip(judged, values, strict=True):
        of[one.world].append(value)
    return [auroc(of["answerable"], of[world]) for world in UNANSWERABLE]


def _outcomes(odd: Sequence[Judged]) -> None:
    _head("outcomes, odd", "answer", "partial", "abstain", "holding", "holding")
    for world in WORLDS:
        some = [one for one in odd if one.world == world]
        shares = [
            _share(one.outcome == outcome for one in some)
            for outcome in ("answer", "partial", "abstain")
        ]
        holding = [
            _share(any(one.holds) for one in some if one.outcome == outcome)
            for outcome in ("answer", "partial")
        ]
        _row(world, *shares, *(holding if world == "answerable" else ()))


def _reliability(odd: Sequence[Judged]) -> None:
    _head("groundingScore, odd", "said", "true")
    sizes = Counter(one.world for one in odd)
    said = np.array([one.signals["groundingScore"] for one in odd])
    true = np.array([float(one.world == "answerable") for one in odd])
    mass = np.array([MASS[one.world] / sizes[one.world] for one in odd])
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        some = bins == number
        if some.any():
            means = (float(np.average(one[some], weights=mass[some])) for one in (said, true))
            _row(f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}", *means)


def _share(held: Iterable[bool]) -> float:
    values = list(held)
    return sum(values) / len(values) if values else float("nan")


def _head(name: str, *columns: str) -> None:
    print(f"\n{name:34}" + "".join(f"{column:>13}" for column in columns))


def _row(name: str, *values: float) -> None:
    print(f"{name:34}" + "".join(f"{value:13.3f}" for value in values), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
