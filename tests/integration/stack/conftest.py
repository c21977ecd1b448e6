"""The template, deployed onto the emulator with IAM enforced: one stack for all tests of a run.

Processes of one run share it. Each test has an org of its own; one that hurts a part which others
use has the stack to itself.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import httpx
import jwt
import pytest

from infra.local import backends
from infra.local.backends import ROOT, Place
from infra.local.stack import Stack
from tests.integration.conftest import command
from tests.loopback import free_port

BUILT = ROOT / ".aws-sam" / "test"  # kept, so that the next run builds only what has changed
PATIENCE = 240  # seconds; generous, since nobody is measured by it

Found = TypeVar("Found")


def until(look: Callable[[], Found | None], patience: float = PATIENCE) -> Found:
    """What is seen as soon as there is something to see."""
    deadline = time.monotonic() + patience
    while not (seen := look()):
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.1)
    return seen


@dataclass(frozen=True)
class Org:
    """An org that nobody else knows, and its people at the door."""

    running: Running
    name: str = field(default_factory=lambda: f"org-{secrets.token_hex(4)}")

    def token(self, sub: str = "ann", **claims: Any) -> str:
        return jwt.encode({"sub": sub, "org": self.name, **claims}, self.running.secret, "HS256")

    def client(self, sub: str, **claims: Any) -> httpx.Client:
        """A member's client."""
        return self.running.client(Authorization=f"Bearer {self.token(sub, **claims)}")

    @cached_property
    def http(self) -> httpx.Client:
        """Ann's client."""
        return self.client("ann")

    def upload(self, path: str, file: str | bytes, **more: Any) -> None:
        key, bucket = self.key(path), self.running.settings["UPLOADS_BUCKET"]
        data = file.encode() if isinstance(file, str) else file
        self.running.aws("s3").put_object(Bucket=bucket, Key=key, Body=data, **more)

    def remove(self, path: str) -> None:
        key, bucket = self.key(path), self.running.settings["UPLOADS_BUCKET"]
        self.running.aws("s3").delete_object(Bucket=bucket, Key=key)

    def key(self, path: str) -> str:
        return f"uploads/{self.name}/default/{path}"

    def search(self, query: str) -> list[dict[str, Any]]:
        answer = self.http.post("/api/rag/search", json={"query": query})
        assert answer.status_code == 200, answer.text
        results: list[dict[str, Any]] = answer.json()["results"]
        return results

    def paths(self) -> list[str]:
        """The paths of all documents."""
        found: list[str] = []
        page: dict[str, Any] = {"limit": 100}
        while True:
            answer = self.http.get("/api/rag/documents", params=page).raise_for_status().json()
            found += [document["path"] for document in answer["documents"]]
            if not answer.get("next"):
                return sorted(found)
            page["after"] = answer["next"]

    def source(self, visibility: str) -> str:
        """A data source of Ann's."""
        body = {"name": "Ponds", "visibility": visibility}
        made = self.http.post("/api/rag/sources", json=body)
        assert made.status_code == 201, made.text
        id: str = made.json()["id"]
        return id

    def send(self, source: str, *documents: dict[str, Any], key: str = "") -> dict[str, Any]:
        """The job of these documents."""
        body = {"dataSourceId": source, "documents": documents}
        headers = {"Idempotency-Key": key} if key else {}
        answer = self.http.post("/api/rag/ingest", json=body, headers=headers)
        assert answer.status_code == 202, answer.text
        job: dict[str, Any] = answer.json()
        return job

    def job(self, id: str) -> dict[str, Any]:
        """The job as it is now."""
        job: dict[str, Any] = self.http.get(f"/api/rag/ingest/{id}").raise_for_status().json()
        return job

    def ended(self, id: str) -> dict[str, Any]:
        """The job, once nothing more becomes of it."""

        def look() -> dict[str, Any] | None:
            job = self.job(id)
            return job if job["status"] in ("completed", "failed") else None

        return until(look)

    def jobs(self) -> list[dict[str, Any]]:
        """The newest jobs."""
        jobs: list[dict[str, Any]] = (
            self.http.get("/api/rag/ingest").raise_for_status().json()["jobs"]
        )
        return jobs


