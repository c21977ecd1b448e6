"""Time and names as the core wants them; the wall clock itself is an argument."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]  # seconds since 1970

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def iso(seconds: float) -> str:
    """`2026-01-31T12:00:00.000Z`: sorts as text in the order of time."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def ulid(seconds: float, of: str | None = None) -> str:
    """A name of 26 letters and digits that sorts by its millisecond: unique, or the one `of` it."""
    digits = secrets.randbits(80) if of is None else int(sha256(of.encode()).hexdigest()[:20], 16)
    number = int(seconds * 1000) << 80 | digits
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
