from __future__ import annotations

from dataclasses import replace

import pytest

from rag.ports import Items
from rag.stores.tickets import KEPT_SECONDS, Ticket, Tickets
from tests.conftest import Clock

TICKET = Ticket(
    id="upl_1",
    org="acme",
    sender="ann",
    data_source="default",
    filename="notes/Übersicht 1.md",
    media_type="text/markdown; charset=utf-8",
    size=2**40,
    until="2027-01-15T09:00:00.000Z",
    job="job_1",
)


@pytest.fixture
def tickets(items: Items, clock: Clock) -> Tickets:
    return Tickets(items, clock)


def test_a_ticket_comes_back_to_its_org_alone(tickets: Tickets) -> None:
    waiting = replace(TICKET, id="upl_2", job=None)
    tickets.put(TICKET)
    tickets.put(waiting)
    assert tickets.get("acme", "upl_1") == TICKET
    assert tickets.get("acme", "upl_2") == waiting
    assert tickets.get("other", "upl_1") is None
    assert tickets.get("acme", "") is None


def test_a_ticket_is_known_by_its_object(tickets: Tickets) -> None:
    tickets.put(TICKET)
    assert TICKET.key == "incoming/acme/upl_1/notes/Übersicht 1.md"
    assert tickets.of(TICKET.key) == TICKET


@pytest.mark.parametrize(
    "key", ["", "incoming", "incoming/acme", "incoming/acme/", "incoming/other/upl_1/a.md", "a/b/c"]
)
def test_an_object_that_came_without_one_has_none(tickets: Tickets, key: str) -> None:
    tickets.put(TICKET)
    assert tickets.of(key) is None


def test_a_ticket_is_kept_for_as_long_as_its_file(tickets: Tickets, clock: Clock) -> None:
    tickets.put(TICKET)
    clock.now += KEPT_SECONDS - 1
    assert tickets.get("acme", "upl_1") == TICKET
    clock.now += 1
    assert tickets.get("acme", "upl_1") is None


def test_no_two_tickets_have_one_name(tickets: Tickets) -> None:
    assert len({tickets.new_id() for _ in range(100)}) == 100
