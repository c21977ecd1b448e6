"""`Objects` in a folder: a file per key, there whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from rag.adapters.object_key import names

UNFINISHED = ".unfinished-"


class FolderObjects:
    """Files below a folder. A key is a relative path of plain names."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(parents=True, exist_ok=True)

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.parent / f"{UNFINISHED}{secrets.token_hex(8)}"
        try:
            with draft.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        _sync_folder(path.parent)

    def get(self, key: str) -> bytes | None:
        try:
            return self._path(key).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def keys(self, prefix: str = "") -> list[str]:
        files = (path for path in self._root.rglob("*") if path.is_file())
        keys = (path.relative_to(self._root).as_posix() for path in files)
        return sorted(
            key
            for key in keys
            if key.startswith(prefix) and not key.rpartition("/")[2].startswith(UNFINISHED)
        )

    def _path(self, key: str) -> Path:
        parts = names(key)
        if any(part.startswith(UNFINISHED) for part in parts):
            raise ValueError(f"not a key: {key!r}")
        return self._root.joinpath(*parts)


def _sync_folder(folder: Path) -> None:
    """A new name survives a power cut only once its folder is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
