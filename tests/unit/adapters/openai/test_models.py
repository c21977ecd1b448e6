from __future__ import annotations

import logging

import pytest

from rag.adapters.calibrations import MINILM_BY_WORDS, NEUTRAL
from rag.adapters.openai import models


@pytest.mark.parametrize(
    "name",
    [
        "all-MiniLM-L6-v2",
        "sentence-transformers/all-MiniLM-L6-v2",
        "all-minilm",
        "all-minilm:l6-v2",
    ],
)
def test_a_model_is_known_by_each_of_its_names(name: str) -> None:
    assert models.embedding_model(name).dimension == 384
    assert models.calibration(name) is MINILM_BY_WORDS


def test_a_model_without_calibration_works_and_is_warned_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert models.calibration("never-heard-of") is NEUTRAL
        assert models.calibration("never-heard-of") is NEUTRAL
    [line] = caplog.messages
    assert "never-heard-of" in line
    assert "python -m eval.calibrate" in line


def test_the_neutral_calibration_tells_good_hits_from_bad_ones() -> None:
    assert NEUTRAL.fused.score(1.4, 1000) > 0.8
    assert NEUTRAL.fused.score(0.2, 1000) < 0.2
