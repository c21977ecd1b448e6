"""What is in a zip, by its list at the end: nothing is unpacked, and only so much is looked at."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

# More than any document has; the list of a hostile zip goes on for millions.
MOST = 20_000
# Of the bytes of a name, which is looked at by its beginning.
LONGEST_NAME = 100

_END = struct.Struct("<4s8xLL2x")  # how long the list is, and where it begins
_END_64 = struct.Struct("<4s36xQQ")
_PLACE_64 = struct.Struct("<4s4xQ4x")  # where the end is of a list that needs larger numbers
_ENTRY = struct.Struct("<4s6xH8xLL3H8xL")
_FILE = struct.Struct("<4s22xHH")
_LONGEST_REMARK = 65_535
_UNTOLD = 0xFFFFFFFF


class Member(NamedTuple):
    """One of its files."""

    name: str
    method: int
    size: int  # as it is packed
    place: int


def members(data: bytes) -> list[Member]:
    """The files in a zip, or nothing where its list is not to be found."""
    try:
        start, shift = _list_start(data)
        return list(islice(_members(data, start, shift), MOST))
    except struct.error:
        return []


def beginning(data: bytes, member: Member, most: int = 100) -> bytes:
    """The first bytes of a file in a zip, or nothing where it is damaged."""
    try:
        signature, name, extra = _FILE.unpack_from(data, member.place)
        start = member.place + _FILE.size + name + extra
        packed = data[start : start + min(member.size, 10 * most)]
        if signature != b"PK\3\4" or member.method not in (0, 8):
            return b""
        return (zlib.decompressobj(-15).decompress(packed, most) if member.method else packed)[
            :most
        ]
    except (struct.error, zlib.error):
        return b""


def _list_start(data: bytes) -> tuple[int, int]:
    """Where the list begins, and by how much all places are off: something may stand before."""
    end = data.rfind(b"PK\5\6", max(0, len(data) - _END.size - _LONGEST_REMARK))
    if end < 0:
        raise struct.error
    _, size, start = _END.unpack_from(data, end)
    if _UNTOLD in (size, start):
        _, place = _PLACE_64.unpack_from(data, end - _PLACE_64.size)
        _, size, start = _END_64.unpack_from(data, place)
        return start, 0
    return end - size, end - size - start


def _members(data: bytes, start: int, shift: int) -> Iterator[Member]:
    while data[start : start + 4] == b"PK\1\2":
        _, method, size, _, name, extra, remark, place = _ENTRY.unpack_from(data, start)
        start += _ENTRY.size
        called = data[start : start + min(name, LONGEST_NAME)].decode("utf-8", "replace")
        yield Member(called, method, size, place + shift)
        start += name + extra + remark
