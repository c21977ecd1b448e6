"""The embedded server as a process: it starts, logs, stops, and says why when it cannot start."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from rag.runtime.slots import DATABASE
from tests.integration.conftest import ROOT, Process, command

DOCUMENT = {
    "source": "pond", "path": "/winter.md", "title": "Winter", "text": "Newts sleep in winter."
}  # fmt: skip
QUERY = "When do newts sleep?"


def search(http: httpx.Client, *, top_k: int) -> Any:
    """What is found; another `top_k` asks the index again, where the cache knows an answer."""
    answer = http.post("/api/rag/search", json={"query": QUERY, "topK": top_k})
    assert answer.status_code == 200, answer.text
    return answer.json()


def logged(process: Process) -> list[dict[str, Any]]:
    """The lines after the first, which says where the server is."""
    greeting, *lines = process.stdout.splitlines()
    assert str(process.http.base_url).rstrip("/") in greeting
    return [json.loads(line) for line in lines]


def test_it_answers_on_its_port(launch: Callable[..., Process]) -> None:
    health = launch().http.get("/health").json()
    assert health["status"] == "ok"
    assert health["runtime"] == "embedded"


def test_every_request_is_one_line_that_tells_no_secret(
    launch: Callable[..., Process], data_dir: Path
) -> None:
    made = command(data_dir, "credentials", "token", "ann", "acme", "", "", "")
    token = made.stdout.strip()
    process = launch()
    client = httpx.Client(
        base_url=process.http.base_url, headers={"Authorization": f"Bearer {token}"}
    )
    with client as http:
        answers = [
            http.post("/api/rag/ingest", json=DOCUMENT),
            http.post("/api/rag/search", json={"query": QUERY}),
            http.post("/api/chat", json={"message": QUERY, "useRag": True}),
            http.post("/api/rag/search", json={"query": QUERY, "topK": 99}),
            http.post("/api/chat", content=QUERY, headers={"Content-Type": "application/json"}),
            http.get("/api/rag/documents", params={"source": "newts"}),
            http.get("/api/rag/documents/doc_0"),
        ]
    process.send(signal.SIGTERM)

    lines = {line["request_id"]: line for line in logged(process)}
    of_ours = [lines[answer.headers["x-request-id"]] for answer in answers]
    assert [line["status"] for line in of_ours] == [answer.status_code for answer in answers]
    assert [line["route"] for line in of_ours] == [
        "/api/rag/ingest", "/api/rag/search", "/api/chat", "/api/rag/search", "/api/chat",
        "/api/rag/documents", "/api/rag/documents/{documentId}",
    ]  # fmt: skip
    for line in of_ours:
        assert line["org"] == "acme"
        assert line["ms"] >= 0
    assert {"chunk", "embed", "index", "publish"} <= set(of_ours[0]["stages"])
    assert {"retrieve", "read", "rerank"} <= set(of_ours[1]["stages"])
    for secret in ("newts", "sleep", token, token.rpartition(".")[2]):
        assert secret.lower() not in (process.stdout + process.stderr).lower()


def test_every_request_is_logged_once(launch: Callable[..., Process]) -> None:
    process = launch()
    ids = [f"request-{number}" for number in range(10)]
    for id in ids:
        process.http.get("/health", headers={"X-Request-ID": id})
    process.send(signal.SIGTERM)
    assert [line["request_id"] for line in logged(process)][-10:] == ids


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_cleanly_when_told_to(launch: Callable[..., Process], how: signal.Signals) -> None:
    process = launch()
    assert process.http.post("/api/rag/ingest", json=DOCUMENT).status_code == 200
    assert process.send(how) == 0
    assert process.stderr == ""


def test_documents_are_there_after_a_restart(launch: Callable[..., Process]) -> None:
    process = launch()
    assert process.http.post("/api/rag/ingest", json=DOCUMENT).status_code == 200
    found = search(process.http, top_k=5)
    assert found["resultCount"] == 1
    process.send(signal.SIGTERM)
    assert search(launch().http, top_k=6) == found


def test_an_index_of_another_model_is_refused_until_it_is_embedded_again(
    launch: Callable[..., Process], data_dir: Path
) -> None:
    process = launch()
    for number in range(3):
        body = {**DOCUMENT, "path": f"/{number}", "text": f"Newt {number} sleeps in winter."}
        assert process.http.post("/api/rag/ingest", json=body).status_code == 200
    found = search(process.http, top_k=5)
    process.send(signal.SIGTERM)
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as database:
        database.execute("UPDATE maker SET model = 'another-model', dimension = 8")
        database.execute("UPDATE entries SET vectors = zeroblob(32)")

    refused = command(data_dir, "serve", PORT="0")
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert "another-model" in line
    assert "`make reembed`" in line

    repaired = command(data_dir, "reembed")
    assert (repaired.returncode, repaired.stderr) == (0, "")
    assert "3 documents" in repaired.stdout
    assert search(launch().http, top_k=6) == found


def test_the_command_that_the_refusal_names_exists() -> None:
    named = subprocess.run(["make", "-n", "reembed"], cwd=ROOT, capture_output=True, text=True)
    assert named.returncode == 0, named.stderr
    assert "infra.local.reembed" in named.stdout


def test_a_port_in_use_is_said_in_one_line(data_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = command(data_dir, "serve", PORT=port)
    assert refused.returncode != 0
    assert "serves on" not in refused.stdout
    (line,) = refused.stderr.splitlines()
    assert port in line
    assert "in use" in line


@pytest.mark.parametrize("settings", [{"PORT": "many"}, {"AUTH": "maybe"}, {"LOG_LEVEL": "LOUD"}])
def test_a_setting_that_cannot_be_used_is_said_in_one_line(
    data_dir: Path, settings: dict[str, str]
) -> None:
    refused = command(data_dir, "serve", **settings)
    assert (refused.returncode, refused.stdout) == (2, "")
    (line,) = refused.stderr.splitlines()
    assert all(name in line and value in line for name, value in settings.items())
