"""What a process that reads a file may take."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bytes and seconds. A document of 2,000 pages takes a fifth of the time."""

    memory: int = 512 * 2**20
    cpu: int = 60
    wall: int = 120
    answer: int = 64 * 2**20
