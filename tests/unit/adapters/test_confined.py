"""Whatever a reader does that its file leads astray: it ends, and nobody else is harmed."""

from __future__ import annotations

import gc
import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag import timing
from rag.adapters.confined import answer
from rag.adapters.confined.limits import Limits
from rag.adapters.confined.reader import BROKEN, ConfinedReader
from rag.adapters.direct import DirectReader
from rag.errors import DeadlineExceeded, Unreadable
from rag.model import Caution, Mark, Parsed, Span
from tests.writers import csv, docx, eml, epub, html, ipynb, odt, pdf, pptx, rtf, xlsx
from tests.writers.story import STORY

TIGHT = Limits(memory=200 * 2**20, cpu=1, wall=60, answer=2**20)


def act(told: str, limits: Limits = TIGHT) -> str:
    return ConfinedReader(limits, "tests.rogues").read("rogue", "", told.encode()).text


def test_it_has_no_way_out() -> None:
    assert act("escape") == "escaped: []"


@pytest.mark.parametrize(("kind", "ways"), [("pdf", []), ("rogue", ["read its parent's secrets"])])
def test_a_library_that_knows_nothing_of_python_is_confined_too(kind: str, ways: list[str]) -> None:
    """By the kernel. Who may have to import more can still read files, but only to answer."""
    told = ConfinedReader(TIGHT, "tests.rogues").read(kind, "", b"escape_natively").text
    assert told == f"escaped: {ways}"


def test_it_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere/either")
    known = set(act("environment").split(","))
    assert known - {"LC_CTYPE"} == {"LC_ALL", "LD_LIBRARY_PATH"}
    assert act("folder") == "/"


