"""The request's deadline holds whatever the vendor does."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest
from starlette.types import Receive, Scope, Send

from rag import timing
from rag.adapters.openai.answerer import OpenAIAnswerer
from rag.adapters.openai.client import NO_KEY, connect, within
from rag.errors import GenerationFailed
from rag.model import Ask, Message
from tests.loopback import serving


async def dripping(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers for a minute, a byte at a time."""
    if scope["type"] != "http":
        return
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for _ in range(600):
        await send({"type": "http.response.body", "body": b" ", "more_body": True})
        await asyncio.sleep(0.1)


def test_a_vendor_that_drips_is_left_when_the_time_is_up() -> None:
    with serving(dripping) as url, connect("key", url) as client, timing.time_limit(0.5):
        started = monotonic()
        with pytest.raises(GenerationFailed, match="in time"):
            OpenAIAnswerer(client, "m").answer(Ask((Message("user", "hi"),)))
        assert monotonic() - started < 20


def test_connecting_and_answering_together_keep_the_limit() -> None:
    for seconds in (0.2, 4.0, 60.0):
        limit = within(seconds)
        assert limit.connect is not None
        assert limit.read is not None
        assert limit.connect + limit.read == pytest.approx(seconds)


def test_a_server_without_keys_needs_none_and_openai_is_the_default() -> None:
    with connect(None) as client:
        assert client.api_key == NO_KEY
        assert str(client.base_url) == "https://api.openai.com/v1/"
        assert client.max_retries == 0
