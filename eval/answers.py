"""`python -m eval.answers`: a hundred questions to our own documentation, without a language model.

A question is answered right by a quotation of the right document that holds the answer. One that
the documentation does not answer must not get one: it is invented if nothing is said to be missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rag.answering import Answered, Grounding
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Draft, Search
from rag.query.inquiry import Inquiry
from rag.query.lexical import LexicalReranker
from rag.query.pipeline import whole
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings

ROOT = Path(__file__).parents[1]
QUESTIONS = ROOT / "eval" / "questions.jsonl"
LEAST_RIGHT = 60
TOP_K = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what counts as its answer: one of the texts in one of the documents."""

    question: str
    answers: tuple[str, ...]
    documents: tuple[str, ...]

    @property
    def answerable(self) -> bool:
        return bool(self.answers)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a question."""

    asked: Asked
    grounding: Grounding
    answered: Answered

    @property
    def right(self) -> bool:
        return any(
            one.document.path in self.asked.documents and plain(words) in plain(one.quote)
            for one in self.answered.citations
            for words in self.asked.answers
        )

    @property
    def invented(self) -> bool:
        """Answered, though the documents do not, and without a word of what is missing."""
        promised = self.grounding.outcome == "answer" or not self.grounding.gaps
        return not self.asked.answerable and self.grounding.is_groundable and promised


def main(arguments: Sequence[str]) -> int:
    """Ask all of them and print what went wrong; fail where that is too much."""
    parser = argparse.ArgumentParser(prog="python -m eval.answers", description=__doc__)
    parser.add_argument("--words", action="store_true", help="as with a vendor's embeddings")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="others than ours")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        footnote = bootstrap(Settings(data_dir=Path(folder)))
        for path in documentation():
            ingest(footnote, path)
        ask = asker(footnote, by_words=options.words)
        return report([ask(one) for one in load(options.questions)])


def documentation() -> list[Path]:
    """What there is to read about this project."""
    return [ROOT / "README.md", *sorted((ROOT / "infra" / "decisions").glob("*.md"))]


def load(path: Path) -> list[Asked]:
    """The questions of a file."""
    return [_asked(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def ingest(footnote: Footnote, path: Path) -> None:
    """Put a document in, under its first heading."""
    text = path.read_text("utf-8")
    title = text.partition("\n")[0].lstrip("# ")
    name = path.relative_to(ROOT).as_posix()
    footnote.ingestion.ingest(LOCAL_OWNER.org, Draft("documentation", name, title, text))


def asker(footnote: Footnote, *, by_words: bool) -> Callable[[Asked], Result]:
    """Asks as a caller would, of a product without a language model."""
    querying = replace(footnote.querying, answerer=None, judge=None)
    if by_words:
        querying = replace(querying, reranker=LexicalReranker())

    def ask(asked: Asked) -> Result:
        queried = querying.query(LOCAL_OWNER, Inquiry(Search(asked.question, TOP_K)))
        return Result(asked, queried.grounding, whole(queried.answer))

    return ask


def report(results: Sequence[Result]) -> int:
    """Every miss, and the counts. 1 where too few are right or any is invented."""
    for one in results:
        if one.invented or (one.asked.answerable and not one.right):
            _show(one)
    answerable = [one for one in results if one.asked.answerable]
    right = sum(one.right for one in answerable)
    invented = sum(one.invented for one in results)
    print(f"{'':24}{'answer':>8}{'partial':>9}{'abstain':>9}")
    print(_row("answered there", answerable))
    print(_row("not answered there", (one for one in results if not one.asked.answerable)))
    print(f"\nright, by the right document: {right} of {len(answerable)}; invented: {invented}")
    return int(right < min(LEAST_RIGHT, len(answerable)) or invented > 0)


def plain(text: str) -> str:
    """A text in which neither case nor the kind of white space makes a difference."""
    return " ".join(text.lower().split())


def _asked(row: dict[str, Any]) -> Asked:
    document = row["document"]
    documents = document if isinstance(document, list) else [document] if document else []
    answers = row["answer_contains"] if row["answerable"] else []
    return Asked(row["question"], tuple(answers), tuple(documents))


def _row(name: str, results: Iterable[Result]) -> str:
    outcomes = Counter(one.grounding.outcome for one in results)
    return f"{name:24}{outcomes['answer']:8}{outcomes['partial']:9}{outcomes['abstain']:9}"


def _show(one: Result) -> None:
    what = "invented" if one.invented else "missed"
    print(f"{what} ({one.grounding.outcome}, {one.grounding.score:.2f}): {one.asked.question}")
    for citation in one.answered.citations:
        print(f"    {citation.document.path}: {plain(citation.quote)[:150]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
