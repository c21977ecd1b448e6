from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ParseError
from rag.ingest.describe import Description, describe


def sidecar(**attributes: object) -> bytes:
    return json.dumps({"metadataAttributes": attributes}).encode()


def test_without_a_word_about_it_there_is_nothing_to_say() -> None:
    assert describe("a.md", None, {}) == Description()


def test_the_object_s_metadata_gives_title_and_tags() -> None:
    said = describe("a.md", None, {"Title": "=?UTF-8?Q?M=C3=B6we?=", "tags": "a, b,", "x": "1"})
    assert said == Description("Möwe", ("a", "b"), {"x": "1"})


def test_the_sidecar_has_the_last_word() -> None:
    metadata = {"title": "old", "author": "Ann"}
    said = describe("a.md", sidecar(title="new", tags=["t"], year=2026), metadata)
    assert said == Description("new", ("t",), {"author": "Ann", "year": 2026})


@pytest.mark.parametrize(
    "bad",
    [b"", b"{", b"[]", b"{}", b'{"metadataAttributes": []}', b'{"metadataAttributes": null}',
     b"\xff", b"[" * 100_000, sidecar(title=5), sidecar(title="t" * 3000), sidecar(tags=[1]),
     sidecar(tags=7), sidecar(tags=["t" * 300]), sidecar(tags=["t"] * 101),
     sidecar(tags=["ü" * 250] * 20), sidecar(more="x" * 100_001)],
)  # fmt: skip
def test_a_bad_sidecar_is_named(bad: bytes) -> None:
    with pytest.raises(ParseError, match=r"a\.md"):
        describe("a.md", bad, {})


WILD = st.recursive(st.none() | st.text(), st.lists).map(lambda value: json.dumps(value).encode())


@given(st.binary() | WILD)
def test_any_other_sidecar_is_refused(wild: bytes) -> None:
    with pytest.raises(ParseError):
        describe("a.md", wild, {})
