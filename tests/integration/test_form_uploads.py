"""`POST /uploads`: files that come by a form of the embedded server's own."""

from __future__ import annotations

import errno
import socket
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from rag.adapters.aws.objects import S3Objects
from rag.adapters.embedded.forms import SignedForms
from rag.ingest.notices import changes
from rag.runtime.secrets import local_secret
from tests.conftest import Clients, Clock, Server, new_bucket
from tests.integration.conftest import Process
from tests.multipart import TYPE, body, joined, part

KEY = "incoming/acme/up_1/newts.md"
LARGEST = 8 * 1024 * 1024
FRIEND = "https://friend.example"
STRANGER = "https://stranger.example"


def form(server: Server, key: str = KEY, largest: int = LARGEST) -> dict[str, str]:
    made = server.footnote.parts.forms.upload_form(key, "text/markdown", largest, 60)
    return dict(made.fields)


def upload(server: Server, fields: dict[str, str], data: bytes = b"# Newts", **more: Any) -> Any:
    return server.http.post("/uploads", data=fields, files={"file": ("any", data)}, **more)


def send(server: Server, content: bytes) -> httpx.Response:
    return server.http.post("/uploads", content=content, headers=TYPE)


def noticed(server: Server) -> list[str]:
    """The keys that were told of, in the order in which they come."""
    deliveries = server.footnote.parts.queue.receive(seconds=30)
    return [change.key for one in deliveries for change in changes(one.body)]


