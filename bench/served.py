"""The embedded server in a process of its own, and its callers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

HOST = "127.0.0.1"
PATIENCE = 60.0  # seconds for a server to start, and for an answer


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is up."""

    port: int
    start_milliseconds: float

    def caller(self, **headers: str) -> Caller:
        """A new caller, with a connection of its own, who sends these with every call."""
        return Caller(self.port, headers)


class Caller:
    """Calls the API over one connection that stays open."""

    def __init__(self, port: int, headers: Mapping[str, str] | None = None) -> None:
        self._connection = HTTPConnection(HOST, port, timeout=PATIENCE)
        self._headers = {"Content-Type": "application/json", **(headers or {})}

    def get(self, path: str) -> Any:
        """The answer to a GET. Raises OSError if there is none, or it is not 200."""
        return self._answer("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The answer to a POST. Raises OSError if there is none, or it is not 200."""
        return self._answer("POST", path, json.dumps(body).encode())

    def send(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        """Status and content of whatever is answered. Raises OSError if nothing is."""
        try:
            self._connection.request(method, path, body, self._headers)
            response = self._connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException) as silent:
            self._connection.close()  # the next call opens it anew
            raise OSError(f"{method} {path}: {silent!r}") from silent

    def _answer(self, method: str, path: str, body: bytes | None) -> Any:
        status, answer = self.send(method, path, body)
        if status != 200:
            raise OSError(f"{method} {path}: {status} {answer[:500]!r}")
        return json.loads(answer)


@contextmanager
def served(data_dir: Path, log: Path = Path(os.devnull), **more: str) -> Iterator[Server]:
    """Start a server over a folder of data, and stop it in the end."""
    port = free_port()
    settings = {"DATA_DIR": str(data_dir), "HOST": HOST, "PORT": str(port), "AUTH": "open", **more}
    begun = perf_counter()
    with log.open("w") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", "infra.local.serve"], env=os.environ | settings, stdout=lines
        )
    try:
        while not _is_up(port):
            if process.poll() is not None or perf_counter() - begun > PATIENCE:
                raise OSError("The embedded server does not start.")
            sleep(0.01)
        yield Server(port, (perf_counter() - begun) * 1000)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _is_up(port: int) -> bool:
    with suppress(OSError):
        return bool(Caller(port).get("/health")["status"] == "ok")
    return False


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
