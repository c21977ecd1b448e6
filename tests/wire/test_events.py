"""Server-sent events: what becomes of them when nobody reads on."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

from starlette.types import Message

from rag.wire.events import EventStream
from rag.wire.workers import Workers


def test_a_reader_who_leaves_ends_what_is_being_written() -> None:
    ended = []

    def lines() -> Generator[str, None, None]:
        try:
            while True:
                yield "data: {}"
        finally:
            ended.append(True)

    begun = asyncio.Event()

    async def leave() -> Message:
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            begun.set()

    written = lines()
    scope = {"type": "http", "asgi": {"spec_version": "2.3"}}
    asyncio.run(EventStream(written, Workers())(scope, leave, send))
    assert ended
    assert list(written) == []