def files(folder: Path) -> set[str]:
    """Every file there, but those of databases."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)) for path in found if ".sqlite" not in path.name}


def is_refused(server: Server, answer: httpx.Response, status: int) -> None:
    """And nothing has come of it."""
    assert answer.status_code == status, answer.text
    assert set(answer.json()) - {"code"} == {"error", "message", "details"}
    assert answer.headers["x-request-id"]
    assert files(server.settings.data_dir) <= {"jwt-secret"}
    assert noticed(server) == []


# Files that are taken


@pytest.mark.parametrize("auth", ["open", "required"])
def test_a_file_is_kept_and_told_of_without_credentials(
    start: Callable[..., Server], auth: str
) -> None:
    server = start({"AUTH": auth})
    answer = upload(server, form(server), headers={"X-Request-ID": "mine"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["x-request-id"] == "mine"
    assert server.footnote.parts.objects.get(KEY) == b"# Newts"
    assert noticed(server) == [KEY]
    assert server.line(answer)["route"] == "/uploads"


def test_a_file_may_be_larger_than_other_bodies(server: Server) -> None:
    data = bytes(range(256)) * (LARGEST // 256)
    assert upload(server, form(server), data).status_code == 204
    assert server.footnote.parts.objects.get(KEY) == data


@pytest.mark.parametrize("path", ["/uploads/", "/uploads/x", "/api/rag/search", "/"])
def test_other_bodies_may_not(server: Server, path: str) -> None:
    answer = server.http.post(path, content=b"x" * (6 * 1024 * 1024 + 1))
    is_refused(server, answer, 413)


def test_a_file_is_never_in_memory(server: Server) -> None:
    piece, times = b"x" * 65_536, 1_000
    start, end = body(form(server, largest=len(piece) * times), part("file", b"|")).split(b"|")

    async def pieces() -> AsyncIterator[bytes]:
        yield start
        for _ in range(times):
            yield piece
        yield end

    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(server.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            return await http.post("/uploads", content=pieces(), headers=TYPE)

    tracemalloc.start()
    try:
        answer = anyio.run(post)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.status_code == 204
    head = server.footnote.parts.objects.head(KEY)
    assert head is not None
    assert head.size == len(piece) * times
    assert most < 8 * 1024 * 1024


# Files that are not


def test_a_signature_that_is_not_ours_is_refused(server: Server, clock: Clock) -> None:
    strangers = SignedForms("another secret", clock).upload_form(KEY, "text/markdown", 9, 60)
    is_refused(server, upload(server, dict(strangers.fields)), 403)
    wrong = {**form(server), "x-amz-signature": "0" * 64}
    is_refused(server, upload(server, wrong), 403)
    is_refused(server, upload(server, {**form(server), "x-amz-signature": "ü"}), 403)


def test_a_form_is_refused_once_its_time_is_over(
    start: Callable[..., Server], clock: Clock
) -> None:
    server = start(clock=clock)
    fields = form(server)
    clock.now += 60
    is_refused(server, upload(server, fields), 403)
    clock.now -= 0.01
    assert upload(server, fields).status_code == 204


def test_a_form_is_for_its_own_key_only(server: Server) -> None:
    other = {**form(server), "key": "incoming/rival/up_1/newts.md"}
    is_refused(server, upload(server, other), 403)


@pytest.mark.parametrize("key", ["../x", "a/../../x", "/tmp/x", "a/.unfinished-1", "a//b", "a\0b"])
def test_even_a_signed_key_stays_in_the_folder(
    server: Server, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.adapters.embedded.forms.names", lambda _: [])
    is_refused(server, upload(server, form(server, key)), 400)


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([part("key", "incoming/rival/up_1/x"), part("file", b"1")], 400),
        ([part("key", KEY), part("file", b"1")], 400),
        ([part("file", b"1"), part("file", b"2")], 400),
        ([part("file", b"1"), part("key", "incoming/rival/up_1/x")], 400),
        ([part("file", b"1"), part("any", "x")], 400),
        ([part("file", b"")], 400),
        ([part("File", b"1")], 400),
        ([part("file", b"1", header="X: " + "x" * 100_000 + "\r\n")], 400),
        ([part("file", b"1", header="X: x\r\n" * 1_000)], 400),
        ([part("any", "x" * 1_000_000), part("file", b"1")], 413),
        ([*(part(f"x{number}", "") for number in range(10_000)), part("file", b"1")], 413),
        ([joined([part("file", b"1")]), b"x" * 1_000_000], 413),
    ],
)
def test_a_form_that_others_might_read_otherwise_is_refused(
    server: Server, parts: list[bytes], status: int
) -> None:
    is_refused(server, send(server, body(form(server), *parts)), status)


def test_fields_must_come_before_the_file(server: Server) -> None:
    fields = [part(name, value) for name, value in form(server).items()]
    is_refused(server, send(server, joined([part("file", b"1"), *fields])), 400)


@pytest.mark.parametrize(
    ("type", "status"),
    [
        ("multipart/form-data", 400),
        ("multipart/form-data; boundary=", 400),
        ("multipart/form-data; boundary=other", 400),
        ("multipart/form-data; boundary=" + "-" * 10_000, 400),
        ("multipart/form-data" + ';"' * 10_000, 400),
        ("multipart/mixed; boundary=----boundary", 415),
        ("application/json", 415),
        ("", 415),
    ],
)
def test_what_is_no_such_form_is_refused(server: Server, type: str, status: int) -> None:
    content = body(form(server), part("file", b"1"))
    answer = server.http.post("/uploads", content=content, headers={"Content-Type": type})
    is_refused(server, answer, status)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_forms_are_posted(server: Server, method: str) -> None:
    is_refused(server, server.http.request(method, "/uploads"), 405)


# What comes without its end


def beginning(fields: dict[str, str], announced: int = 10**10) -> bytes:
    """A request up to where the file begins."""
    head = f"POST /uploads HTTP/1.1\r\nHost: localhost\r\nContent-Length: {announced}\r\n"
    head += f"Content-Type: {TYPE['Content-Type']}\r\n\r\n"
    return head.encode() + body(fields, part("file", b""), end="").removesuffix(b"\r\n")


@pytest.fixture
def connection(server: Server) -> Iterator[socket.socket]:
    address = httpx.URL(server.url)
    with socket.create_connection((address.host, address.port or 0)) as connected:
        yield connected


def test_a_file_that_is_too_large_is_refused_before_its_end(
    server: Server, connection: socket.socket
) -> None:
    connection.sendall(beginning(form(server, largest=1_000)) + b"x" * 1_100)
    assert b" 413 " in connection.recv(65_536).splitlines()[0]
    assert files(server.settings.data_dir) == {"jwt-secret"}


def test_a_form_that_is_not_good_is_refused_before_the_file_comes(
    server: Server, connection: socket.socket
) -> None:
    connection.sendall(beginning({**form(server), "x-amz-signature": "no"}) + b"x")
    assert b" 403 " in connection.recv(65_536).splitlines()[0]


def test_a_connection_that_breaks_off_leaves_nothing(
    server: Server, connection: socket.socket
) -> None:
    connection.sendall(beginning(form(server)) + b"x" * 1_000_000)
    connection.close()
    while not server.lines:
        time.sleep(0.005)
    assert files(server.settings.data_dir) == {"jwt-secret"}
    assert not (server.settings.data_dir / "incoming").exists()
    assert noticed(server) == []
    assert "failure" not in server.lines[0]


def test_a_full_disk_leaves_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    answer = upload(server, form(server))
    is_refused(server, answer, 500)
    assert server.line(answer)["failure"]["type"] == "OSError"


def test_a_server_that_is_killed_leaves_nothing(
    launch: Callable[..., Process], data_dir: Path
) -> None:
    server = launch()
    forms = SignedForms(local_secret(data_dir), time.time)
    fields = dict(forms.upload_form(KEY, "text/markdown", 10**9, 60).fields)
    before = files(data_dir)
    address = server.http.base_url
    with socket.create_connection((address.host, address.port or 0)) as connected:
        # More than buffers hold: when all is sent, the server has read most of it.
        connected.sendall(beginning(fields) + b"x" * 32_000_000)
        server.kill()
    assert files(data_dir) == before
    assert upload_to(launch(), fields) == 204
    assert files(data_dir) == before | {KEY}


def upload_to(server: Process, fields: dict[str, str]) -> int:
    files = {"file": ("any", b"# Newts")}
    return server.http.post("/uploads", data=fields, files=files).status_code


# Pages


def test_a_page_of_another_origin_may_not_send_a_form_to_a_laptop(
    start: Callable[..., Server],
) -> None:
    server = start({"CORS_ORIGINS": FRIEND})
    for headers in (
        {"Origin": STRANGER},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Host": "stranger.example"},
    ):
        answer = upload(server, form(server), headers=headers)
        is_refused(server, answer, 403)
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("auth", ["open", "required"])
def test_a_page_of_a_named_origin_may_send_a_form_and_read_what_came_of_it(
    start: Callable[..., Server], auth: str
) -> None:
    server = start({"AUTH": auth, "CORS_ORIGINS": FRIEND})
    headers = {"Origin": FRIEND, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    # A browser asks first where a page watches how far the upload is.
    asks = {**headers, "Access-Control-Request-Method": "POST"}
    expired = {**form(server), "x-amz-signature": "no"}
    for answer, status in (
        (server.http.options("/uploads", headers=asks), 200),
        (upload(server, form(server), headers=headers), 204),
        (upload(server, expired, headers=headers), 403),
        (upload(server, form(server, largest=1), headers=headers), 413),
    ):
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == FRIEND
    assert noticed(server) == [KEY]


def test_the_servers_own_pages_may_send_forms(server: Server) -> None:
    headers = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert upload(server, form(server), headers=headers).status_code == 204


def test_where_credentials_are_required_a_strangers_page_reads_no_answer(
    start: Callable[..., Server],
) -> None:
    """As with S3, it may send whatever form it was given."""
    server = start({"AUTH": "required", "CORS_ORIGINS": FRIEND})
    answer = upload(server, form(server), headers={"Origin": STRANGER})
    assert answer.status_code == 204
    assert "access-control-allow-origin" not in answer.headers


def test_bad_credentials_are_refused_though_none_are_needed(server: Server) -> None:
    headers = {"Authorization": "Bearer expired"}
    is_refused(server, upload(server, form(server), headers=headers), 401)


def test_a_bucket_takes_its_files_itself(start: Callable[..., Server], moto: Clients) -> None:
    server = start(objects=S3Objects(*new_bucket(moto)))
    is_refused(server, upload(server, form(server)), 404)
    is_refused(server, upload(server, form(server), b"x" * (7 * 1024 * 1024)), 413)
