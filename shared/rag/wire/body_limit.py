"""No body larger than Lambda would take, on any runtime."""

from __future__ import annotations

from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.wire.envelope import Problem
from rag.wire.shapes import shaped

LARGEST_BODY = 6 * 1024 * 1024


class BodyLimit:
    """Answers 413 to a body over the limit, announced or not, before it is read whole.

    What is `streamed` has limits of its own, and is left to them."""

    def __init__(
        self, app: ASGIApp, largest: int = LARGEST_BODY, streamed: Collection[str] = ()
    ) -> None:
        self._app = app
        self._largest = largest
        self._streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._streamed:
            return await self._app(scope, receive, send)
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self._largest:
            return await self._refuse(scope, receive, send)

        # Bodies are small: reading one ahead lets the answer be 413 whatever the route does.
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if len(body) > self._largest:
                return await self._refuse(scope, receive, send)
            if not message.get("more_body", False):
                break
        unread = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        return await self._app(scope, replay, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = f"A request may have at most {self._largest} bytes."
        response = shaped(Problem(413, "Payload too large", message), scope["path"])
        await response(scope, receive, send)
