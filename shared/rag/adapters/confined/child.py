"""The process that reads one file: within limits, with no network, no secrets, and nothing to see
or to write but that file and its text.

A reader that is led astray by its file can at worst give a wrong text, or none.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from rag.adapters.confined import answer
from rag.adapters.confined.limits import Limits
from rag.adapters.direct import DirectReader
from rag.errors import Unreadable

# What Python tells of before it does it. Folders are listed by whoever imports.
_FORBIDDEN = (
    "ctypes.dlopen", "fcntl.", "ftplib.", "http.", "os.", "pty.", "shutil.", "signal.", "smtplib.",
    "socket.", "sqlite3.", "subprocess.", "syslog.", "tempfile.", "urllib.", "webbrowser.",
)  # fmt: skip
_ALLOWED = frozenset({"os.listdir"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(kind: str, charset: str, formats: str, most: Sequence[int]) -> None:
    """Read the file at the standard input, and answer at the standard output."""
    limits = Limits(*most)
    reader = DirectReader(formats)
    reader.prepare(kind)
    # From here on it is no longer our code alone that decides what happens.
    _limit(limits)
    _shut(code=tuple(os.path.join(folder, "") for folder in {*sys.path, sys.base_prefix}))
    try:
        said = answer.read(reader.read(kind, charset, sys.stdin.buffer.read()))
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
    ):
        # Refused where it is lower already; and by a Mac, which does not limit memory so.
        with suppress(ValueError):
            resource.setrlimit(what, (soft, hard))


def _shut(code: tuple[str, ...]) -> None:
    """Let nothing out from now on, and nothing in but code."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(_FORBIDDEN) and event not in _ALLOWED:
            raise PermissionError(f"{event} is not for those who read files")
        if event == "open":
            path, _, flags = arguments
            if flags & _WRITING or not os.path.abspath(os.fsdecode(path)).startswith(code):
                raise PermissionError(f"{path!r} is not for those who read files")

    sys.addaudithook(refuse)
