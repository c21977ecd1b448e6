from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.ingest.formats.data import LONGEST_PATH


def test_each_value_stands_under_the_names_that_lead_to_it() -> None:
    data = {
        "animal": {"name": "Olm", "length cm": 30, "blind": True, "eyes": None},
        "food": ["worms", 2, False],
        "finds": [{"place": "Postojna"}, [1, 2], "cave"],
        "": {},
        "none": [],
    }
    assert read("data", json.dumps(data).encode()).text == (
        "animal.name: Olm\nanimal.length cm: 30\nanimal.blind: true\nanimal.eyes: null\n"
        "food: worms, 2, false\nfinds[0].place: Postojna\nfinds[1]: 1, 2\nfinds[2]: cave\nnone: "
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'[{"a": 1}, {"a": 2}]', "a: 1\n\na: 2"),
        (b'{"a": 1}\r\n\r\n{"a": 2}\n', "a: 1\n\na: 2"),
        (b'{"a": 1}\n[1, 2]\n"x"\n', "a: 1\n\n1, 2\n\nx"),
        (b'{\n"a": 1\n}\n{\n"a": 2\n}', "a: 1\n\na: 2"),
        (b'["newts", "efts"]', "newts\n\nefts"),
        (b'"newts"', "newts"),
        (b"12.50", "12.50"),
        (b'\xef\xbb\xbf{"a": "\\u00e9\\ud83d\\ude00\\ud800"}', "a: é😀\ufffd"),
        ('{"a": "Öl"}'.encode("utf-16"), "a: Öl"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a: " + "9" * 5000),
        (b'{"a": NaN, "b": 1e999}', "a: NaN\nb: 1e999"),
    ],
)
def test_it_is_read_whole_or_line_by_line(data: bytes, text: str) -> None:
    assert read("data", data).text == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{'a': 1}", "is not JSON: its line 1 is wrong"),
        (b'{\n"a": 1,\n"b"\n}', "is not JSON: its line 4 is wrong"),
        (b'{"a": 1}\n{"a": 2}\n{"a": x\n', "is not JSON: its line 3 is wrong"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "is nested too deeply"),
        (b"", "has no text"),
        (b"[]", "has no text"),
        (b'[{}, [], ""]', "has no text"),
    ],
)
def test_what_is_not_json_is_said_with_its_place(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read("data", data)


def test_a_name_without_end_does_not_lead_to_every_value() -> None:
    data = {"n" * 10_000: dict.fromkeys(map(str, range(1000)), 1)}
    lines = read("data", json.dumps(data).encode()).text.split("\n")
    assert max(map(len, lines)) <= LONGEST_PATH + len(": 1")
    assert lines[-1].endswith("n.999: 1")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_any_value_is_text_or_has_none(value: object) -> None:
    with suppress(Unreadable):
        read("data", json.dumps(value).encode())
