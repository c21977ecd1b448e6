"""Values too large for an item, kept in rows of their own beside it.

pk                 sk                what
PART#token         00003             a piece of one value
PARTS              time#token        a note about that value: which field of which item it is of

The note comes first, then the pieces, then the item that names the token. So a reader of the item
finds all pieces or, if the item was replaced meanwhile, a newer item; and a crash forgets nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import ormsgpack

from rag.adapters.aws.attributes import Attribute, key_of, name_of, row_of
from rag.adapters.aws.table import Table
from rag.clock import Clock, iso
from rag.ports import Key

# An item may have 400 KB with its names.
PIECE = 380_000
# Longer than any writer takes from the note to the item.
UNFINISHED_SECONDS = 3600
NOTES = "PARTS"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the pieces of one value are."""

    token: str
    count: int

    @property
    def keys(self) -> list[Key]:
        return [Key(f"PART#{self.token}", f"{number:05d}") for number in range(self.count)]

    def encode(self) -> Attribute:
        """What the item holds in place of the value."""
        return {"M": {"token": {"S": self.token}, "count": {"N": str(self.count)}}}


def address(attribute: Attribute) -> Address | None:
    """Where the value is, if it is not in the attribute itself."""
    inner = attribute.get("M", {})
    return Address(inner["token"]["S"], int(inner["count"]["N"])) if "token" in inner else None


class Parts:
    """The large values of a table's items."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def store(self, owner: Key, field: str, value: Any, expires: int | None) -> Attribute:
        """Write the value aside and return what the item is to hold in its place."""
        body = ormsgpack.packb(value)
        pieces = [body[first : first + PIECE] for first in range(0, len(body), PIECE)]
        address = Address(secrets.token_hex(16), len(pieces))
        note = {
            "owner_pk": {"S": owner.pk},
            "owner_sk": {"S": owner.sk},
            "name": {"S": name_of(field)},
            "address": address.encode(),
        }
        note_key = Key(NOTES, f"{iso(self._clock())}#{address.token}")
        self._table.write_many([(note_key, row_of(note_key, note, expires))])
        self._table.write_many(
            (key, row_of(key, {"body": {"B": piece}}, expires))
            for key, piece in zip(address.keys, pieces, strict=True)
        )
        return address.encode()

    def load(self, addresses: Iterable[Address]) -> dict[Address, Any]:
        """Those of the values that are there, whole."""
        wanted = list(addresses)
        rows = self._table.get_many(key for one in wanted for key in one.keys)
        return {
            one: ormsgpack.unpackb(b"".join(rows[key]["body"]["B"] for key in one.keys))
            for one in wanted
            if all(key in rows for key in one.keys)
        }

    def purge(self) -> int:
        """Remove values that no item holds any more, or ever did; returns how many."""
        removed = 0
        before = iso(self._clock() - UNFINISHED_SECONDS)
        for note in self._table.query(NOTES):
            key, kept = key_of(note), address(note["address"])
            if key.sk > before:
                break
            owner = self._table.get(Key(note["owner_pk"]["S"], note["owner_sk"]["S"])) or {}
            if kept is None or owner.get(note["name"]["S"]) == note["address"]:
                continue
            self._table.write_many((piece, None) for piece in kept.keys)
            self._table.write_many([(key, None)])
            removed += 1
        return removed
