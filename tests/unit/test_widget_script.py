"""The widget's script knows what the server's contract says."""

from __future__ import annotations

import re
from pathlib import Path

from rag.wire.widget import errors, schema

SCRIPT = (Path(__file__).parents[2] / "widget" / "widget.js").read_text("utf-8")


def test_it_has_words_for_every_code() -> None:
    words = set(re.findall(r"^  error_([A-Z_]+):", SCRIPT, re.MULTILINE))
    codes = {*errors.CODES.values(), *errors.TOO_LONG.values(), "INVALID_SESSION_ID"}
    assert codes <= words


def test_it_counts_to_where_the_server_does() -> None:
    lengths = dict(re.findall(r"(LONGEST_\w+) = (\d+)", SCRIPT))
    assert int(lengths["LONGEST_MESSAGE"]) == schema.LONGEST_MESSAGE
    assert int(lengths["LONGEST_SELECTION"]) == schema.LONGEST_SELECTION
    assert f"{schema.LONGEST_MESSAGE:,} characters" in SCRIPT
    assert f"{schema.LONGEST_SELECTION:,} characters" in SCRIPT
