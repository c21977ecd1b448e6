"""What is special about objects in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.adapters.embedded.objects import FolderObjects


def test_a_crash_while_writing_leaves_no_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = FolderObjects(tmp_path)
    objects.put("a", b"old")

    def crash(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", crash)
    with pytest.raises(OSError, match="disk full"):
        objects.put("a", b"new")
    assert objects.get("a") == b"old"
    assert objects.keys() == ["a"]


def test_what_can_be_read_from_a_file_is_kept_from_where_it_stands(tmp_path: Path) -> None:
    objects = FolderObjects(tmp_path / "objects")
    (tmp_path / "file").write_bytes(b"x" * 3_000_000)
    with (tmp_path / "file").open("rb") as file:
        file.seek(1)
        objects.put_file("a/b", file)
    assert objects.get("a/b") == b"x" * 2_999_999
