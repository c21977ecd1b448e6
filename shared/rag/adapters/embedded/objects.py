"""`Objects` in a folder: a file per key, there whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from stat import S_ISREG
from typing import BinaryIO

from rag.adapters.object_key import names
from rag.model import Span
from rag.ports import ObjectHead

UNFINISHED = ".unfinished-"
COPIED_AT_ONCE = 1024 * 1024


class FolderObjects:
    """Files below a folder. A key is a relative path of plain names."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(parents=True, exist_ok=True)

    def head(self, key: str) -> ObjectHead | None:
        try:
            found = self._path(key).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return ObjectHead(found.st_size, _version(found)) if S_ISREG(found.st_mode) else None

    def put(self, key: str, data: bytes) -> None:
        self.put_file(key, BytesIO(data))

    def put_file(self, key: str, data: BinaryIO) -> None:
        """Keep all that there is to read, of any size."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.parent / f"{UNFINISHED}{secrets.token_hex(8)}"
        try:
            with draft.open("xb") as file:
                copyfileobj(data, file, COPIED_AT_ONCE)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        _sync_folder(path.parent)

    def get(self, key: str, span: Span | None = None) -> bytes | None:
        try:
            with self._path(key).open("rb") as file:
                if span is None:
                    return file.read()
                file.seek(span.start)
                return file.read(span.end - span.start)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def keys(self, prefix: str = "") -> list[str]:
        return sorted(self.versions(prefix))

    def versions(self, prefix: str = "") -> dict[str, str]:
        """The version of every object whose key has the prefix."""
        found: dict[str, str] = {}
        start = self._root / prefix.rpartition("/")[0]
        for folder, _, files in os.walk(start):
            for name in files:
                path = Path(folder, name)
                key = path.relative_to(self._root).as_posix()
                if key.startswith(prefix) and not name.startswith(UNFINISHED):
                    # It may have gone meanwhile, or nobody may look at it, or it is a link to
                    # itself, or has a name that is no text: the others are there all the same.
                    with suppress(OSError, UnicodeEncodeError):
                        key.encode()
                        found[key] = _version(path.stat())
        return found

    def _path(self, key: str) -> Path:
        parts = names(key)
        if any(part.startswith(UNFINISHED) for part in parts):
            raise ValueError(f"not a key: {key!r}")
        return self._root.joinpath(*parts)


def _version(found: os.stat_result) -> str:
    """Whoever replaces a file makes another inode, or at least touches its times."""
    return f"{found.st_ino:x}-{found.st_ctime_ns:x}-{found.st_size:x}"


def _sync_folder(folder: Path) -> None:
    """A new name survives a power cut only once its folder is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
