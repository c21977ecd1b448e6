"""`kill -9` at random moments: what was answered is there, and nothing is there by half."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import httpx

from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.ingest.chunk import windows
from tests.integration.conftest import Process
from tests.integration.tables import only_live_versions_are_left, sweep_as_if_tomorrow

KILLS = 20
WRITERS = 4
PATHS = [f"/{name}" for name in ("ant", "bee", "cod", "doe", "eel", "fox")]
SENTENCES = [1, 3, 10, 45, 90]  # the last two are more than one chunk


@dataclass(slots=True)
class Version:
    """A text that was sent for a path: from when to when, and how it was answered, if it was."""

    path: str
    text: str
    sent: float
    ended: float = inf
    answer: httpx.Response | None = None


class Life:
    """What was sent to the server from one start to the next kill."""

    def __init__(self, http: httpx.Client, name: str) -> None:
        self._http = http
        self._name = name
        self._versions: list[Version] = []
        self._news = threading.Condition()

    def write(self, dice: Random, writer: int) -> None:
        """Send one document after another until the server is dead."""
        for number in count():
            path = dice.choice(PATHS)
            text = prose(f"{path} {self._name}.{writer}.{number}", dice.choice(SENTENCES))
            version = Version(path, text, sent=time.monotonic())
            self._versions.append(version)
            try:
                version.answer = self._http.post("/api/rag/ingest", json=document(path, text))
            except httpx.TransportError:
                return
            finally:
                version.ended = time.monotonic()
                with self._news:
                    self._news.notify_all()

    def answered(self) -> list[Version]:
        return [one for one in self._versions if one.answer is not None]

    def wait_for_answers(self, wanted: int) -> None:
        with self._news:
            self._news.wait_for(lambda: len(self.answered()) >= wanted)

    def outcomes(self, path: str, before: str | None) -> set[str | None]:
        """The texts that may be at a path now: no answered version began after theirs had ended."""
        latest = max((one.sent for one in self.answered() if one.path == path), default=-inf)
        sent = {one.text for one in self._versions if one.path == path and one.ended >= latest}
        return sent if latest > -inf else {before, *sent}


def prose(name: str, sentences: int) -> str:
    """A text whose every sentence, and so every chunk, names the version it is of."""
    return " ".join(
        f"In line {n} the keeper of {name} counts the animals." for n in range(sentences)
    )


def document(path: str, text: str) -> dict[str, Any]:
    return {"source": "farm", "path": path, "title": path, "text": text, "tags": [path]}


def search(http: httpx.Client, **filters: Any) -> list[dict[str, Any]]:
    body = {"query": "Who counts the animals?", "topK": 20, "filters": filters}
    answer = http.post("/api/rag/search", json=body)
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def texts(http: httpx.Client) -> dict[str, str]:
    """The text at every path, each seen to be whole: read, counted and found by its chunks."""
    found = {}
    for head in http.get("/api/rag/documents").json()["documents"]:
        whole = http.get(f"/api/rag/documents/{head['documentId']}").json()
        chunks = [chunk.text for chunk in windows(whole["text"])]
        assert whole["chunkCount"] == len(chunks)
        results = search(http, tags=[whole["path"]])
        assert sorted((one["metadata"]["chunkIndex"], one["text"]) for one in results) == list(
            enumerate(chunks)
        )
        found[whole["path"]] = whole["text"]
    for result in search(http):
        metadata = result["metadata"]
        of_document = windows(found[metadata["path"]])
        assert result["text"] == of_document[metadata["chunkIndex"]].text
    return found


def write_until_killed(process: Process, dice: Random, name: str) -> Life:
    """Send documents from several threads, and kill the server in the middle of it."""
    life = Life(process.http, name)
    writers = [
        threading.Thread(target=life.write, args=(Random(dice.random()), writer))
        for writer in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    life.wait_for_answers(dice.randrange(2 * WRITERS))
    time.sleep(dice.uniform(0, 0.2))  # any moment will do: this is what makes it one
    process.kill()
    for writer in writers:
        writer.join()
    return life


def test_what_was_answered_survives_and_nothing_is_ever_half_written(
    launch: Callable[..., Process], data_dir: Path, minilm: MiniLM, dice: Random
) -> None:
    process, before = launch(), dict[str, str]()
    for kill in range(KILLS):
        life = write_until_killed(process, dice, str(kill))
        for version in life.answered():
            assert version.answer.status_code == 200, version.answer.text
            assert version.answer.json()["chunkCount"] == len(windows(version.text))
        process = launch()
        after = texts(process.http)
        for path in PATHS:
            assert after.get(path) in life.outcomes(path, before.get(path)), (kill, path)
        before = after
    assert before

    process.kill()
    sweep_as_if_tomorrow(data_dir, minilm)
    only_live_versions_are_left(data_dir)
    assert texts(launch().http) == before
