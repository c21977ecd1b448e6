"""Has each file read by a fresh process, and ends that when it takes too long."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from time import monotonic
from typing import IO

from rag import timing
from rag.adapters.confined.answer import TOO_LARGE, understood
from rag.adapters.confined.limits import Limits
from rag.adapters.direct import FORMATS, DirectReader
from rag.errors import Unreadable
from rag.model import Parsed

# What our own code reads, in no time, where its charset is known: not worth a process, up to so
# many bytes.
PLAIN = frozenset({"text", "markdown"})
MOST_PLAIN = 2_000_000
# How often to see whether there is still time.
LOOK_SECONDS = 0.5
# What is given to a process that has answered to end.
END_SECONDS = 10
PIECE = 2**16

TOO_LONG = "takes too long to read"
BROKEN = "is damaged, or needs more memory than reading may take"

_START = """
import json, sys
sys.path[:], *told = json.loads(sys.argv[1])
from rag.adapters.confined.child import main
main(*told)
"""


class ConfinedReader:
    """Reads files that nobody vouches for: within limits, and away from this process's secrets.

    A process kept for many files would save 40 to 130 milliseconds of each. A fresh one has all
    its time and memory for this file, and nothing left in it of another org's."""

    def __init__(self, limits: Limits | None = None, formats: str = FORMATS) -> None:
        self._limits = limits or Limits()
        self._formats = formats

    def read(self, kind: str, charset: str, data: bytes) -> Parsed:
        """Raises Unreadable, and DeadlineExceeded where the time of the request is up."""
        if kind in PLAIN and len(data) <= MOST_PLAIN and _is_utf8(data):
            return DirectReader(self._formats).read(kind, charset, data)
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            with self._started(file, kind, charset) as child:
                try:
                    answer = self._answer(child)
                finally:
                    _end(child)
        try:
            return understood(answer)
        except (LookupError, TypeError, ValueError, RecursionError) as error:
            raise Unreadable(BROKEN) from error

    def _started(self, file: IO[bytes], kind: str, charset: str) -> Popen[bytes]:
        # Its own folder is another, and whatever made this process find its code may not be there.
        path = [os.path.abspath(folder) for folder in sys.path]
        told = json.dumps([path, kind, charset, self._formats, self._limits])
        return Popen(
            [sys.executable, "-I", "-S", "-c", _START, told],
            stdin=file,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd="/",
            env=_environment(),
            start_new_session=True,  # who interrupts a server does not mean the file
        )

    def _answer(self, child: Popen[bytes]) -> bytearray:
        """All that the process writes, if it ends well."""
        answer = bytearray()
        for piece in self._pieces(child):
            answer += piece
            if len(answer) > self._limits.answer:
                raise Unreadable(TOO_LARGE)
        try:
            code = child.wait(END_SECONDS)
        except TimeoutExpired as late:
            raise Unreadable(TOO_LONG) from late
        if code != 0:
            raise Unreadable(TOO_LONG if code == -signal.SIGXCPU else BROKEN)
        return answer

    def _pieces(self, child: Popen[bytes]) -> Iterator[bytes]:
        until = monotonic() + self._limits.wall
        output = child.stdout.fileno() if child.stdout else -1
        with DefaultSelector() as waiting:
            waiting.register(output, EVENT_READ)
            while True:
                timing.check()
                if monotonic() > until:
                    raise Unreadable(TOO_LONG)
                if waiting.select(LOOK_SECONDS):
                    piece = os.read(output, PIECE)
                    if not piece:
                        return
                    yield piece


def _environment() -> dict[str, str]:
    """No keys. Only by this path does Lambda's Python find the library that it is made of."""
    known = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return {"LC_ALL": "C.UTF-8", **known}


def _end(child: Popen[bytes]) -> None:
    """With all that it may have started: any of them could hold the pipe open."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _is_utf8(data: bytes) -> bool:
    if b"\x1b" in data:
        return False  # it may say that plain letters mean others
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
