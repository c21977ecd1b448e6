"""Functions under the real Lambda runtime, on this machine and without Docker.

Amazon's emulator of the runtime interface comes with the SAM CLI, and its client for Python is a
package. Python runs without its own site-packages, so that a function finds what it was built
with and nothing else.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

from infra.local.pack import compiled, prune

ROOT = Path(__file__).parents[2]
SAM = ROOT / ".sam"  # where `infra/local/setup sam` puts the SAM CLI
CACHE = ROOT / ".cache" / "lambda"
CLIENT = ROOT / "infra" / "local" / "requirements-lambda.txt"
LAYER = ROOT / "shared" / "requirements.txt"
INVOKE = "/2015-03-31/functions/function/invocations"
PATIENCE = 60.0  # seconds


class NoRuntime(Exception):
    """The emulator of Lambda's runtime is not there; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Built:
    """What `sam build` makes: a folder per function, and the layer's."""

    functions: Path
    layer: Path

    def path(self, function: str) -> list[Path]:
        """What this function finds on its path in Lambda."""
        return [self.functions / f"{function.capitalize()}Function", self.layer]


def built_by_hand(target: Path) -> Built:
    """Lay out every function and the layer as `sam build` does, and pack them as for Lambda."""
    built = Built(target, target / "Layer" / "python")
    shutil.copytree(installed(LAYER), built.layer)
    ours = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "shared" / "rag", built.layer / "rag", ignore=ours)
    for folder in sorted((ROOT / "functions").iterdir()):
        if (folder / "handler.py").exists():
            own = target / f"{folder.name.capitalize()}Function" / "functions" / folder.name
            shutil.copytree(folder, own, ignore=ours)
    prune(built.layer)
    compiled(target)
    return built


def built_by_sam(target: Path) -> Built:
    """What `sam build` has left there."""
    return Built(target, target / "Layer" / "python")


@dataclass(frozen=True, slots=True)
class Function:
    """A function that waits for its first event: nothing of it has been imported."""

    port: int
    log: Path

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """What it returns, or the error that Lambda makes of what it raised."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("POST", INVOKE, json.dumps(event))
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def timed(self, event: Mapping[str, Any]) -> tuple[float, Any]:
        """The milliseconds until it answered, and the answer."""
        begun = perf_counter()
        answer = self.invoke(event)
        return (perf_counter() - begun) * 1000, answer

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What it has logged as JSON."""
        found = []
        for line in self.log.read_text().splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if isinstance(line, dict)]


@contextmanager
def started(
    handler: str, path: list[Path], environment: Mapping[str, str], *, python: str = sys.executable
) -> Iterator[Function]:
    """A new container of a function; it imports and composes when its first event comes."""
    port, api = _free_port(), _free_port()
    addresses = [
        "--runtime-interface-emulator-address", f"127.0.0.1:{port}",
        "--runtime-api-address", f"127.0.0.1:{api}",
    ]  # fmt: skip
    # -S: without site-packages.
    command = [str(emulator()), *addresses, python, "-S", "-m", "awslambdaric", handler]
    paths = os.pathsep.join(map(str, [*path, installed(CLIENT)]))
    variables = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": paths,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_LAMBDA_FUNCTION_NAME": handler.split(".")[-2],
        # What Lambda says where a container is made for an event.
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        **environment,
    }
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("w") as out:
            process = subprocess.Popen(
                command, env=variables, cwd=folder, stdout=out, stderr=out, start_new_session=True
            )
        try:
            _wait_for(port, process)
            yield Function(port, log)
        finally:
            # The emulator does not take the runtime along.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.wait()


def installed(requirements: Path) -> Path:
    """The packages of a file of requirements, in a folder that is kept for the next time."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    key = sha256(requirements.read_bytes() + version.encode()).hexdigest()[:16]
    folder = CACHE / f"{requirements.parent.name}-{key}"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as draft:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile"]
            quiet = ["--disable-pip-version-check", "--no-warn-conflicts", "--target", draft]
            subprocess.run([*command, *quiet, "-r", str(requirements)], check=True)
            with suppress(OSError):  # somebody else was first
                Path(draft).rename(folder)
            Path(draft).mkdir(exist_ok=True)
    return folder


def emulator() -> Path:
    """Amazon's emulator of the runtime interface. Raises NoRuntime."""
    machine = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
    name = f"samcli/local/rapid/aws-lambda-rie-{machine}"
    found = next(iter(SAM.glob(f"lib/python3.*/site-packages/{name}")), None)
    if found is None:
        raise NoRuntime("The Lambda runtime is not here: run infra/local/setup sam.")
    return found


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = monotonic() + PATIENCE
    while monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        sleep(0.005)
    raise NoRuntime("The Lambda runtime does not start.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
