from __future__ import annotations

import pytest

from rag.ingest.formats.dates import iso


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("2024-05-17", "2024-05-17"),
        (" 2024-05-17T10:30:00Z ", "2024-05-17T10:30:00Z"),
        ("Fri, 17 May 2024 10:30:00 +0200", "2024-05-17T10:30:00+02:00"),
        ("Fri, 99 May 2024 10:30:00 +0200", "Fri, 99 May 2024 10:30:00 +0200"),
        ("last spring", "last spring"),
        ("", ""),
    ],
)
def test_dates_are_iso_where_they_can_be_understood(told: str, expected: str) -> None:
    assert iso(told) == expected
