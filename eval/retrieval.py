"""`python -m eval.retrieval FOLDER…`: how well search ranks, stage by stage.

Everything runs through the product: its ingestion, its index, its pipeline. A document scores as
its best chunk.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from eval.beir import Collection
from eval.corpus import ingested, load
from eval.metrics import first, ndcg, recall
from rag.access import within
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import ChunkRef, Search
from rag.terms import terms

DEPTH = 100
Ranker = Callable[[str], list[str]]


def main(arguments: Sequence[str]) -> int:
    """Print a table per collection."""
    parser = argparse.ArgumentParser(prog="python -m eval.retrieval", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders in BEIR's layout or SQuAD's")
    parser.add_argument("--keep", type=Path, help="where to keep the index for the next run")
    options = parser.parse_args(arguments)
    for folder in options.folders:
        with ExitStack() as stack:
            collection = load(folder)
            report(ingested(stack, collection, options.keep), collection)
    return 0


def report(footnote: Footnote, collection: Collection) -> None:
    """Rank every query in every way and print the means."""
    print(
        f"\n{collection.name}: {len(collection.articles)} documents,"
        f" {len(collection.queries)} queries"
    )
    print(f"{'':20}{'P@1':>10}{'nDCG@10':>10}{'recall@10':>11}")
    for name, rank in rankers(footnote).items():
        rankings = {id: rank(query) for id, query in collection.queries.items()}
        of_all = [(rankings[id], collection.relevant[id]) for id in rankings]
        right, gain, share = (
            sum(measure(*one) for one in of_all) / len(of_all) for measure in (first, ndcg, recall)
        )
        print(f"{name:20}{right:10.4f}{gain:10.4f}{share:11.4f}", flush=True)


def rankers(footnote: Footnote) -> dict[str, Ranker]:
    """Ways to rank, each a part of the pipeline or the whole of it."""
    querying = footnote.querying
    where = footnote.seen_by(LOCAL_OWNER, lambda sources: within(sources, ()))

    def words(query: str) -> list[str]:
        found = querying.index.matching(
            LOCAL_OWNER.org, [term.text for term in terms(query)], where, DEPTH
        )
        return [hit.id for hit in found.hits]

    def dense(query: str) -> list[str]:
        vector = querying.embedder.embed([query])[0].vector
        return [hit.id for hit in querying.index.nearest(LOCAL_OWNER.org, vector, where, DEPTH)]

    def pipeline(rerank: bool) -> Ranker:
        def ranked(query: str) -> list[str]:
            found = querying.retrieve(LOCAL_OWNER, Search(query, DEPTH, rerank=rerank))
            return [str(excerpt.ref) for excerpt in found.excerpts]

        return ranked

    chunks = {
        "words only": words,
        "dense only": dense,
        "fused": pipeline(rerank=False),
        "default": pipeline(rerank=True),
    }

    def by_document(rank: Ranker) -> Ranker:
        paths = {document.id: document.path for document in footnote.documents.all(LOCAL_OWNER.org)}

        def ranked(query: str) -> list[str]:
            documents = (ChunkRef.parse(id).document for id in rank(query))
            return [paths[id] for id in dict.fromkeys(documents)]

        return ranked

    return {name: by_document(rank) for name, rank in chunks.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
