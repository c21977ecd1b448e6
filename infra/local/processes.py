"""Servers in the background that outlive the command which started them."""

from __future__ import annotations

import errno
import fcntl
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KEPT = ("HOME", "LANG", "PATH", "TMPDIR")  # of our environment; nothing else changes a daemon
START_SECONDS = 60
STOP_SECONDS = 15
PAUSE = 0.02


class NotStarted(Exception):
    """A server does not serve; the message says why and what to do."""


@dataclass
class Daemon:
    """A server that is started once, found again by its record, and started anew when it died.

    The process holds a lock on its record for as long as it lives, however it ends: so a process
    number that has passed to another program is never taken for ours.
    """

    name: str
    command: Sequence[str]
    host: str
    port: int
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    path: str = "/"  # is asked to learn whether it serves: any answer will do
    way_out: str = ""  # of a port that is taken
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False, repr=False)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        if not self._record.exists():
            return False
        with self._record.open() as record:
            return not _lock(record)

    @property
    def pid(self) -> int:
        """The process, if it is running."""
        pid: int = self._recorded()["pid"]
        return pid

    def start(self) -> None:
        """Have it run, as it is described here."""
        if self.running and self._recorded()["as"] != self._description():
            self.stop()
        if not self.running:
            self._launch()

    def wait(self) -> None:
        """Return when it answers. Raises NotStarted."""
        patience = time.monotonic() + START_SECONDS
        while not self._answers():
            if not self.running:
                raise NotStarted(f"{self.name} ended at once: {self._last_words()}")
            if time.monotonic() > patience:
                raise NotStarted(f"{self.name} does not answer; its log is {self._log}.")
            time.sleep(PAUSE)

    def stop(self) -> None:
        """Ask it to end, and end it when it does not."""
        patience = time.monotonic() + STOP_SECONDS
        with suppress(ProcessLookupError):
            if self.running:
                os.kill(self.pid, signal.SIGTERM)
            while self.running:
                if time.monotonic() > patience:
                    os.killpg(self.pid, signal.SIGKILL)
                time.sleep(PAUSE)
        if self._process:
            self._process.wait()
        self._record.unlink(missing_ok=True)

    def _launch(self) -> None:
        self._refuse_what_cannot_be_served()
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._record.open("w") as record, self._log.open("ab") as log:
            _lock(record)
            try:
                self._process = subprocess.Popen(
                    self.command,
                    env=self._environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=[record.fileno()],
                    start_new_session=True,
                )
            except FileNotFoundError as missing:
                raise NotStarted(
                    f"{self.name} is not set up, there is no {missing.filename}: infra/local/setup"
                    " makes it."
                ) from missing
            json.dump({"pid": self._process.pid, "as": self._description()}, record)

    def _refuse_what_cannot_be_served(self) -> None:
        with socket.socket() as probe:
            # As servers do: connections that have just ended stand in nobody's way.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    reason = os.strerror(error.errno or 0).lower()
                    raise NotStarted(f"Nothing can be served on {self.host}: {reason}.") from error
                raise NotStarted(
                    f"Port {self.port} of {self.host}, where {self.name} is to be, is taken by"
                    f" another program{self.way_out}."
                ) from error

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=5)
        try:
            connection.request("GET", self.path)
            connection.getresponse().read()
            return True
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {**kept, **self.environment}

    def _description(self) -> dict[str, Any]:
        return {"command": list(self.command), "environment": dict(self.environment)}

    def _recorded(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self._record.read_text())
        return record

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "it said nothing")

    @property
    def _record(self) -> Path:
        return self.folder / f"{self.name}.pid"

    @property
    def _log(self) -> Path:
        return self.folder / f"{self.name}.log"


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait for other commands that start or stop what is in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


def _lock(file: Any) -> bool:
    """Lock it until it is closed, by us and by whom we have passed it to; False if others have."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
