from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.terms import LONGEST_REMEMBERED, terms


def words(text: str) -> list[str]:
    return [term.text for term in terms(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runners ran", ["run", "runner", "ran"]),
        ("The cat isn't here", ["cat"]),
        ("café Naïve ÅNGSTRÖM", ["cafe", "naiv", "angstrom"]),
        ("dog's dogs’", ["dog", "dog"]),
        ("1,000.5 and 42", ["1000.5", "42"]),
        ("GPT-4 error_17", ["gpt", "4", "error", "17", "gpt4", "error17"]),
        ("snake_case kebab-case", ["snake", "case", "kebab", "case"]),
        ("日本語", ["日本", "本語"]),
        ("猫", ["猫"]),
        ("देवनागरी", ["देवनागरी"]),
        ("ﬁne", ["fine"]),
        ("?!… the", []),
    ],
)
def test_words_are_folded_stemmed_and_split_as_readers_search_for_them(
    text: str, expected: list[str]
) -> None:
    assert words(text) == expected


def test_a_word_without_end_is_cut() -> None:
    assert words("x" * 10_000) == ["x" * 64]
    assert len(words("9" * 10_000)[0]) == 64


def test_different_spellings_of_a_name_share_a_term() -> None:
    assert set(words("GPT-4")) & set(words("gpt4")) & set(words("GPT 4 gpt_4"))


@given(st.text())
def test_every_term_stands_where_it_says(text: str) -> None:
    for term in terms(text):
        assert 0 <= term.span.start < term.span.end <= len(text)
        assert term.text


@given(st.text(st.sampled_from("ab'’é 12.,-_/日本गि"), max_size=30), st.data())
def test_wanted_terms_are_those_of_all(text: str, data: st.DataObject) -> None:
    found = terms(text)
    wanted = set(data.draw(st.lists(st.sampled_from([one.text for one in found] or ["a"]))))
    assert terms(text, wanted) == [one for one in found if one.text in wanted]


def test_a_long_text_has_the_terms_that_its_parts_have() -> None:
    part = "GPT-4 costs 1,000.5 euros 日本語. "
    many = LONGEST_REMEMBERED // len(part) + 1
    assert sorted(words(part * many)) == sorted(words(part) * many)
    assert [one.text for one in terms(part * many, {"gpt4"})] == ["gpt4"] * many


def test_nobody_changes_what_is_remembered_of_a_text() -> None:
    terms("Cats hunt mice").clear()
    assert words("Cats hunt mice") == ["cat", "hunt", "mice"]
