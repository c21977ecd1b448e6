"""The process that reads one file: within limits, with no network, no secrets, and nothing to see
or to write but that file and its text.

A reader that is led astray by its file can at worst give a wrong text, or none.
"""

from __future__ import annotations

import codecs
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from rag.adapters.confined import answer, kernel
from rag.adapters.confined.limits import Limits
from rag.adapters.direct import DirectReader
from rag.errors import Unreadable

# What Python tells of before it does it. Folders are listed by whoever imports.
_FORBIDDEN = (
    "ctypes.dlopen", "fcntl.", "ftplib.", "http.", "os.", "pty.", "shutil.", "signal.", "smtplib.",
    "socket.", "sqlite3.", "subprocess.", "syslog.", "tempfile.", "urllib.", "webbrowser.",
)  # fmt: skip
_ALLOWED = frozenset({"os.listdir"})


def _load_for_pdf(data: bytes) -> None:
    for name in ("cp1252", "latin-1", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"):
        codecs.lookup(name)
    if b"/Encrypt" in data:
        import_module("pypdf.filters")


# Where all that a reader imports is known beforehand, it opens no file at all. PDFs alone are read
# by much code in C that knows no limits of Python's.
_LOADED = {"pdf": _load_for_pdf}


def main(kind: str, charset: str, formats: str, most: Sequence[int]) -> None:
    """Read the file at the standard input, and answer at the standard output."""
    limits = Limits(*most)
    reader = DirectReader(formats)
    reader.prepare(kind)
    data = sys.stdin.buffer.read()
    if kind in _LOADED:
        _LOADED[kind](data)
    # From here on it is no longer our code alone that decides what happens.
    _limit(limits)
    kernel.shut(reads=kind not in _LOADED)
    _shut(code=tuple(os.path.join(folder, "") for folder in {*sys.path, sys.base_prefix}))
    try:
        said = answer.read(reader.read(kind, charset, data))
    except Unreadable as why:
        said = answer.unreadable(str(why))
    if len(said) > limits.answer:
        said = answer.unreadable(answer.TOO_LARGE)
    sys.stdout.buffer.write(said)


def _limit(limits: Limits) -> None:
    for what, soft, hard in (
        (resource.RLIMIT_AS, limits.memory, limits.memory),
        # A second before its end it dies in a way of which it is known why.
        (resource.RLIMIT_CPU, limits.cpu, limits.cpu + 1),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 64, 64),
        (resource.RLIMIT_NPROC, 0, 0),
    ):
        # Refused where it is lower already; and by a Mac, which does not limit memory so.
        with suppress(ValueError):
            resource.setrlimit(what, (soft, hard))
    # Who started it ends it sooner, unless that one is gone.
    signal.alarm(limits.wall + 10)


def _shut(code: tuple[str, ...]) -> None:
    """Let nothing out from now on, and nothing in but code."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(_FORBIDDEN) and event not in _ALLOWED:
            raise PermissionError(f"{event} is not for those who read files")
        if event == "open":
            path, _, flags = arguments
            if flags & kernel.WRITING or not os.path.abspath(os.fsdecode(path)).startswith(code):
                raise PermissionError(f"{path!r} is not for those who read files")

    sys.addaudithook(refuse)
