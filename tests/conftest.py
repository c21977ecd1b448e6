"""What tests of every room share."""

from __future__ import annotations

import gc
import os
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import jwt
import pytest
import uvicorn
from hypothesis import HealthCheck, settings

from infra.local.backends import KEY, REGION, Place
from infra.local.backends import aws as aws_emulator
from infra.local.openai_server import OpenAILoopback
from infra.local.pinecone_server import PineconeServer
from infra.local.resources import make_bucket, make_table
from infra.local.serve import embedded_app
from rag.adapters.aws.clients import client
from rag.adapters.aws.items import DynamoItems
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.items import SqliteItems
from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.ports import Items
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from tests.answerers import ORDERS
from tests.dynamodb import DynamoDBServer
from tests.loopback import OpenAIApi, PromptServer, free_port, serving

Clients: TypeAlias = Callable[[str], Any]

# How busy the machine is says nothing about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

MEMORY = Path("/dev/shm")
ROOM = 6_000_000_000  # bytes; the functions that the stack unpacks take a third
TEMPORARY = "PYTEST_DEBUG_TEMPROOT"  # where pytest makes the folders of tests

STOPPED = count(1)  # servers

EMULATORS = ["moto", pytest.param("ministack", marks=pytest.mark.integration)]


class Clock:
    """A clock that goes only when it is told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def pytest_configure() -> None:
    """Keep what tests write in memory, where there is room: no test cuts the power, and most would
    wait for the disk longer than they work."""
    if not MEMORY.is_dir() or TEMPORARY in os.environ:
        return
    told = os.statvfs(MEMORY)
    if told.f_bavail * told.f_frsize >= ROOM and not told.f_flag & os.ST_NOEXEC:
        os.environ[TEMPORARY] = str(MEMORY)


def pytest_collection_finish() -> None:
    """Whoever collects garbage need not look at what was imported."""
    gc.freeze()


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


@pytest.fixture(params=["sqlite", *EMULATORS])
def items(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Items]:
    """Items on each of their adapters."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_items")
        return
    with new_table(request.getfixturevalue(request.param)) as table:
        yield DynamoItems(*table, clock)


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
def moto() -> Iterator[Clients]:
    """AWS as it is emulated in this process."""
    from moto import mock_aws

    with mock_aws(), pytest.MonkeyPatch.context() as patch:
        # Whoever has exported where `make backends` serves shall not find the tests there.
        patch.delenv("AWS_ENDPOINT_URL", raising=False)
        yield cache(lambda service: OneAtATime(client(service, region=REGION)))


@pytest.fixture(scope="session")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    """AWS as `make backends` has it: an emulator for these tests alone, which does many at once."""
    emulator = aws_emulator(Place(folder=tmp_path_factory.mktemp("aws"), aws_port=free_port()))
    emulator.start()
    emulator.wait()
    with pytest.MonkeyPatch.context() as patch, ExitStack() as clients:
        patch.setenv("AWS_ACCESS_KEY_ID", KEY)
        patch.setenv("AWS_SECRET_ACCESS_KEY", KEY)

        def make(service: str) -> Any:
            made = client(service, region=REGION, endpoint=emulator.url)
            return clients.enter_context(closing(made))

        yield cache(make)
    emulator.stop()


@pytest.fixture(params=EMULATORS)
def aws(request: pytest.FixtureRequest) -> Clients:
    """Clients of AWS on each of its emulators."""
    clients: Clients = request.getfixturevalue(request.param)
    return clients


@contextmanager
def new_table(aws: Clients) -> Iterator[tuple[Any, str]]:
    """A client and an empty table, as the template makes it."""
    dynamodb, name = aws("dynamodb"), f"items-{secrets.token_hex(4)}"
    make_table(dynamodb, name)
    yield dynamodb, name
    dynamodb.delete_table(TableName=name)


@pytest.fixture
def dynamodb_server(moto: Clients) -> Iterator[DynamoDBServer]:
    """DynamoDB on a port of its own, with two empty tables."""
    server = DynamoDBServer(REGION)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    dynamodb = client("dynamodb", region=REGION, endpoint=server.url)
    for table in (server.items, server.fleeting):
        make_table(dynamodb, table)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def new_bucket(aws: Clients) -> tuple[Any, str]:
    """A client and an empty bucket, as the template makes it."""
    s3, name = aws("s3"), f"uploads-{secrets.token_hex(4)}"
    make_bucket(s3, name, REGION)
    return s3, name


@pytest.fixture
def dynamodb_table(aws: Clients) -> Iterator[tuple[Any, str]]:
    with new_table(aws) as table:
        yield table


@pytest.fixture
def bucket(aws: Clients) -> tuple[Any, str]:
    return new_bucket(aws)


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
        config = uvicorn.Config(
            self.app, port=0, log_level="error", access_log=False, proxy_headers=False
        )
        self._server = PromptServer(config)
        self.url = self._server.start()
        # Nothing is encrypted here, and reading all the world's certificates takes a while.
        self.http = httpx.Client(base_url=self.url, timeout=60, verify=False)

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
        self._server.stop()
        # FastAPI remembers for good whose methods it has served, and so their database.
        if database := vars(self.footnote.parts).get("_database"):
            database.close()
        # What else it has open is closed when it is collected, and that alone might be late.
        if next(STOPPED) % 50 == 0:
            gc.collect()


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
    loopback = OpenAILoopback(minilm, ORDERS)
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
