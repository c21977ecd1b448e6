"""`make backends` as a person runs it: started, used, hurt, started again, stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from rag.adapters.aws.clients import client
from rag.adapters.aws.items import DynamoItems
from rag.adapters.aws.objects import S3Objects
from rag.adapters.aws.queue import SqsQueue
from rag.ports import Key, Put
from tests.conftest import Clock
from tests.integration.conftest import Process, command
from tests.loopback import free_port

pytestmark = pytest.mark.integration

NAMES = ("aws", "openai", "pinecone")
NEWTS = {"source": "s", "path": "/p", "title": "Newts", "text": "Newts live in ponds."}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs `backends start` or `stop` on ports of its own, and leaves nothing running."""
    place = {f"{name.upper()}_PORT": str(free_port()) for name in NAMES}
    place["BACKENDS_DIR"] = str(tmp_path / "backends")

    def run(what: str, **more: str) -> subprocess.CompletedProcess[str]:
        return command(tmp_path, "backends", what, **{**place, **more})

    yield run
    run("stop")


def exported(ended: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """The environment after `eval` of what was printed."""
    assert ended.returncode == 0, ended.stderr
    lines = [re.fullmatch(r"export ([A-Z_]+)=(\S+)", line) for line in ended.stdout.splitlines()]
    return {line[1]: line[2] for line in lines if line} if all(lines) else pytest.fail(ended.stdout)


def pids(tmp_path: Path) -> dict[str, int]:
    folder = tmp_path / "backends"
    return {name: json.loads((folder / f"{name}.pid").read_text())["pid"] for name in NAMES}


@contextmanager
def clients(environment: dict[str, str]) -> Iterator[Callable[[Any], Any]]:
    """Makes clients of the AWS that the environment leads to."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as open:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, environment[name])
        where = {"region": environment["AWS_REGION"], "endpoint": environment["AWS_ENDPOINT_URL"]}
        yield lambda service: open.enter_context(closing(client(service, **where)))


def found(server: Process) -> list[str]:
    answer = server.http.post("/api/rag/search", json={"query": "Where do newts live?", "topK": 1})
    return [result["text"] for result in answer.raise_for_status().json()["results"]]


def upload(server: Process, data: bytes) -> None:
    """Upload a file to the bucket by a form, and wait until it is a document."""
    body = {"dataSourceId": "default", "filename": "toads.txt", "mediaType": "text/plain"}
    form = server.http.post("/api/rag/uploads", json={**body, "size": len(data)}).json()
    httpx.post(form["url"], data=form["fields"], files={"file": data}).raise_for_status()
    while True:
        job = server.http.get(f"/api/rag/ingest/{form['jobId']}").raise_for_status().json()
        if job["status"] not in ("queued", "processing"):
            break
        time.sleep(0.05)
    assert (job["status"], job["indexed"]) == ("completed", 1)


def test_the_clouds_parts_are_used_hurt_repaired_and_found_again(
    run: Run, launch: Callable[..., Process], tmp_path: Path, clock: Clock
) -> None:
    environment = exported(run("start"))
    server = launch(**environment)
    server.http.post("/api/rag/ingest", json=NEWTS).raise_for_status()
    assert found(server) == [NEWTS["text"]]
    with clients(environment) as aws:
        sqs = aws("sqs")
        queue, dead = (SqsQueue(sqs, environment[f"{which}QUEUE_URL"]) for which in ("", "DEAD_"))
        queue.send({"what": "ever"})  # the server's worker lays it aside
        while not (buried := dead.receive(seconds=0)):
            time.sleep(0.05)
        assert [message.body["reason"]["code"] for message in buried] == ["INVALID"]
        S3Objects(aws("s3"), environment["UPLOADS_BUCKET"]).put("kept/a", b"a")
        fleeting = DynamoItems(aws("dynamodb"), environment["FLEETING_TABLE"], clock)
        fleeting.write(Put(Key("a", "b"), {"n": 1}))

    upload(server, b"Toads live in woods.")
    before = pids(tmp_path)
    os.kill(before["pinecone"], signal.SIGKILL)
    assert exported(run("start")) == environment
    after = pids(tmp_path)
    assert [name for name in NAMES if after[name] != before[name]] == ["pinecone"]
    assert found(server) == [NEWTS["text"]]

    stopped = run("stop")
    assert (stopped.returncode, stopped.stdout) == (0, "")
    moved = exported(run("start", BACKENDS_HOST="127.0.0.2"))
    assert moved == {
        name: value.replace("127.0.0.1", "127.0.0.2") for name, value in environment.items()
    }
    assert found(launch(**moved)) == [NEWTS["text"]]
    with clients(moved) as aws:
        dead = SqsQueue(aws("sqs"), moved["DEAD_QUEUE_URL"])
        assert [message.body for message in dead.receive(seconds=0)] == [buried[0].body]
        assert S3Objects(aws("s3"), moved["UPLOADS_BUCKET"]).get("kept/a") == b"a"
        fleeting = DynamoItems(aws("dynamodb"), moved["FLEETING_TABLE"], clock)
        assert fleeting.get(Key("a", "b")) == {"n": 1}


def test_a_port_of_somebody_else_is_told(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused = run("start", AWS_PORT=str(port))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"backends: Port {port} of 127.0.0.1, where aws is to be, is taken by another program:"
        " stop that, or set AWS_PORT to another.\n"
    )


def test_a_port_that_is_no_number_is_told(run: Run) -> None:
    refused = run("start", AWS_PORT="http")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("backends: A port is a number: ")
