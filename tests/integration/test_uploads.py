"""Files dropped into the folder of uploads, by a person, beside a server of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import httpx

from tests.integration.conftest import Process, command
from tests.writers import docx
from tests.writers.story import STORY

FOLDER = "uploads/local/default"


def texts(http: httpx.Client) -> dict[str, str]:
    """What is served of uploads, by path."""
    listed = http.get("/api/rag/documents", params={"source": "uploads", "limit": 100}).json()
    ids = {one["path"]: one["documentId"] for one in listed["documents"]}
    return {
        path: http.get(f"/api/rag/documents/{id}").json().get("text") for path, id in ids.items()
    }


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.1)


def test_dropped_files_are_found_and_removed_ones_are_not(
    launch: Callable[..., Process], data_dir: Path
) -> None:
    http = launch().http
    folder = data_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "newts.md").write_text("# Newts\n\nNewts live in ponds.")
    (folder / "guide.docx").write_bytes(docx.write(STORY))
    (folder / "bad.gif").write_bytes(b"GIF89a\0\0")
    until(lambda: len(http.get("/api/rag/ingest").json()["jobs"]) == 3)
    until(lambda: len(texts(http)) == 2)
    assert STORY.title in texts(http)["/guide.docx"]
    (folder / "guide.docx").unlink()
    [hit, *_] = http.post("/api/rag/search", json={"query": "Where do newts live?"}).json()[
        "results"
    ]
    assert hit["metadata"]["path"] == "/newts.md"
    (folder / "newts.md").unlink()
    until(lambda: texts(http) == {})
    told = command(data_dir, "redrive")
    assert (told.returncode, told.stderr) == (0, "")
    assert "1 messages were sent back.\n     1  UNSUPPORTED_FORMAT: bad.gif" in told.stdout


def test_whenever_the_server_is_killed_documents_come_to_agree_with_the_files(
    launch: Callable[..., Process], data_dir: Path, dice: Random
) -> None:
    folder = data_dir / FOLDER
    folder.mkdir(parents=True)
    for round_ in range(4):
        for number in dice.sample(range(12), 6):
            path = folder / f"{number}.txt"
            if path.exists() and dice.random() < 0.4:
                path.unlink()
            else:
                path.write_text(f"Newt {number} in its state {round_}. " * dice.randint(1, 200))
        server = launch()
        time.sleep(dice.uniform(1, 3))
        server.kill()
    http = launch().http
    expected = {f"/{path.name}": path.read_text() for path in folder.iterdir()}
    until(lambda: texts(http) == expected)
