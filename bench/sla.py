"""`python -m bench.sla`: how fast we promise to be, and how fast we are.

Ingestion and search are measured as calls of the pipeline, and over HTTP against the embedded
server in a process of its own. Every question is asked once: none is answered by the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import islice, takewhile
from pathlib import Path
from time import perf_counter, time
from typing import NamedTuple, TypeVar

import numpy as np

from bench.prose import Author
from bench.served import Server, served
from eval.beir import Collection, load
from eval.corpus import ingest
from rag.adapters.embedded.minilm import weights
from rag.clock import ulid
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Draft, Search
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores.documents import document_id
from rag.timing import measured

TEN_KB = 10 * 1024
DRAFTS, BATCHES, STARTS = 20, 20, 3
QUESTIONS = 1200  # a quarter for each way of asking them
LIBRARIES = ("numpy", "onnxruntime", "tokenizers", "fastapi", "uvicorn")
CALLERS = 16
SECONDS = 8.0  # for all callers together, at most
# The vocabulary of BERT is in the order of frequency; its words begin here.
FIRST_WORD = 1996

INGEST, SEARCH, UNRANKED = "ingest 10 KB", "search", "search without rerank"
EMBED, START = "embed ten texts", "start the server"
PIPELINE, HTTP = "pipeline", "HTTP"

Input = TypeVar("Input")


class Goal(NamedTuple):
    """What a percentile of the runs may take."""

    clause: str
    work: str
    milliseconds: int
    percent: int


GOALS = (
    Goal("v3 §6", INGEST, 5000, 95),
    Goal("v3 §6", SEARCH, 500, 95),
    Goal("v3 §6", EMBED, 200, 95),
    Goal("ours", INGEST, 1000, 95),
    Goal("ours", SEARCH, 200, 50),
    Goal("ours", UNRANKED, 50, 50),
    Goal("ours", EMBED, 200, 95),
    Goal("ours", START, 3000, 95),
)


class Run(NamedTuple):
    """What one run took, and its stages where they can be seen."""

    milliseconds: float
    stages: dict[str, float]


@dataclass(frozen=True, slots=True)
class Result:
    """All runs of some work, done one way."""

    work: str
    way: str
    runs: list[Run]

    def at(self, percent: int) -> float:
        """Milliseconds that so many of a hundred runs stay within."""
        return percentile([run.milliseconds for run in self.runs], percent)


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.sla", description=__doc__)
    parser.add_argument("--documents", type=int, default=5000, help="at most (default 5000)")
    parser.add_argument("--data", type=Path, help="a folder in BEIR's layout, not made-up prose")
    parser.add_argument("--keep", type=Path, help="where to keep the index for the next run")
    options = parser.parse_args(arguments)
    print_facts()
    author = Author(vocabulary())
    if options.data is None:
        collection = made_up(author, options.documents)
    else:
        whole = load(options.data)
        collection = replace(whole, articles=whole.articles[: options.documents])
    with ExitStack() as stack:
        kept = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = Settings(data_dir=kept / collection.name)
        footnote = bootstrap(settings)
        begun = perf_counter()
        ingest(footnote, collection)
        print(f"{len(collection.articles)} documents, in after {perf_counter() - begun:.1f} s")
        report(footnote, settings.data_dir, author, list(collection.queries.values()))
    return 0


def report(footnote: Footnote, data_dir: Path, author: Author, questions: list[str]) -> None:
    """Measure and print everything; what was ingested for that is deleted again."""
    drafts = [ten_kb(author, f"{ulid(time())}/{number}") for number in range(2 * DRAFTS)]
    try:
        # Documents first: a changed corpus makes the cache forget what an earlier run has asked.
        inside = [
            ingestion(footnote, drafts[::2]),
            embedding(footnote, author),
            searching(footnote, questions[::4], rerank=True),
            searching(footnote, questions[1::4], rerank=False),
        ]
        starts = [start(data_dir) for _ in range(STARTS)]
        with served(data_dir) as server:
            first, *alone = timed(search_over(server), questions[2::4])
            outside = [
                Result(INGEST, HTTP, timed(ingest_over(server), drafts[1::2])),
                Result(SEARCH, HTTP, alone),
                Result(START, HTTP, starts),
            ]
            print_goals([*inside, *outside])
            print_stages(inside)
            print_crowd(server, questions[3::4])
            print(f"first search after a start: {first.milliseconds:.0f} ms")
    finally:
        for draft in drafts:
            footnote.ingestion.delete(LOCAL_OWNER.org, document_id(draft))


# Measuring


def timed(call: Callable[[Input], object], inputs: Iterable[Input]) -> list[Run]:
    """Call with one input after the other."""
    runs = []
    for one in inputs:
        begun = perf_counter()
        with measured() as stages:
            call(one)
        runs.append(Run((perf_counter() - begun) * 1000, stages))
    return runs


def ingestion(footnote: Footnote, drafts: Sequence[Draft]) -> Result:
    """Ingest by the pipeline."""
    put = partial(footnote.ingestion.ingest, LOCAL_OWNER.org)
    return Result(INGEST, PIPELINE, timed(put, drafts))


def embedding(footnote: Footnote, author: Author) -> Result:
    """Embed batches of ten."""
    texts = author.questions()
    batches = [list(islice(texts, 10)) for _ in range(BATCHES)]
    return Result(EMBED, PIPELINE, timed(footnote.parts.embedder.embed, batches))


def searching(footnote: Footnote, questions: Sequence[str], *, rerank: bool) -> Result:
    """Search by the pipeline, once the index is in memory."""
    find = partial(footnote.querying.retrieve, LOCAL_OWNER)
    searches = [Search(question, rerank=rerank) for question in questions]
    return Result(SEARCH if rerank else UNRANKED, PIPELINE, timed(find, searches)[1:])


def start(data_dir: Path) -> Run:
    """Start a server and stop it."""
    with served(data_dir) as server:
        return Run(server.start_milliseconds, {})


def ingest_over(server: Server) -> Callable[[Draft], object]:
    """Ingest by HTTP."""
    caller = server.caller()
    return lambda draft: caller.post(
        "/api/rag/ingest",
        {"source": draft.source, "path": draft.path, "title": draft.title, "text": draft.text},
    )


def search_over(server: Server) -> Callable[[str], object]:
    """Search by HTTP."""
    caller = server.caller()
    return lambda question: caller.post("/api/rag/search", {"query": question})


def crowded(server: Server, questions: Sequence[str], callers: int) -> list[Run]:
    """Search by HTTP from several callers at once, for a limited time."""
    end = perf_counter() + SECONDS

    def one(number: int) -> list[Run]:
        own = questions[number::callers]
        in_time = takewhile(lambda _: perf_counter() < end, own)
        return timed(search_over(server), in_time)

    with ThreadPoolExecutor(callers) as threads:
        return [run for runs in threads.map(one, range(callers)) for run in runs]


# What is measured


def made_up(author: Author, documents: int) -> Collection:
    """A corpus of made-up prose, and questions about it."""
    articles = [author.article(str(number)) for number in range(documents)]
    questions = dict(enumerate(islice(author.questions(), QUESTIONS)))
    return Collection("prose", articles, {str(id): text for id, text in questions.items()}, {})


def ten_kb(author: Author, path: str) -> Draft:
    """A document of 10 KB."""
    article = author.article(path, length=TEN_KB // 4)
    return Draft("bench", path, article.title, article.text[:TEN_KB])


def vocabulary() -> list[str]:
    """Some 20,000 English words, the commonest first."""
    tokenizer = weights.read(weights.installed(), weights.TOKENIZER).tobytes()
    ids: dict[str, int] = json.loads(tokenizer)["model"]["vocab"]
    ordered = sorted(ids, key=ids.__getitem__)[FIRST_WORD:]
    return [word for word in ordered if word.isascii() and word.isalpha()]


# Printing


def print_facts() -> None:
    """The machine and what runs on it."""
    load = os.getloadavg()[0]
    libraries = " · ".join(f"{name} {version(name)}" for name in LIBRARIES)
    print(f"{os.cpu_count()} cores ({platform.machine()}), load {load:.1f} before the run")
    print(f"Python {platform.python_version()} · SQLite {sqlite3.sqlite_version} · {libraries}")


def print_goals(results: Sequence[Result]) -> None:
    """Every goal, for every way of doing the work."""
    rows = [
        [
            goal.clause,
            f"{result.work}, {result.way}",
            f"p{goal.percent} < {goal.milliseconds}",
            f"{result.at(50):.1f}",
            f"{result.at(95):.1f}",
            "yes" if result.at(goal.percent) < goal.milliseconds else "NO",
        ]
        for goal in GOALS
        for result in results
        if result.work == goal.work
    ]
    print_table(["clause", "", "goal, ms", "p50", "p95", "holds"], rows)


def print_stages(results: Sequence[Result]) -> None:
    """Where the time goes."""
    rows = []
    for result in results:
        for stage in result.runs[-1].stages:
            times = [run.stages.get(stage, 0.0) for run in result.runs]
            rows.append([result.work, stage, *(f"{percentile(times, at):.1f}" for at in (50, 95))])
    print_table(["stages of", "", "p50", "p95"], rows)


def print_crowd(server: Server, questions: Sequence[str]) -> None:
    """One caller beside many."""
    rows, fifth = [], len(questions) // 5
    for callers, share in ((1, questions[:fifth]), (CALLERS, questions[fifth:])):
        begun = perf_counter()
        result = Result(SEARCH, HTTP, crowded(server, share, callers))
        rate = len(result.runs) / (perf_counter() - begun)
        rows.append(
            [str(callers), "", f"{rate:.0f}", f"{result.at(50):.1f}", f"{result.at(95):.1f}"]
        )
    print_table(["callers", "", "searches/s", "p50", "p95"], rows)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Two columns of names, then columns of numbers."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    print()
    for row in (header, *rows):
        names = (cell.ljust(width) for cell, width in zip(row[:2], widths, strict=False))
        numbers = (cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True))
        print("  ".join([*names, *numbers]).rstrip())


def percentile(values: Sequence[float], percent: int) -> float:
    """What so many of a hundred values stay within."""
    return float(np.percentile(values, percent))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
