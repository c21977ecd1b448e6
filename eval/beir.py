"""Retrieval data in BEIR's layout: corpus.jsonl, queries.jsonl, qrels.tsv."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Article:
    """A document of the corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Collection:
    """A corpus, its queries, and how relevant which article is to which query."""

    name: str
    articles: list[Article]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]


def load(folder: Path) -> Collection:
    """Read a folder; queries without a judgement are left out."""
    relevant: defaultdict[str, dict[str, int]] = defaultdict(dict)
    with (folder / "qrels.tsv").open(newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                relevant[row["query-id"]][row["corpus-id"]] = int(row["score"])
    queries = {row["_id"]: row["text"] for row in rows(folder / "queries.jsonl")}
    return Collection(
        name=folder.name,
        articles=[
            Article(row["_id"], row.get("title", ""), row["text"])
            for row in rows(folder / "corpus.jsonl")
        ],
        queries={id: text for id, text in queries.items() if id in relevant},
        relevant=dict(relevant),
    )


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    with path.open() as file:
        for line in file:
            yield json.loads(line)
