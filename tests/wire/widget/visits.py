"""Visitors who ask cheaply: of a site that shows nothing, so that nothing is searched."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx

CHAT, FEEDBACK = "/api/v1/chat", "/api/v1/feedback"


def question(tier: str = "anonymous", **changes: Any) -> dict[str, Any]:
    """A question of a session of its own."""
    context = {"mode": "browse", "session_id": str(uuid4())}
    return {"message": "What is a newt?", "context": context, "tier": tier, **changes}


def ask(
    http: httpx.Client, headers: dict[str, str] | None = None, **changes: Any
) -> httpx.Response:
    return http.post(CHAT, json=question(**changes), headers=headers)


def remaining(answer: httpx.Response) -> int:
    """How often its asker may still come."""
    assert answer.status_code == 200, answer.text
    return int(answer.headers["x-ratelimit-remaining"])
