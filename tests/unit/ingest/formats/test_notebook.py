from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.ingest.formats.notebook import LONGEST_OUTPUT
from rag.model import Parsed
from tests.writers import md
from tests.writers.ipynb import write
from tests.writers.story import STORY


def notebook(*cells: Any, **more: Any) -> Parsed:
    return read("notebook", json.dumps({"cells": cells, "nbformat": 4, **more}).encode())


def markdown(source: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source}


def code(source: Any, *outputs: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": outputs}


def test_cells_are_read_in_their_order() -> None:
    parsed = read("notebook", write(STORY))
    printed = "```\n\n```\nNoted.\n```\n\nCafé"
    assert parsed.text + "\n" == (
        md.body(STORY).replace("```sh", "```").replace("```\n\nCafé", printed)
    )
    assert parsed.title == STORY.title
    assert parsed.properties == {"author": STORY.author}


def test_code_is_in_the_section_of_the_headings_before_it() -> None:
    parsed = notebook(
        markdown("# A\n\ntext"),
        code("a = 1"),
        markdown(["## B\n", "```\n"]),
        markdown("# C"),
        code("# no heading"),
    )
    sections = {parsed.text[mark.start :].split()[1]: mark.section for mark in parsed.marks}
    assert sections == {"A": ("A",), "B": ("A", "B"), "C": ("C",)}
    assert parsed.title == "A"


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"output_type": "stream", "text": ["a\n", "b\n"]}, "```\na\nb\n```"),
        ({"data": {"text/plain": "42", "text/html": "<b>42</b>"}}, "```\n42\n```"),
        ({"data": {"text/plain": "<Figure with 1 Axes>", "image/png": "iVBO"}}, ""),
        ({"data": {"text/plain": "[<Line2D at 0x7f>]"}}, ""),
        ({"data": {"text/plain": "<Markdown object>", "text/markdown": ["*x*"]}}, "```\n*x*\n```"),
        (
            {"ename": "KeyError", "evalue": "'x'", "traceback": ["\x1b[0m"]},
            "```\nKeyError: 'x'\n```",
        ),
        ({"text": "x" * 99_999}, f"```\n{'x' * LONGEST_OUTPUT}\n```"),
        ("nonsense", ""),
        ({"text": 1, "data": []}, ""),
    ],
)
def test_what_the_code_printed_is_read_as_it_was_seen(output: Any, text: str) -> None:
    assert notebook(code("x", output)).text.removeprefix("```\nx\n```").strip() == text


def test_older_notebooks_have_worksheets() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "A"}, {**code(""), "input": "a = 1"}]
    parsed = read("notebook", json.dumps({"worksheets": [{"cells": cells}]}).encode())
    assert parsed.text == "## A\n\n```\na = 1\n```"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Newts", "is not a notebook"),
        (b'{"cells": [', "is not a notebook"),
        (b"[1]", "has no text"),
        (b'{"cells": {"a": 1}, "metadata": [], "nbformat": 4}', "has no text"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_no_notebook_is_said(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read("notebook", data)


ANYTHING = st.recursive(
    st.none() | st.integers() | st.text("#\n`a"),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["source", "outputs", "text", "data", "level"]), inner)
    ),
    max_leaves=8,
)


@given(ANYTHING, st.sampled_from(["code", "markdown", "heading", "raw", None]))
def test_cells_may_hold_anything(value: Any, kind: str | None) -> None:
    inside = value if isinstance(value, dict) else {"source": value}
    with suppress(Unreadable):
        notebook({**inside, "cell_type": kind}, value, metadata=value)
