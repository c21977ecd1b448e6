"""Questions over paragraphs, in SQuAD 2's way: paragraphs.jsonl, questions.jsonl."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eval.beir import Article, Collection, rows

QUESTIONS = "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the paragraph it was asked of, and the answers that count as right."""

    id: str
    question: str
    paragraph: str
    answerable: bool
    answers: tuple[str, ...]


def load_questions(folder: Path) -> list[Asked]:
    """Every question, answerable or not."""
    return [
        Asked(
            row["_id"],
            row["question"],
            row["paragraph"],
            row["answerable"],
            tuple(row.get("answers", ())),
        )
        for row in rows(folder / QUESTIONS)
    ]


def load(folder: Path) -> Collection:
    """The paragraphs as a corpus, the answerable questions as queries."""
    asked = [one for one in load_questions(folder) if one.answerable]
    return Collection(
        name=folder.name,
        articles=[
            Article(row["_id"], row["title"], row["text"])
            for row in rows(folder / "paragraphs.jsonl")
        ],
        queries={one.id: one.question for one in asked},
        relevant={one.id: {one.paragraph: 1} for one in asked},
    )
