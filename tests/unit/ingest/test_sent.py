"""Documents as they are sent, and as they wait."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ParseError, UnsupportedFormat
from rag.ingest.sent import LONGEST_NAME, Sent, as_sent, check, draft, pack, unpack
from rag.model import Caution, Chunking, Mark, Parsed

WARNING = Caution("PARTLY_READ", "Two pages are damaged.")

text = st.text()
maybe = st.none() | text
json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
)  # fmt: skip
documents = st.builds(
    Sent,
    id=maybe,
    title=maybe,
    text=maybe,
    content=maybe,
    media_type=text,
    upload=maybe,
    filename=text,
    url=maybe,
    tags=st.lists(text, max_size=3).map(tuple),
    metadata=st.dictionaries(text, json, max_size=3),
)


@given(st.lists(documents, min_size=1, max_size=5))
def test_each_of_many_comes_out_of_one_object_as_it_was(sent: list[Sent]) -> None:
    packed, spans = pack(sent)
    assert [unpack(packed[span.start : span.end]) for span in spans] == sent
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(packed)


@given(documents)
def test_a_name_is_short_and_says_what_the_sender_knows_it_by(sent: Sent) -> None:
    assert len(sent.name) <= LONGEST_NAME
    if known := sent.id or sent.title or sent.filename:
        assert known.startswith(sent.name)


@given(st.text(min_size=1), maybe)
def test_without_an_id_its_content_is_its_path(content: str, id: str | None) -> None:
    made = as_sent(Sent(id=id, text=content), "default", Chunking())
    assert made.path == (id or sha256(content.encode()).hexdigest())
    assert made.text == content


def test_the_same_content_is_the_same_however_it_was_sent() -> None:
    data = "# Étangs\n\nNewts.".encode()
    ways = [
        as_sent(Sent(text=data.decode()), "s", Chunking()),
        draft(Sent(upload="key"), data, Parsed(data.decode(), "Étangs"), "s", Chunking()),
    ]
    assert {one.path for one in ways} == {sha256(data).hexdigest()}
    assert [one.title for one in ways] == ["Étangs"] * 2


def test_what_its_sender_says_counts_more_than_what_the_file_does() -> None:
    parsed = Parsed("x", "Own", (Mark(0, 1),), {"author": "Ann", "language": "fr"}, (WARNING,))
    sent = Sent(title="Told", metadata={"author": "Bob", "n": 1})
    made = draft(sent, b"x", parsed, "s", Chunking())
    assert (made.title, made.metadata) == ("Told", {"author": "Bob", "language": "fr", "n": 1})
    assert (made.marks, made.cautions) == (parsed.marks, parsed.cautions)


PNG = b64encode(b"\x89PNG\r\n\x1a\n\0\0\0").decode()


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (Sent(content=PNG, media_type="image/png"), UnsupportedFormat),
        (Sent(content=PNG, media_type="application/pdf"), UnsupportedFormat),
        (Sent(upload="key", filename="a.png", media_type="image/png"), UnsupportedFormat),
        (Sent(content="YQ", media_type="text/plain"), ParseError),
        (Sent(content="YQ==\n", media_type="text/plain"), ParseError),
        (Sent(content="_-==", media_type="text/plain"), ParseError),
        (Sent(content="", media_type="text/plain"), ParseError),
        (Sent(content="IAo=", media_type="text/plain"), ParseError),
    ],
)
def test_what_cannot_work_is_seen_early(sent: Sent, error: type[Exception]) -> None:
    with pytest.raises(error):
        check(sent)


@pytest.mark.parametrize(
    "sent",
    [
        Sent(text="a"),
        Sent(content="YQ==", media_type="text/plain"),
        Sent(content="YQ==", media_type="image/png"),  # it is text all the same
        Sent(content=b64encode(b"caf\xe9").decode(), media_type="text/plain"),
        Sent(content=b64encode(b"%PDF-1.7").decode(), media_type="application/pdf"),
        Sent(upload="key", filename="a.md", media_type="image/png"),
        Sent(upload="key", filename="a", media_type="text/plain"),
    ],
)
def test_what_may_work_is_let_through(sent: Sent) -> None:
    check(sent)
