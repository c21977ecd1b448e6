from __future__ import annotations

from rag.model import Excerpt
from rag.query.similar import distinct, repetitions
from tests.passages import excerpt

HOTELS = (
    "Hotel rooms are paid for up to 140 euros a night, breakfast included, where the traveller"
    " books through the office and hands in the receipt within a month of coming home."
)


def kept(*excerpts: Excerpt) -> list[str]:
    return [one.ref.document for one in distinct(excerpts)]


def test_of_two_that_say_the_same_the_first_is_kept() -> None:
    again = HOTELS.replace("hands in", "submits").upper()
    excerpts = [excerpt(HOTELS, id="a"), excerpt(again, id="b"), excerpt("Trains.", id="c")]
    assert kept(*excerpts) == ["a", "c"]
    assert repetitions(excerpts) == {excerpts[1].ref: excerpts[0].ref}


def test_another_number_is_another_policy() -> None:
    other = HOTELS.replace("140", "150")
    assert kept(excerpt(HOTELS, id="a"), excerpt(other, id="b")) == ["a", "b"]
    old, new = excerpt(HOTELS, "Of 2024", id="a"), excerpt(HOTELS, "Of 2025", id="b")
    assert kept(old, new) == ["a", "b"]


def test_what_has_more_to_say_is_kept_and_what_has_less_is_not() -> None:
    longer = HOTELS + " Trains are booked in second class, and taxis need a reason." * 2
    assert kept(excerpt(HOTELS, id="a"), excerpt(longer, id="b")) == ["a", "b"]
    assert kept(excerpt(longer, id="b"), excerpt(HOTELS, id="a")) == ["b"]


def test_the_short_end_of_a_document_is_no_repetition_of_the_chunk_it_overlaps() -> None:
    tail = excerpt(HOTELS[-60:] + " Or later.", index=1, start=len(HOTELS) - 60)
    assert len(distinct([excerpt(HOTELS), tail])) == 2


def test_texts_without_words_repeat_each_other_only_sign_by_sign() -> None:
    dots = [excerpt("...", id="a"), excerpt("***", id="b"), excerpt("...", id="c")]
    assert kept(*dots) == ["a", "b"]
    assert kept(excerpt("", id="a"), excerpt("", id="b")) == ["a"]
    words = [excerpt("Moon", id="a"), excerpt("Sun", id="b"), excerpt("moon!", id="c")]
    assert kept(*words) == ["a", "b"]
