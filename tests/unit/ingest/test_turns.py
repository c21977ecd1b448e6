from __future__ import annotations

from typing import Any

import pytest

from rag.ingest import turns
from rag.ingest.notices import notice
from rag.model import Change


@pytest.mark.parametrize(
    ("key", "org"),
    [
        ("uploads/acme/default/a b.md", "acme"),
        ("uploads/acme/default/a.md.metadata.json", "acme"),
        ("incoming/acme/upl_1/a.md", "acme"),
        ("uploads/acme/a.md", "acme"),
        ("uploads/acme", ""),
        ("uploads/no org/default/a.md", ""),
        ("elsewhere/acme/default/a.md", ""),
        ("", ""),
    ],
)
def test_an_object_and_its_notice_are_of_the_org_that_the_key_names(key: str, org: str) -> None:
    assert turns.of_key(key) == org
    assert turns.of_message(notice(Change(key, 0.0, ""))) == org


@pytest.mark.parametrize(
    ("body", "org"),
    [
        ({"job": {"org": "acme", "id": "job_1", "document": 0}}, "acme"),
        ({"job": {"org": "no org"}}, ""),
        ({"job": {"org": 1}}, ""),
        ({"job": 1}, ""),
        ({"Event": "s3:TestEvent"}, ""),
        ({"Records": []}, ""),
        ({"what": "ever"}, ""),
    ],
)
def test_other_messages_are_of_the_org_that_they_name_if_any(body: Any, org: str) -> None:
    assert turns.of_message(body) == org
