from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read


def test_plain_text_stays_as_it_is_but_for_the_ends_of_lines() -> None:
    parsed = read("text", b"\xef\xbb\xbf# no heading\r\n\r\n\tx = {'a': 1}\r\n")
    assert parsed.text == "# no heading\n\n\tx = {'a': 1}\n"
    assert parsed.title == ""
    assert [mark.section for mark in parsed.marks] == [()]


def test_it_is_read_in_the_charset_that_its_sender_claims() -> None:
    assert read("text", b"\xe9\xf2", "cp1251").text == "йт"


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\0"])
def test_a_file_of_nothing_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable, match="has no text"):
        read("text", data)