@pytest.mark.parametrize(
    ("told", "limits", "reason"),
    [
        ("spin", TIGHT, "takes too long to read"),
        ("sleep", TIGHT._replace(wall=1), "takes too long to read"),
        ("segfault", TIGHT, "is damaged, or needs more memory"),
        ("abort", TIGHT, "is damaged, or needs more memory"),
        ("leave", TIGHT, "is damaged, or needs more memory"),
        ("babble", TIGHT, "is damaged, or needs more memory"),
        ("flood", TIGHT, "has more text than is taken at once"),
        ("hoard", TIGHT, "needs more memory than reading may take"),
        ("write_much", TIGHT, "has more text than is taken at once"),
        ("recurse", TIGHT, "is nested too deeply"),
        ("fail", TIGHT, "is damaged"),
    ],
)
def test_what_goes_wrong_has_a_reason(told: str, limits: Limits, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        act(told, limits)


def test_who_hangs_up_and_goes_on_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.adapters.confined.reader.END_SECONDS", 0.1)
    with pytest.raises(Unreadable, match="takes too long"):
        act("hang_up", TIGHT._replace(cpu=60))


def test_where_the_time_of_the_request_is_up_the_file_is_not_to_blame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rag.adapters.confined.reader.LOOK_SECONDS", 0.01)
    looks = iter(range(1000))
    with pytest.raises(DeadlineExceeded), timing.time_limit(5, clock=lambda: float(next(looks))):
        act("sleep")


WHOLE = Parsed(
    "# Pönd\n\n| a |\n| --- |\n| 1 |",
    "Pönd 池",
    (Mark(0, 1, ("A", "B")), Mark(20, 2, (), Span(8, 13))),
    {"author": "Ann"},
    (Caution("PARTLY_READ", "Two pages are damaged."),),
)


def test_an_answer_says_all_that_is_known_of_a_text() -> None:
    assert answer.understood(answer.read(WHOLE)) == WHOLE


FACTS: dict[str, Any] = {"title": "", "marks": [], "properties": {}, "cautions": []}


@pytest.mark.parametrize(
    ("lie", "text"),
    [
        ({}, b""),
        ({}, b" \n"),
        ({}, b"nul\0"),
        ({}, b"half of a letter: \xc3"),
        ({"title": None}, b"x"),
        ({"title": "x" * 3000}, b"x"),
        ({"title": "\ud800"}, b"x"),
        ({"marks": [[1, None, [], None]]}, b"xxx"),
        ({"marks": [[0, None, [], None], [9, None, [], None]]}, b"xxx"),
        ({"marks": [[0, 1, [], None], [2, 1, [], None], [1, 1, [], None]]}, b"xxx"),
        ({"marks": [[0, -1, [], None]]}, b"x"),
        ({"marks": [[0, 10**30, [], None]]}, b"x"),
        ({"marks": [[0, True, [], None]]}, b"x"),
        ({"marks": [[0, "1", [], None]]}, b"x"),
        ({"marks": [[0, 1, ["x" * 201], None]]}, b"x"),
        ({"marks": [[0, 1, ["x"] * 11, None]]}, b"x"),
        ({"marks": [[0, 1, [], [1, 0]]]}, b"xxx"),
        ({"marks": [[0, 1, [], [0, 4]]]}, b"xxx"),
        ({"marks": [[0, 1, [], [0]]]}, b"xxx"),
        ({"marks": 7}, b"x"),
        ({"properties": {"author": 7}}, b"x"),
        ({"properties": {"org": "another"}}, b"x"),
        ({"properties": ["author"]}, b"x"),
        ({"cautions": [["EVERYTHING_IS_FINE", "x"]]}, b"x"),
        ({"cautions": [["PARTLY_READ", "x" * 1000]]}, b"x"),
        ({"cautions": [["PARTLY_READ", "\u202ecod.exe"]]}, b"x"),
        ({"unreadable": "x" * 1000}, b"x"),
        ({"unreadable": ["x"]}, b"x"),
    ],
)
def test_an_answer_that_no_reader_gives_is_not_believed(lie: dict[str, Any], text: bytes) -> None:
    answered = json.dumps({**FACTS, **lie}).encode() + b"\n" + text
    with pytest.raises((LookupError, TypeError, ValueError)):
        answer.understood(answered)


@pytest.mark.parametrize("told", ["nest", "bloat", "trick"])
def test_an_answer_that_no_reader_gives_is_a_broken_file(told: str) -> None:
    with pytest.raises(Unreadable, match=BROKEN):
        act(told, TIGHT._replace(answer=2**26))


def test_more_places_than_are_taken_are_said_to_be_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rag.adapters.confined.answer.LONGEST_FACTS", 300)
    with pytest.raises(Unreadable, match="more headings"):
        answer.read(replace(WHOLE, marks=WHOLE.marks * 10))


@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_plain_text_is_read_without_a_process(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("rag.adapters.confined.reader.Popen")
    assert ConfinedReader().read(kind, "", "Pönd".encode()).text == "Pönd"


def test_much_text_is_read_like_any_other_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines alone may take twenty times the memory that it has itself."""
    monkeypatch.setattr("rag.adapters.confined.reader.MOST_PLAIN", 3)
    monkeypatch.delattr("rag.adapters.confined.reader.DirectReader")
    assert ConfinedReader().read("markdown", "", b"# Pond").text == "# Pond"


def test_text_in_an_unknown_charset_is_read_like_any_other_file() -> None:
    assert ConfinedReader().read("text", "", "Der Grünfrosch quakt.".encode("cp1252")).text == (
        "Der Grünfrosch quakt."
    )


WRITERS = {
    "html": html, "pdf": pdf, "docx": docx, "pptx": pptx, "xlsx": xlsx, "table": csv, "epub": epub,
    "eml": eml, "rtf": rtf, "odt": odt, "notebook": ipynb,
}  # fmt: skip


@pytest.mark.parametrize("kind", WRITERS)
def test_what_is_forbidden_is_nothing_that_an_honest_reader_needs(kind: str) -> None:
    data = WRITERS[kind].write(STORY)
    assert ConfinedReader().read(kind, "", data) == DirectReader().read(kind, "", data)


def test_many_are_read_at_once_and_one_that_dies_takes_none_with_it() -> None:
    def outcome(told: str) -> str:
        try:
            return act(told)
        except Unreadable as why:
            return str(why)

    with ThreadPoolExecutor(4) as threads:
        outcomes = list(threads.map(outcome, ["folder", "abort"] * 6))
    assert outcomes == ["/", BROKEN] * 6


def test_a_reader_leaves_nothing_behind() -> None:
    """No open file and no memory, however many files it has read."""

    def left() -> tuple[set[str], int]:
        gc.collect()  # what other tests have left to it
        statm = Path("/proc/self/statm").read_text().split()
        return set(os.listdir("/proc/self/fd")), int(statm[1]) * os.sysconf("SC_PAGE_SIZE")

    data = b"x" * 5_000_000
    reader = ConfinedReader(TIGHT, "tests.rogues")
    for _ in range(3):
        with suppress(Unreadable):
            reader.read("rogue", "", data)
    files, memory = left()
    for _ in range(40):
        with suppress(Unreadable):
            reader.read("rogue", "", data)
    files_after, memory_after = left()
    assert files_after <= files
    assert memory_after < memory + 10 * len(data)
