"""The embedded server and its commands as a person runs them: processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from rag.adapters.embedded.minilm.embedder import MiniLM
from tests.embedders import Hasty
from tests.loopback import free_port

pytest.register_assert_rewrite("tests.integration.tables")

ROOT = Path(__file__).parents[2]


def environment(data_dir: Path, **settings: str) -> dict[str, str]:
    """What a process of ours is to know, and nothing of the environment that tests run in."""
    python_path = os.pathsep.join([str(ROOT / "shared"), str(ROOT)])
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PYTHONPATH": python_path, "DATA_DIR": str(data_dir), **settings}


def command(
    data_dir: Path, module: str, *arguments: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -m infra.local.<module>` to its end."""
    return subprocess.run(
        [sys.executable, "-m", f"infra.local.{module}", *arguments],
        env=environment(data_dir, **settings),
        capture_output=True,
        text=True,
        check=False,
    )


class Process:
    """`python -m infra.local.serve` on a free port, its output in files."""

    def __init__(self, data_dir: Path, output: Path, **settings: str) -> None:
        port = free_port()
        self._stdout, self._stderr = output.with_suffix(".out"), output.with_suffix(".err")
        with self._stdout.open("w") as out, self._stderr.open("w") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "infra.local.serve"],
                env=environment(data_dir, PORT=str(port), **settings),
                stdout=out,
                stderr=err,
            )
        url = f"http://127.0.0.1:{port}"
        self.http = httpx.Client(base_url=url, timeout=60, verify=False)

    @property
    def stdout(self) -> str:
        return self._stdout.read_text()

    @property
    def stderr(self) -> str:
        return self._stderr.read_text()

    def wait_until_up(self) -> Process:
        while True:
            assert self._process.poll() is None, self.stderr
            try:
                assert self.http.get("/health").json()["status"] == "ok"
                return self
            except httpx.TransportError:
                time.sleep(0.02)

    def send(self, signal: signal.Signals) -> int:
        """End it by a signal and return its exit code."""
        self._process.send_signal(signal)
        return self._process.wait()

    def kill(self) -> None:
        """`kill -9`: nothing of it runs any more, not even to tidy up."""
        self.send(signal.SIGKILL)


@pytest.fixture
def hasty(minilm: MiniLM) -> Hasty:
    return Hasty(minilm)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def launch(data_dir: Path, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts servers on the same data, and leaves none behind."""
    launched: list[Process] = []

    def begin(**settings: str) -> Process:
        output = tmp_path / f"server-{len(launched)}"
        launched.append(Process(data_dir, output, **settings))
        return launched[-1].wait_until_up()

    yield begin
    for process in launched:
        process.kill()
        process.http.close()
