from __future__ import annotations

import pytest

from rag.errors import ConditionFailed
from rag.ports import Items
from rag.stores.uploads import REMEMBERED_SECONDS, Claim, Uploads
from tests.conftest import Clock

KEY = "uploads/acme/default/" + "ü" * 450  # as long as S3 lets one be


@pytest.fixture
def uploads(items: Items, clock: Clock) -> Uploads:
    return Uploads(items, clock)


def claimed(uploads: Uploads, sequencer: str = "") -> Claim:
    claim = uploads.claim("acme", KEY, sequencer)
    assert claim is not None
    return claim


def test_an_older_event_claims_nothing_and_the_same_one_again_does(uploads: Uploads) -> None:
    claimed(uploads, "0A")
    assert uploads.claim("acme", KEY, "09") is None
    assert claimed(uploads, "0A").number == 2


def test_sequencers_of_different_length_compare_as_if_filled_up_with_zeros(
    uploads: Uploads,
) -> None:
    claimed(uploads, "0A1")
    assert claimed(uploads, "0B").sequencer == "0B"
    assert uploads.claim("acme", KEY, "0AFFFF") is None
    assert claimed(uploads, "0B00").sequencer == "0B00"


def test_a_claim_without_a_sequencer_leaves_the_latest_one_in_force(uploads: Uploads) -> None:
    claimed(uploads, "0B")
    assert claimed(uploads).sequencer == "0B"
    assert uploads.claim("acme", KEY, "0A") is None


def test_only_the_latest_claim_may_settle(items: Items, uploads: Uploads) -> None:
    first, second = claimed(uploads, "01"), claimed(uploads, "01")
    for write in (uploads.settled(first), uploads.gone(first)):
        with pytest.raises(ConditionFailed):
            items.write(write)
    items.write(uploads.settled(second))


def test_what_is_gone_is_remembered_while_events_may_be_late(
    uploads: Uploads, clock: Clock
) -> None:
    uploads.forget(claimed(uploads, "0B"))
    clock.now += REMEMBERED_SECONDS - 10
    assert uploads.claim("acme", KEY, "0A") is None
    clock.now += 20
    assert claimed(uploads, "0A").number == 1


def test_orgs_and_keys_do_not_meet(uploads: Uploads) -> None:
    claimed(uploads, "0B")
    for org, key in (("other", KEY), ("acme", KEY + "x")):
        claim = uploads.claim(org, key, "01")
        assert claim is not None
        assert claim.number == 1
