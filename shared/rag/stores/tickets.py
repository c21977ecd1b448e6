"""Tickets: who may upload which file, until when, and what is to become of it."""

from __future__ import annotations

from dataclasses import dataclass

from rag.clock import Clock, ulid
from rag.ports import Items, Put
from rag.stores import layout

PREFIX = "incoming/"
# How long a form can be used, and what came by it be referred to.
FORM_SECONDS = 3600
KEPT_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Ticket:
    """One file that may come."""

    id: str
    org: str
    sender: str
    data_source: str
    filename: str
    media_type: str
    size: int
    until: str  # when its form expires
    job: str | None  # None where it waits to be referred to

    @property
    def key(self) -> str:
        """Where the file is put."""
        return f"{PREFIX}{self.org}/{self.id}/{self.filename}"


class Tickets:
    """All tickets of all orgs."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def new_id(self) -> str:
        return f"upl_{ulid(self._clock())}"

    def put(self, ticket: Ticket) -> None:
        """Keep it for as long as its file."""
        body = {
            "sender": ticket.sender,
            "dataSource": ticket.data_source,
            "filename": ticket.filename,
            "mediaType": ticket.media_type,
            "size": ticket.size,
            "until": ticket.until,
            "job": ticket.job,
        }
        expires = int(self._clock()) + KEPT_SECONDS
        self._items.write(Put(layout.ticket(ticket.org, ticket.id), body, expires=expires))

    def get(self, org: str, id: str) -> Ticket | None:
        body = self._items.get(layout.ticket(org, id))
        if body is None:
            return None
        return Ticket(
            id=id,
            org=org,
            sender=body["sender"],
            data_source=body["dataSource"],
            filename=body["filename"],
            media_type=body["mediaType"],
            size=body["size"],
            until=body["until"],
            job=body["job"],
        )

    def of(self, key: str) -> Ticket | None:
        """The ticket by which an object came."""
        _, org, id = (*key.split("/"), "", "")[:3]
        return self.get(org, id)
