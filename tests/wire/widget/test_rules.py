"""What a question must be, and what is told of one that is not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from uuid import UUID, uuid3, uuid5

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Server
from tests.wire.widget.pages import EXAMPLE_1, SESSION
from tests.wire.widget.visits import CHAT

MISSING = object()
# The same in every process: cases are named by them.
V4 = UUID("3bcaf505-0968-4bc0-9e06-af18c3a88ae7")
V1 = "2f0e8d2c-a58e-11f0-9d1b-0242ac120002"


def changed(field: str, value: Any) -> Any:
    body: Any = deepcopy(EXAMPLE_1)
    *outer, name = field.split(".")
    inner = body[outer[0]] if outer else body
    if value is MISSING:
        inner.pop(name, None)
    else:
        inner[name] = value
    return body


def send(server: Server, body: Any) -> httpx.Response:
    visitor = server.token("visitor", tier="premium")
    return server.http.post(CHAT, json=body, headers=visitor)


@pytest.mark.parametrize(
    ("field", "value", "code", "constraint"),
    [
        ("message", MISSING, "INVALID_REQUEST", "non_empty"),
        ("message", None, "INVALID_REQUEST", "non_empty"),
        ("message", "", "INVALID_REQUEST", "non_empty"),
        ("message", " \n\t ", "INVALID_REQUEST", "non_empty"),
        ("message", 5, "INVALID_REQUEST", "string"),
        ("message", ["Hi"], "INVALID_REQUEST", "string"),
        ("message", "x" * 2001, "MESSAGE_TOO_LONG", "max_length"),
        ("message", f"{'x' * 1999}  ", "MESSAGE_TOO_LONG", "max_length"),
        ("message", "🦎" * 2001, "MESSAGE_TOO_LONG", "max_length"),
        ("context", MISSING, "INVALID_REQUEST", "required"),
        ("context", None, "INVALID_REQUEST", "required"),
        ("context", "browse", "INVALID_REQUEST", "object"),
        ("context", [], "INVALID_REQUEST", "object"),
        ("context.mode", MISSING, "INVALID_REQUEST", "required"),
        ("context.mode", None, "INVALID_REQUEST", "required"),
        ("context.mode", "Browse", "INVALID_REQUEST", "one_of"),
        ("context.mode", 1, "INVALID_REQUEST", "one_of"),
        ("context.selected_text", "y" * 5001, "SELECTED_TEXT_TOO_LONG", "max_length"),
        ("context.selected_text", " " * 5001, "SELECTED_TEXT_TOO_LONG", "max_length"),
        ("context.selected_text", 5, "INVALID_REQUEST", "string"),
        ("context.page_url", {}, "INVALID_REQUEST", "string"),
        ("context.session_id", MISSING, "INVALID_REQUEST", "required"),
        ("context.session_id", None, "INVALID_REQUEST", "required"),
        ("context.session_id", 7, "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", "", "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", "abc", "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", V1, "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", str(uuid3(V4, "x")), "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", str(uuid5(V4, "x")), "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", f"{{{V4}}}", "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", f"urn:uuid:{V4}", "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", V4.hex, "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", f"{V4}\n", "INVALID_SESSION_ID", "uuid_v4"),
        ("context.session_id", SESSION[:19] + "c" + SESSION[20:], "INVALID_SESSION_ID", "uuid_v4"),
        ("tier", MISSING, "INVALID_REQUEST", "required"),
        ("tier", None, "INVALID_REQUEST", "required"),
        ("tier", "gold", "INVALID_REQUEST", "one_of"),
        ("tier", True, "INVALID_REQUEST", "one_of"),
    ],
)  # fmt: skip
def test_a_question_that_breaks_a_rule(
    server: Server, field: str, value: Any, code: str, constraint: str
) -> None:
    answer = send(server, changed(field, value))
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert (error["code"], error["details"]) == (code, {"field": field, "constraint": constraint})
    assert error["message"]
    if constraint == "non_empty":
        assert error["message"] == "Message field is required"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("message", "x"),
        ("message", "x" * 2000),
        ("message", "🦎" * 2000),
        ("context.mode", "chat"),
        ("context.selected_text", None),
        ("context.selected_text", ""),
        ("context.selected_text", "y" * 5000),
        ("context.page_url", None),
        ("context.page_url", MISSING),
        ("context.page_url", "http://["),
        ("context.page_url", "/" + "x" * 10_000),
        ("context.session_id", SESSION.upper()),
        ("context.whatever", 5),
        ("whatever", 5),
    ],
)
def test_a_question_that_breaks_none(server: Server, field: str, value: Any) -> None:
    answer = send(server, changed(field, value))
    assert answer.status_code == 200, answer.text


FLOATS = st.floats(allow_nan=False, allow_infinity=False)  # JSON has neither
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["message", "context", "context.mode", "context.selected_text", "context.page_url",
          "context.session_id", "tier"]  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(FIELDS), VALUES)
def test_whatever_is_sent_is_answered_or_told_what_is_wrong(
    server: Server, field: str, value: Any
) -> None:
    answer = send(server, changed(field, value))
    if answer.status_code == 200:
        assert answer.json()["answer"]
    elif answer.status_code == 401:
        assert field == "tier"
    else:
        assert answer.status_code == 400
        details = answer.json()["error"]["details"]
        assert list(details) == ["field", "constraint"]
        assert details["field"].startswith(field)
