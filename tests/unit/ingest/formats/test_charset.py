from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.formats.charset import decoded

WRITTEN = {
    "cp1252": "Die Größe der Straßenverkehrsordnung überrascht viele Bürger in München.",
    "iso8859-2": "Zażółć gęślą jaźń. Wczoraj w Łodzi odbyło się spotkanie związków z władzami.",
    "cp1251": "Вчера в Москве состоялась встреча представителей профсоюзов с руководством.",
    "koi8-r": "Вчера в Москве состоялась встреча представителей профсоюзов с руководством.",
    "cp1253": "Χθες στην Αθήνα πραγματοποιήθηκε συνάντηση των εκπροσώπων των συνδικάτων.",
    "cp1255": "אתמול בתל אביב התקיימה פגישה בין נציגי האיגודים המקצועיים לבין הנהלת העיר.",
    "cp1256": "عقد أمس في القاهرة اجتماع بين ممثلي النقابات وإدارة المدينة استمر حتى الليل.",
    "cp932": "昨日東京で労働組合の代表者と市の幹部との会議が開かれ、深夜まで続いた。",
    "euc-jp": "昨日東京で労働組合の代表者と市の幹部との会議が開かれ、深夜まで続いた。",
    "iso2022_jp": "昨日東京で労働組合の代表者と市の幹部との会議が開かれ、深夜まで続いた。",
    "gb18030": "昨天在北京举行了工会代表与市政府领导的会议，会议一直持续到午夜。",
    "big5": "昨天在臺北舉行了工會代表與市政府領導的會議，會議一直持續到午夜。",
    "cp949": "어제 서울에서 노동조합 대표와 시 지도부의 회의가 열려 자정까지 계속되었다.",
    "utf-8": "Olme leben in Höhlen, 洞螈, протеи.",
    "utf-8-sig": "Olme leben in Höhlen.",
    "utf-16": "Olme leben in Höhlen, 洞螈.",
    "utf-32": "Olme leben in Höhlen, 洞螈.",
    "utf-16-le": "Plain English without a mark, and some more words of it.",
    "utf-16-be": "Plain English without a mark, and some more words of it.",
}


@pytest.mark.parametrize(("charset", "text"), WRITTEN.items())
def test_text_is_read_whatever_it_was_written_in(charset: str, text: str) -> None:
    assert decoded(text.encode(charset)) == text


def test_what_is_not_ascii_may_come_late() -> None:
    text = "All plain here.\n" * 10_000 + WRITTEN["cp1251"]
    assert decoded(text.encode("cp1251")) == text


@pytest.mark.parametrize(
    ("claim", "expected"),
    [("iso-8859-1", "é€"), ("windows-1251", "йЂ"), ("KOI8-R", "И─"), ("x-sjis", "騾")],
)
def test_a_claim_counts_where_the_text_is_not_utf8(claim: str, expected: str) -> None:
    assert decoded(b"\xe9\x80", claim) == expected
    assert decoded("Höhle".encode(), claim) == "Höhle"


@pytest.mark.parametrize(
    "claim", ["UTF-8", "no-such-charset", "idna", "unicode_escape", "base64", "\0\ud800"]
)
def test_a_claim_that_cannot_be_means_nothing(claim: str) -> None:
    assert decoded(WRITTEN["cp1251"].encode("cp1251"), claim) == WRITTEN["cp1251"]


@pytest.mark.parametrize(
    ("markup", "claim"),
    [
        (b'<html><head><META charset = "windows-1251">', ""),
        (b"<meta http-equiv=x content='text/html; charset=windows-1251'>", "latin-1"),
        (b'<?xml version="1.0" encoding="windows-1251"?>', ""),
        (b'<meta charset="utf-16">', "windows-1251"),
    ],
)
def test_markup_says_itself_what_it_is_written_in(markup: bytes, claim: str) -> None:
    assert decoded(markup + "Олм".encode("cp1251"), claim, markup=True).endswith(">Олм")


def test_a_few_broken_letters_do_not_make_it_another_charset() -> None:
    text = WRITTEN["cp1251"]
    assert decoded(b"\xff".join([text.encode(), text[:-1].encode()]) + b"\xd0") == (
        f"{text}\ufffd{text[:-1]}\ufffd"
    )


def test_lines_end_in_one_way() -> None:
    assert decoded("a\r\nb\rc\n\r\nd".encode("utf-16")) == "a\nb\nc\n\nd"


@given(st.binary(), st.sampled_from(["", "utf-8", "cp932", "utf-16", "hz", "unicode_escape"]))
def test_any_bytes_become_text(data: bytes, claim: str) -> None:
    assert "\r" not in decoded(data, claim)
    decoded(data, claim, markup=True)
