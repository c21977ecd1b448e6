"""Dates as files tell them."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime


def iso(told: str) -> str:
    """The same date as ISO 8601 writes it, where it can be understood."""
    told = told.strip()
    try:
        datetime.fromisoformat(told)
        return told
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(told).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return told
