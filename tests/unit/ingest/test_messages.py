from __future__ import annotations

import json
from typing import Any

import pytest

from rag.errors import Invalid
from rag.ingest.messages import (
    JobMessage,
    about_document,
    about_job,
    again,
    job_message,
    lease_name,
)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (about_document("acme", "job_1", 3), JobMessage("acme", "job_1", 3, again=False)),
        (about_document("acme", "job_1", 0), JobMessage("acme", "job_1", 0, again=False)),
        (about_job("acme", "job_1"), JobMessage("acme", "job_1", None, again=False)),
        (again(about_document("acme", "job_1", 3)), JobMessage("acme", "job_1", 3, again=True)),
    ],
)
def test_a_message_says_what_it_asks_for(body: dict[str, Any], told: JobMessage) -> None:
    assert job_message(json.loads(json.dumps(body))) == told


def test_each_document_and_the_job_itself_are_held_apart() -> None:
    bodies = [
        about_job("acme", "job_1"),
        *(about_document("acme", "job_1", number) for number in range(12)),
        about_document("acme", "job_2", 1),
        about_document("other", "job_1", 1),
    ]
    assert len({lease_name(body) for body in bodies}) == len(bodies)


def test_a_message_is_held_by_the_same_name_when_it_comes_again() -> None:
    body = about_document("acme", "job_1", 3)
    assert lease_name(again(body)) == lease_name(body)
    assert "again" not in body["job"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"job": None},
        {"job": 5},
        {"job": "x"},
        {"job": []},
        {"job": {}},
        {"job": {"org": "acme"}},
        {"job": {"id": "job_1", "document": 0}},
        {"job": {"org": "acme", "id": "job_1", "document": "x"}},
        {"job": {"org": "acme", "id": "job_1", "document": [1]}},
    ],
)
def test_any_other_message_is_none_about_a_job(body: Any) -> None:
    with pytest.raises(Invalid):
        job_message(body)
