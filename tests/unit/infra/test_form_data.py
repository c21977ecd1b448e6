"""A form's body, in whatever pieces it comes."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.form_data import LARGEST_REST, MOST_FIELDS, FormData
from rag.adapters.embedded.forms import Admitted
from rag.errors import FootnoteError, Invalid, PermissionDenied, TooLarge
from tests.multipart import BOUNDARY, TYPE, body, joined, part

FIELDS = {"key": "a/ü", "policy": "p\r\n--", "empty": ""}
LARGEST = 1_000


class Form:
    """A form that is read, with what came of it."""

    def __init__(self, content_type: str = TYPE["Content-Type"]) -> None:
        self.seen: dict[str, str] = {}
        self.file = BytesIO()
        self.data = FormData(content_type, self._admit, self.file)

    def _admit(self, fields: Mapping[str, str]) -> Admitted:
        self.seen = dict(fields)
        if "stranger" in fields:
            raise PermissionDenied("no")
        return Admitted(fields.get("key", ""), "text/plain", LARGEST)

    def read(self, *pieces: bytes) -> Admitted:
        for piece in pieces:
            self.data.feed(piece)
        return self.data.finish()


def test_fields_and_file_come_apart() -> None:
    form = Form()
    assert form.read(body(FIELDS, part("file", b"\0\xff\r\n"))) == Admitted(
        "a/ü", "text/plain", LARGEST
    )
    assert form.seen == FIELDS
    assert form.file.getvalue() == b"\0\xff\r\n"


# What looks like the end of the file until the next byte comes.
ALMOST_THE_END = f"\r\n--{BOUNDARY}".encode()
CONTENT = st.lists(
    st.one_of(
        st.binary(max_size=20),
        st.integers(1, len(ALMOST_THE_END) - 1).map(lambda end: ALMOST_THE_END[:end]),
    ),
    min_size=1,
).map(b"".join)


@given(content=CONTENT.filter(bool), cuts=st.lists(st.integers(0, 1_000)))
def test_however_the_body_is_cut_the_file_is_what_was_sent(content: bytes, cuts: list[int]) -> None:
    if ALMOST_THE_END in content or len(content) > LARGEST:
        return
    form = Form()
    whole = body(FIELDS, part("file", content))
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    form.read(*(whole[start:end] for start, end in pairwise(places)))
    assert form.seen == FIELDS
    assert form.file.getvalue() == content


@given(content=st.binary(max_size=300))
def test_what_is_no_form_at_all_is_refused_and_not_more(content: bytes) -> None:
    with pytest.raises(FootnoteError):
        Form().read(content)


@given(end=st.integers(0, len(body(FIELDS, part("file", b"12345"))) - len("--\r\n")))
def test_a_form_that_breaks_off_is_refused_wherever_it_does(end: int) -> None:
    with pytest.raises(Invalid) as refused:
        Form().read(body(FIELDS, part("file", b"12345"))[:end])
    assert refused.value.field == "body"


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ([part("file", b"")], "file"),
        ([], "file"),
        ([part("key", "b"), part("file", b"1")], "key"),
        ([part("file", b"1"), part("file", b"2")], "file"),
        ([part("file", b"1"), part("submit", "yes")], "file"),
        ([part("", "x"), part("file", b"1")], "body"),
        ([part("a", "").replace(b"form-data", b"attachment")], "body"),
        ([f"--{BOUNDARY}\r\n\r\nx\r\n".encode()], "body"),
        ([f"--{BOUNDARY}\r\nno header\r\n\r\nx\r\n".encode()], "body"),
        ([part("half", b"\xc3"), part("file", b"1")], "body"),
        ([part("a", "", header="X: " + "x" * 10_000 + "\r\n")], "body"),
        ([part("a", "", header="X: x\r\n" * 10)], "body"),
    ],
)  # fmt: skip
def test_a_form_that_is_not_as_it_should_be_is_refused(parts: list[bytes], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        Form().read(body(FIELDS, *parts))
    assert refused.value.field == field


def test_fields_after_the_file_do_not_count() -> None:
    form = Form()
    with pytest.raises(Invalid):
        form.read(joined([part("file", b"1"), part("key", "a")]))
    assert form.seen == {}


def test_nothing_of_a_file_is_kept_that_is_not_admitted() -> None:
    form = Form()
    with pytest.raises(PermissionDenied):
        form.read(body({"stranger": "1"}, part("file", b"12345")))
    assert form.file.getvalue() == b""


def test_a_file_is_refused_at_the_first_byte_too_many() -> None:
    form = Form()
    start = body(FIELDS, part("file", b""), end="").removesuffix(b"\r\n")
    form.data.feed(start + b"x" * LARGEST)
    with pytest.raises(TooLarge, match=str(LARGEST)):
        form.data.feed(b"x" * 200)
    exact = Form()
    exact.read(body(FIELDS, part("file", b"x" * LARGEST)))
    assert len(exact.file.getvalue()) == LARGEST


@pytest.mark.parametrize(
    "parts",
    [
        [part("a", "x" * LARGEST_REST)],
        [part(str(number), "") for number in range(MOST_FIELDS + 1)],
        [part("file", b"1"), f"--{BOUNDARY}--\r\n".encode() + b"x" * LARGEST_REST],
    ],
)
def test_all_that_is_not_file_has_a_limit(parts: list[bytes]) -> None:
    with pytest.raises(TooLarge):
        Form().read(joined(parts))


def test_what_never_begins_is_not_read_for_ever() -> None:
    form = Form()
    for _ in range(LARGEST_REST):
        form.data.feed(b"\n")
    with pytest.raises(TooLarge):
        form.data.feed(b"\n")


@pytest.mark.parametrize(
    "type",
    ["", "; boundary=", '; boundary=""', "; boundary=" + "x" * 71, "; charset=utf-8"],
)
def test_a_boundary_must_be_named(type: str) -> None:
    with pytest.raises(Invalid) as refused:
        Form(f"multipart/form-data{type}")
    assert refused.value.field == "Content-Type"


def test_a_boundary_may_be_quoted_and_followed() -> None:
    form = Form(f'multipart/form-data; charset=utf-8; boundary="{BOUNDARY}"; x=y')
    assert form.read(body(FIELDS, part("file", b"1")))


def test_another_boundary_than_the_one_named_is_refused() -> None:
    with pytest.raises(Invalid):
        Form("multipart/form-data; boundary=other").read(body(FIELDS, part("file", b"1")))


def test_refusals_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Invalid):
        Form().read(b"nonsense")
    assert capsys.readouterr() == ("", "")
