from __future__ import annotations

from typing import Any

import pytest

from rag.adapters.openai.options import OPTIONS, translated
from rag.errors import Invalid

GOOD: dict[str, Any] = {
    "temperature": 0,
    "top_p": 0.5,
    "presence_penalty": -2,
    "frequency_penalty": 2.0,
    "max_tokens": 1,
    "max_completion_tokens": 9,
    "num_predict": 20,
    "seed": -7,
    "stop": ["a", "b"],
}


def test_every_option_is_passed_on() -> None:
    assert set(GOOD) == set(OPTIONS)
    for name, value in GOOD.items():
        assert translated({name: value}) == {OPTIONS[name].name: value}


def test_ollamas_name_for_the_limit_is_understood() -> None:
    assert translated({"num_predict": 20}) == {"max_tokens": 20}


def test_null_is_absent() -> None:
    assert translated(dict.fromkeys(GOOD)) == {}


@pytest.mark.parametrize("name", ["num_ctx", "tools", "stream", "model", "messages", "n"])
def test_an_unknown_option_is_refused_by_name(name: str) -> None:
    with pytest.raises(Invalid, match="temperature") as invalid:
        translated({name: 1})
    assert invalid.value.field == f"options.{name}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 2.1),
        ("temperature", "hot"),
        ("temperature", True),
        ("top_p", float("nan")),
        ("presence_penalty", -3),
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("num_predict", -1),
        ("seed", "x"),
        ("stop", []),
        ("stop", ""),
        ("stop", ["a"] * 5),
        ("stop", [1]),
    ],
)
def test_a_value_that_cannot_be_is_refused(name: str, value: Any) -> None:
    with pytest.raises(Invalid, match="must be") as invalid:
        translated({name: value})
    assert invalid.value.field == f"options.{name}"
