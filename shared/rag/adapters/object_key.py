"""What an object may be called, wherever it is kept."""

from __future__ import annotations


def names(key: str) -> list[str]:
    """The parts of a key: a relative path of plain names. Raises ValueError."""
    parts = key.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\0" in key or "\\" in key:
        raise ValueError(f"not a key: {key!r}")
    return parts
