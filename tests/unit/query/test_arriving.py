from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.query.arriving import Arriving
from rag.sentences import sentences

README = (Path(__file__).parents[3] / "README.md").read_text("utf-8").replace("[1]", "")
TEXTS = st.lists(
    st.sampled_from(
        [*"ab A.!?\n-|`#", ". ", "e.g. ", "[1]", " [2] ", "```\n", "Dr. Who ", "1. ", "。", "\r\n"]
    ),
    max_size=120,
).map("".join)


def given_of(text: str, cuts: list[int]) -> list[str]:
    arriving = Arriving()
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    found = [one for a, b in pairwise(places) for one in arriving.feed(text[a:b])]
    return [*found, *arriving.rest()]


@given(TEXTS, st.lists(st.integers(0, 300)))
def test_however_a_text_is_cut_its_sentences_are_the_same_and_all_of_it(
    text: str, cuts: list[int]
) -> None:
    found = given_of(text, cuts)
    assert found == given_of(text, [])
    assert "".join(found) == text
    assert all(found)


def test_the_sentences_are_those_of_the_whole_text() -> None:
    for start in range(0, 20_000, 2_500):
        text = README[start : start + 2_500]
        spans = sentences(text)
        assert given_of(text, list(range(0, len(text), 7))) == [text[a:b] for a, b in spans]


def test_a_sentence_is_out_before_the_text_is_at_its_end() -> None:
    arriving = Arriving()
    assert list(arriving.feed("Rooms cost 140 euros. [1] Breakfast")) == []
    assert list(arriving.feed(" is included, as a rule.")) == ["Rooms cost 140 euros. [1] "]
    assert list(arriving.rest()) == ["Breakfast is included, as a rule."]


@pytest.mark.parametrize(
    "sentence",
    [
        "Rooms cost up to 140 euros. ",
        "部屋は一泊百四十ユーロまでです。",
        "कमरे का किराया 140 यूरो तक है। ",
        "كم تكلفة الغرفة في الليلة الواحدة؟ ",
        "کمرے کا کرایہ ایک سو چالیس یورو تک ہے۔ ",
    ],
)
def test_no_script_has_to_wait_for_the_end(sentence: str) -> None:
    arriving = Arriving()
    assert list(arriving.feed(sentence * 4))[:1] == [sentence]


def test_a_marker_belongs_to_the_sentence_before_it_but_a_list_of_sources_does_not() -> None:
    found = given_of("One is so. [1][2] Two is so. [3]\n\n[1] Title", [])
    assert found == ["One is so. [1][2] ", "Two is so. [3]\n\n", "[1] Title"]
