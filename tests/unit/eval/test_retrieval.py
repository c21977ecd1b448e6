from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import retrieval
from eval.metrics import auroc, first, ndcg, recall


def test_ndcg_and_recall_are_as_defined() -> None:
    relevant = {"a": 1, "b": 1}
    assert ndcg(["a", "b", "c"], relevant) == pytest.approx(1.0)
    assert ndcg(["c", "a"], relevant) == pytest.approx(0.63093 / 1.63093, abs=1e-4)
    assert ndcg(["c"], relevant) == 0
    assert (first(["b", "c"], relevant), first(["c", "b"], relevant), first([], relevant)) == (
        1,
        0,
        0,
    )
    assert recall(["a", "c"], relevant) == 0.5
    assert recall(["c", "a", "b"], relevant, depth=1) == 0


def test_auroc_counts_pairs_in_the_right_order() -> None:
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1
    assert auroc([0.1], [0.9]) == 0
    assert auroc([0.5], [0.5]) == 0.5


def test_a_folder_in_beirs_layout_is_ranked_in_every_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    texts = {
        "1": "Newts live in ponds.",
        "2": "Bread is baked from flour.",
        "3": "Wings make lift.",
    }
    queries = {"q1": "Where do newts live?", "q2": "What is bread baked from?"}
    (folder / "corpus.jsonl").write_text(
        "\n".join(json.dumps({"_id": id, "title": "", "text": text}) for id, text in texts.items())
    )
    (folder / "queries.jsonl").write_text(
        "\n".join(json.dumps({"_id": id, "text": text}) for id, text in queries.items())
    )
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\t1\t1\nq2\t2\t1\n")
    assert retrieval.main([str(folder)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "1.0000" in line]
    assert [" ".join(row[:-3]) for row in rows] == ["words only", "dense only", "fused", "default"]
