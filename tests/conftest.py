"""What tests of every room share."""

from __future__ import annotations

import os
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
import uvicorn

from infra.local.openai_server import OpenAILoopback
from infra.local.pinecone_server import PineconeServer
from infra.local.serve import embedded_app
from rag.adapters.aws.clients import client
from rag.adapters.aws.items import DynamoItems
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.items import SqliteItems
from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.ports import Items
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from tests.loopback import OpenAIApi, serving


class Clock:
    """A clock that goes only when it is told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def dice() -> random.Random:
    """Chance, other in every run: a failure shows the seed, and SEED=… repeats it."""
    seed = os.environ.get("SEED") or secrets.token_hex(4)
    print(f"SEED={seed}")
    return random.Random(seed)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "items.sqlite")
    yield database
    database.close()


@pytest.fixture
def sqlite_items(database: Database, clock: Clock) -> SqliteItems:
    return SqliteItems(database, clock)


@pytest.fixture
def dynamo_items(dynamodb_table: tuple[Any, str], clock: Clock) -> DynamoItems:
    return DynamoItems(*dynamodb_table, clock)


@pytest.fixture(params=["sqlite", "dynamo"])
def items(request: pytest.FixtureRequest) -> Items:
    """Items on each of their adapters."""
    found: Items = request.getfixturevalue(f"{request.param}_items")
    return found


class OneAtATime:
    """A client whose calls wait for each other: the emulation in this process cannot do two."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*arguments: Any, **named: Any) -> Any:
            with self._lock:
                return method(*arguments, **named)

        return call


@pytest.fixture(scope="session")
def aws() -> Iterator[Callable[[str], Any]]:
    """Clients of services emulated in this process, or at AWS_ENDPOINT_URL if that is set."""
    make = partial(client, region="eu-central-1")
    if os.environ.get("AWS_ENDPOINT_URL"):
        yield cache(make)
        return
    from moto import mock_aws

    with mock_aws():
        yield cache(lambda service: OneAtATime(make(service)))


@pytest.fixture
def dynamodb_table(aws: Callable[[str], Any]) -> Iterator[tuple[Any, str]]:
    """A client and an empty table, as the template makes it."""
    dynamodb, name = aws("dynamodb"), f"items-{secrets.token_hex(4)}"
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    )
    yield dynamodb, name
    dynamodb.delete_table(TableName=name)


@pytest.fixture
def bucket(aws: Callable[[str], Any]) -> tuple[Any, str]:
    """A client and an empty bucket that keeps versions, as the template makes it."""
    s3, name = aws("s3"), f"uploads-{secrets.token_hex(4)}"
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    return s3, name


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    """The real model, loaded once."""
    return MiniLM()


@contextmanager
def serving_pinecone(dimension: int) -> Iterator[PineconeServer]:
    """Pinecone's data plane on a port of its own: an index of so many dimensions."""
    server = PineconeServer(dimension)
    thread = server.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def pinecone_server() -> Iterator[PineconeServer]:
    """An index of eight dimensions."""
    with serving_pinecone(8) as server:
        yield server


class Server:
    """The embedded server on a port of its own, in a thread of this process."""

    def __init__(
        self, minilm: MiniLM, data_dir: Path, environment: dict[str, str], **parts: Any
    ) -> None:
        self.settings = Settings.from_environment({"DATA_DIR": str(data_dir), **environment})
        self.footnote = bootstrap(self.settings, **{"embedder": minilm, **parts})
        self.footnote.ready()
        self.lines: list[dict[str, Any]] = []
        self.app = embedded_app(self.footnote, self.settings, self.lines.append)
        config = uvicorn.Config(self.app, port=0, log_level="error", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.http = httpx.Client(base_url=self.url, timeout=60)

    def token(self, sub: str = "ann", org: str = "acme", **claims: Any) -> dict[str, str]:
        """Headers with a token of this server's secret."""
        secret = self.footnote.authenticator.secret
        assert secret
        token = jwt.encode({"sub": sub, "org": org, **claims}, secret, "HS256")
        return {"Authorization": f"Bearer {token}"}

    def line(self, answer: httpx.Response) -> dict[str, Any]:
        """What was logged of a request: that happens just after it is answered."""
        while True:
            for line in self.lines:
                if line["request_id"] == answer.headers["x-request-id"]:
                    return line
            time.sleep(0.005)

    def stop(self) -> None:
        self.http.close()
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture
def start(minilm: MiniLM, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers, each on the same data unless told otherwise, and stops them."""
    servers: list[Server] = []

    def begin(environment: dict[str, str] | None = None, **parts: Any) -> Server:
        servers.append(Server(minilm, tmp_path / "data", environment or {}, **parts))
        return servers[-1]

    yield begin
    for server in servers:
        server.stop()


@pytest.fixture
def server(start: Callable[..., Server]) -> Server:
    return start()


@pytest.fixture
def http(server: Server) -> httpx.Client:
    """A client of a fresh server whose caller owns org `local`."""
    return server.http


@pytest.fixture(scope="session")
def openai_server(minilm: MiniLM) -> Iterator[OpenAIApi]:
    loopback = OpenAILoopback(minilm)
    with serving(loopback.app) as url:
        api = OpenAIApi(loopback, url)
        yield api
        api.client.close()


@pytest.fixture
def openai_api(openai_server: OpenAIApi) -> OpenAIApi:
    """OpenAI's API, behaving and with nothing asked yet."""
    openai_server.loopback.faults.clear()
    openai_server.loopback.requests.clear()
    return openai_server
