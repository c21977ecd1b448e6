from __future__ import annotations

import pytest

from rag.ingest.formats.layout.joining import Joiner
from tests.unit.ingest.formats.layout.made import stacked

KNOWN = ["It is state-of-the-art and confirmed, with well known rivers", "ever since the war"]


def joined(*texts: str) -> str:
    lines = stacked(texts)
    return Joiner([*stacked(KNOWN), *lines]).joined(lines)


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (("One line", "and another"), "One line and another"),
        (("It is con-", "firmed so"), "It is confirmed so"),
        (("the state-of-", "the-art way"), "the state-of-the-art way"),
        (("a sub-", "stantially new one"), "a substantially new one"),
        (("a well-", "known thing"), "a well-known thing"),
        (("from 1995-", "1997 on"), "from 1995-1997 on"),
        (("was CON-", "FIRMED by"), "was CONFIRMED by"),
        (("of Anglo-", "American origin"), "of Anglo-American origin"),
        (("a dash -", "as here"), "a dash - as here"),
        (("日本の", "文書"), "日本の文書"),
        (("한국의", "문서"), "한국의 문서"),
    ],
)
def test_lines_are_joined_over_their_hyphens(texts: tuple[str, ...], text: str) -> None:
    assert joined(*texts) == text


def test_a_word_that_is_cut_between_two_texts_is_put_to_the_first() -> None:
    joiner = Joiner(stacked(KNOWN))
    assert joiner.mended("It was con-", "firmed by all.") == ("It was confirmed", "by all.")
    assert joiner.mended("It was con-", "firmed") == ("It was confirmed", "")
    assert joiner.mended("It was", "so.") == ("It was", "so.")
