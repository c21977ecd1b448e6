"""Does what its file tells it to, as a reader would that has a hole in it."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PLACE = "/tmp/rogue"


def spin() -> str:
    while True:
        pass


def sleep() -> str:
    time.sleep(1000)
    return ""


def segfault() -> str:
    return str(ctypes.string_at(0))


def abort() -> str:
    os.abort()


def leave() -> str:
    os._exit(0)


def hang_up() -> str:
    os.close(1)
    return spin()


def babble() -> str:
    os.write(1, b"{" * 10)
    os._exit(0)


def nest() -> str:
    os.write(1, b"[" * 60_000 + b"\n")
    os._exit(0)


def bloat() -> str:
    """What takes twenty times as much memory once it is understood."""
    os.write(1, b"[")
    for _ in range(150):
        os.write(1, b"[]," * 20_000)
    os._exit(0)


def trick() -> str:
    os.write(1, b'{"title": [], "marks": [[0]], "properties": 7, "cautions": {}}\nPond')
    os._exit(0)


def flood() -> str:
    while True:
        os.write(1, b"x" * 1_000_000)


def hoard() -> str:
    return "x" * 2_000_000_000


def write_much() -> str:
    return "x" * 3_000_000


def recurse() -> str:
    return recurse()


def fail() -> str:
    raise AttributeError("nobody has foreseen this")


def environment() -> str:
    return ",".join(sorted(os.environ))


def folder() -> str:
    return os.getcwd()


ESCAPES: dict[str, Callable[[], object]] = {
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
    "open a socket": lambda: socket.socket(),
    "look up a name": lambda: socket.getaddrinfo("example.com", 80),
    "run a program": lambda: subprocess.run(["true"], check=False),
    "run a shell": lambda: os.system("true"),
    "fork": lambda: os.fork(),
    "become another": lambda: os.execv("/bin/true", ["true"]),
    "end its parent": lambda: os.kill(os.getppid(), signal.SIGTERM),
    "write a file": lambda: Path(PLACE).write_text("x"),
    "open a file to write": lambda: os.open(PLACE, os.O_WRONLY | os.O_CREAT),
    "remove a file": lambda: os.remove(__file__),
    "move a file": lambda: os.rename(__file__, PLACE),
    "make a folder": lambda: os.mkdir(PLACE),
    "remove a folder": lambda: shutil.rmtree(PLACE),
    "load a library": lambda: ctypes.CDLL(None),
    "read a file": lambda: Path("/etc/passwd").read_text(),
    "read its parent's secrets": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    "read a file beside our code": lambda: Path(__file__, "../../../../secret").read_bytes(),
}


# As a library would that a file has taken over: Python hears nothing of it.
LIBC = ctypes.CDLL(None)
NATIVE_ESCAPES: dict[str, Callable[[], int]] = {
    "open a socket": lambda: LIBC.socket(2, 1, 0),
    "fork": lambda: LIBC.fork(),
    "become another": lambda: LIBC.execv(b"/bin/true", None),
    "signal its parent": lambda: LIBC.kill(os.getppid(), 0),
    "make a file": lambda: LIBC.open(PLACE.encode(), os.O_WRONLY | os.O_CREAT, 0o600),
    "empty a file": lambda: LIBC.open(__file__.encode(), os.O_RDONLY | os.O_TRUNC),
    "remove a file": lambda: LIBC.unlink(PLACE.encode()),
    "move a file": lambda: LIBC.rename(PLACE.encode(), PLACE.encode()),
    "make a folder": lambda: LIBC.mkdir(PLACE.encode(), 0o700),
    "keep some memory": lambda: LIBC.shmget(0, 4096, 0o1600),
    "look into its parent": lambda: LIBC.ptrace(16, os.getppid(), None, None),
    "read its parent's secrets": lambda: LIBC.open(f"/proc/{os.getppid()}/environ".encode(), 0),
}


def escape_natively() -> str:
    """Those that have worked."""
    worked = [way for way, attempt in NATIVE_ESCAPES.items() if attempt() >= 0]
    return f"escaped: {worked}"


def escape() -> str:
    """Those that have worked."""
    worked = []
    for way, attempt in ESCAPES.items():
        try:
            attempt()
        except PermissionError:
            continue
        worked.append(way)
    return f"escaped: {worked}"


def read(told: str) -> str:
    act: Callable[[], str] = globals()[told]
    return act()
