"""What every `Objects` adapter holds to."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.adapters.aws.objects import S3Objects
from rag.adapters.embedded.objects import FolderObjects
from rag.model import Span
from rag.ports import Objects
from tests.conftest import EMULATORS, new_bucket


@pytest.fixture(params=["folder", *EMULATORS])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    if request.param == "folder":
        return FolderObjects(tmp_path / "objects")
    return S3Objects(*new_bucket(request.getfixturevalue(request.param)))


def test_what_is_put_comes_back(objects: Objects) -> None:
    objects.put("a/b c/ü.bin", b"\0\xff")
    assert objects.get("a/b c/ü.bin") == b"\0\xff"


@pytest.mark.parametrize("span", [(0, 1), (2, 5), (0, 10), (9, 10), (8, 99), (10, 11), (50, 60)])
def test_a_span_is_read_as_far_as_there_is_something(
    objects: Objects, span: tuple[int, int]
) -> None:
    objects.put("a", b"0123456789")
    assert objects.get("a", Span(*span)) == b"0123456789"[slice(*span)]


def test_a_span_of_nothing_is_empty_and_of_an_absent_object_none(objects: Objects) -> None:
    objects.put("empty", b"")
    assert objects.get("empty", Span(0, 1)) == b""
    assert objects.get("absent", Span(0, 1)) is None


def test_a_second_put_replaces_the_first(objects: Objects) -> None:
    objects.put("a", b"long content")
    objects.put("a", b"short")
    assert objects.get("a") == b"short"


def test_an_absent_object_is_none_and_deleting_it_is_fine(objects: Objects) -> None:
    objects.delete("a")
    assert objects.get("a") is None
    objects.put("dir/file", b"")
    assert objects.get("dir") is None
    assert objects.get("dir/file/below") is None


def test_keys_are_listed_in_order_by_prefix(objects: Objects) -> None:
    for key in ("up/b", "up/a", "upper", "down"):
        objects.put(key, b"x")
    assert objects.keys("up/") == ["up/a", "up/b"]
    assert objects.keys() == ["down", "up/a", "up/b", "upper"]
    objects.delete("up/a")
    assert objects.keys("up/") == ["up/b"]


@pytest.mark.parametrize(
    "key", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/.", "a\\..\\b", "\0"]
)
def test_a_key_is_a_path_of_plain_names(objects: Objects, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        objects.put(key, b"x")
    assert objects.keys() == []


def test_a_head_tells_the_size_and_a_version_that_changes_with_the_content(
    objects: Objects,
) -> None:
    assert objects.head("a/b") is None
    objects.put("a/b", b"one")
    first = objects.head("a/b")
    assert first is not None
    assert first.size == 3
    assert objects.head("a/b") == first
    assert objects.head("a") is None
    objects.put("a/b", b"two")
    second = objects.head("a/b")
    assert second is not None
    assert second.version != first.version
