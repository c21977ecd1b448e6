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