class Running:
    """A deployed stack that serves."""

    def __init__(self, stack: Stack, place: dict[str, str]) -> None:
        self.stack = stack
        self.place = place
        self._clients: list[Any] = []
        self._aws: dict[str, Any] = {}

    @cached_property
    def settings(self) -> dict[str, str]:
        """What `make stack-env` exports."""
        return self.stack.exports

    @cached_property
    def secret(self) -> str:
        id = self.stack.deployed.outputs["TokenSecretId"]
        told = self.aws("secretsmanager").get_secret_value(SecretId=id)
        secret: str = json.loads(told["SecretString"])["JWT_SECRET"]
        return secret

    def aws(self, service: str) -> Any:
        """A client of the administrator's, made once: that takes a fifth of a second."""
        if service not in self._aws:
            self._aws[service] = self.stack.deployed.client(service)
            self._clients.append(self._aws[service])
        return self._aws[service]

    def waiting(self, which: str = "QUEUE_URL") -> int:
        """How many messages are in a queue, those in a worker's hands among them."""
        told = self.aws("sqs").get_queue_attributes(
            QueueUrl=self.settings[which], AttributeNames=["All"]
        )
        return sum(
            int(value)
            for name, value in told["Attributes"].items()
            if name.startswith("ApproximateNumberOfMessages")
        )

    def sweep(self) -> None:
        """What the schedule does every minute."""
        stack = self.stack.deployed
        done = stack.invoke(stack.resource("SweeperFunction"), {"every": 60})
        assert done.get("done"), done

    @contextmanager
    def slow_embeddings(self, times: int, seconds: float) -> Iterator[None]:
        """So many of the next texts take so long to be embedded."""
        faults = f"{backends.openai(self.stack.place).url}/faults"
        fault = {"kind": "slow", "path": "/v1/embeddings", "times": times, "seconds": seconds}
        httpx.post(faults, json=fault).raise_for_status()
        try:
            yield
        finally:
            httpx.delete(faults).raise_for_status()

    @contextmanager
    def ceiling(self, tier: str, burst: int) -> Iterator[None]:
        """All callers of a tier together may come so often, and then no more."""
        gateway = self.aws("apigateway")
        plan = {"usagePlanId": self.stack.deployed.resource(f"{tier.capitalize()}Plan")}
        before = gateway.get_usage_plan(**plan)["throttle"]

        def change(throttle: dict[str, float]) -> None:
            changes = [
                {"op": "replace", "path": f"/throttle/{name}", "value": str(value)}
                for name, value in throttle.items()
            ]
            gateway.update_usage_plan(**plan, patchOperations=changes)

        change({"rateLimit": 0.01, "burstLimit": burst})
        try:
            yield
        finally:
            change(before)

    def client(self, url: str = "", address: str = "", **headers: str) -> httpx.Client:
        """A client; of another machine, as the stack sees it, where it has an address of its
        own."""
        transport = httpx.HTTPTransport(local_address=address or None)
        url = url or self.stack.url
        client = httpx.Client(base_url=url, headers=headers, timeout=120, transport=transport)
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()


@contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, how)
        yield


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of this run's stack: started by who comes first, stopped by who leaves last."""
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    folder = folder / "stack"
    folder.mkdir(exist_ok=True)
    with (folder / "users").open("a") as using:
        with _locked(folder / "turn", fcntl.LOCK_EX):
            fcntl.flock(using, fcntl.LOCK_SH)
            if not (folder / "place.json").exists():
                _start(folder)
        yield folder
        # Unless somebody else still uses it.
        with _locked(folder / "turn", fcntl.LOCK_EX), suppress(BlockingIOError):
            fcntl.flock(using, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _stop(folder)


def _start(folder: Path) -> None:
    """`make stack`, as a person runs it."""
    ports = ("AWS_PORT", "OPENAI_PORT", "PINECONE_PORT", "STACK_PORT")
    place = {name: str(free_port()) for name in ports}
    place |= {"BACKENDS_DIR": str(folder / "backends"), "STACK_DIR": str(BUILT)}
    (folder / "place.json").write_text(json.dumps(place))
    started = command(folder, "stack", "start", **place)
    print(started.stderr, file=sys.stderr)
    if started.returncode:
        _stop(folder)
        pytest.fail(started.stderr)
    assert started.stdout == f"http://127.0.0.1:{place['STACK_PORT']}\n"


def _stop(folder: Path) -> None:
    stopped = command(folder, "stack", "stop", **_place(folder))
    (folder / "place.json").unlink()
    assert (stopped.returncode, stopped.stdout) == (0, ""), stopped.stderr


def _place(folder: Path) -> dict[str, str]:
    place: dict[str, str] = json.loads((folder / "place.json").read_text())
    return place


@contextmanager
def running_in(folder: Path, how: int = fcntl.LOCK_SH) -> Iterator[Running]:
    """The stack of that folder, beside others who use it or not."""
    place = _place(folder)
    stack = Stack(Place.from_environment(place), int(place["STACK_PORT"]))
    with _locked(folder / "door", how), closing(Running(stack, place)) as running:
        yield running


@pytest.fixture
def running(shared: Path) -> Iterator[Running]:
    """The stack, beside other tests."""
    with running_in(shared) as running:
        yield running


@pytest.fixture
def running_alone(shared: Path) -> Iterator[Running]:
    """The stack, without others who would feel what is done to it."""
    with running_in(shared, fcntl.LOCK_EX) as running:
        yield running


@pytest.fixture
def org(running: Running) -> Org:
    return Org(running)
