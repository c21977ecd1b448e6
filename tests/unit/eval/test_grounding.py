from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import grounding
from eval.grounding import fitted
from eval.squad import Asked
from eval.worlds import Judged, World
from rag.query.ground import WORDS

PARAGRAPHS = {
    "Newts-0": "Newts live in ponds and in damp woods.",
    "Newts-1": "A newt eats worms and the larvae of flies.",
    "Newts-2": "Newts sleep through the winter under stones.",
    "Bread-0": "Bread is baked from flour, water and salt.",
    "Bread-1": "The first loaves were baked in Egypt.",
    "Bread-2": "A loaf of rye stays fresh for nine days.",
}
QUESTIONS = [
    ("Where do newts live?", "Newts-0", ["ponds"]),
    ("What does a newt eat?", "Newts-1", ["worms"]),
    ("Where do newts sleep in winter?", "Newts-2", ["under stones"]),
    ("What is bread baked from?", "Bread-0", ["flour"]),
    ("Where were the first loaves baked?", "Bread-1", ["Egypt"]),
    ("How long does rye stay fresh?", "Bread-2", ["nine days"]),
    ("What colour are newts?", "Newts-1", []),
    ("What does bread cost?", "Bread-0", []),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "paragraphs.jsonl").write_text(
        "\n".join(
            json.dumps({"_id": id, "title": id.partition("-")[0], "text": text})
            for id, text in PARAGRAPHS.items()
        )
    )
    (folder / "questions.jsonl").write_text(
        "\n".join(
            json.dumps(
                {
                    "_id": f"q{number}",
                    "question": question,
                    "paragraph": paragraph,
                    "answerable": bool(answers),
                    "answers": answers,
                }
            )
            for number, (question, paragraph, answers) in enumerate(QUESTIONS)
        )
    )
    return folder


@pytest.mark.parametrize("more", [[], ["--words"]])
def test_every_table_is_printed(
    folder: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert grounding.main([str(folder), *more]) == 0
    printed = capsys.readouterr().out
    assert "6 questions are answered by their paragraph, 2 are not" in printed
    rows = {line[:34].strip(): line[34:].split() for line in printed.splitlines()}
    assert rows["ours"] == ["1.000"] * 4
    assert rows["best 3"] == ["1.000", "1.000"]
    assert rows["groundingScore, odd"]
    assert {"BM25", "cosine", "convex", "convex, MaxSim", "top score, odd"} <= rows.keys()
    assert {"fitted on odd, of even", "the others, of those", "removed"} <= rows.keys()


def test_one_article_is_not_enough(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paragraphs = folder / "paragraphs.jsonl"
    paragraphs.write_text(paragraphs.read_text().replace('"Bread"', '"Newts"'))
    with pytest.raises(SystemExit):
        grounding.main([str(folder)])
    assert "two or more are needed" in capsys.readouterr().err


def test_weights_are_printed_to_be_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grounding.main([str(folder), "--words", "--fit"]) == 0
    assert capsys.readouterr().out.startswith("Weights(name='words', bias=")


def judged(world: World, paragraph: str, **features: float) -> Judged:
    asked = Asked("q", "?", paragraph, True, ())
    return Judged(asked, "A", world, "answer", {"score": 0, **features}, {}, ())


def test_what_tells_answerable_questions_gets_the_weight() -> None:
    some = [
        judged(world, "p", names=0.1 * number + (0.4 if world == "answerable" else 0))
        for world in ("answerable", "absent", "removed", "adversarial")
        for number in range(6)
    ]
    weights = fitted(WORDS, some)
    assert weights.features["names"] > 1
    assert weights.features["score"] == 0


def test_halves_go_by_the_number_of_the_paragraph_or_by_chance() -> None:
    assert judged("absent", "Newts-12").is_even
    assert not judged("absent", "Newts-7").is_even
    assert {judged("absent", f"{letter}x").is_even for letter in "abcdefgh"} == {True, False}
