from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import Invalid
from rag.ingest.notices import changes, notice
from rag.model import Change

RECORD = {
    "eventSource": "aws:s3",
    "eventTime": "2026-04-12T20:43:38.021Z",
    "eventName": "ObjectRemoved:DeleteMarkerCreated",
    "s3": {
        "bucket": {"name": "b"},
        "object": {"key": "uploads/acme/default/a+b%C3%BC.md", "sequencer": "00643717F9F8B85354"},
    },
}


def test_keys_are_decoded() -> None:
    [change] = changes({"Records": [RECORD]})
    assert change.key == "uploads/acme/default/a bü.md"
    assert change.sequencer == "00643717F9F8B85354"
    assert change.at == pytest.approx(1776026618.021)


def test_a_trial_of_the_queue_tells_of_nothing() -> None:
    assert changes({"Service": "Amazon S3", "Event": "s3:TestEvent"}) == []


@given(st.text(min_size=1), st.integers(10**9, 2 * 10**9), st.text("0123456789ABCDEF"))
def test_our_own_notices_say_what_they_were_made_of(key: str, at: int, sequencer: str) -> None:
    change = Change(key, float(at), sequencer)
    try:
        key.encode()
    except UnicodeEncodeError:
        return
    assert changes(notice(change)) == [change]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"Records": 5},
        {"Records": [5]},
        {"Records": [{**RECORD, "eventName": "ObjectTagging:Put"}]},
        {"Records": [{**RECORD, "eventTime": "yesterday"}]},
        {"Records": [{**RECORD, "s3": {}}]},
        {"Records": [{**RECORD, "s3": {"object": {"key": 5}}}]},
        {"Records": [{**RECORD, "eventName": 5}]},
    ],
)
def test_other_messages_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="notice"):
        changes(body)
