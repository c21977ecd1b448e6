"""The SDK's client. The SDK itself is imported here, when a slot first uses it."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, cast

from rag import timing
from rag.adapters.openai import sdk

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

BASE_URL = "https://api.openai.com/v1"
# Servers such as Ollama want none; the SDK insists on one.
NO_KEY = "none"
# A server that is there takes a connection at once.
CONNECT_SECONDS = 5.0


def connect(api_key: str | None, base_url: str | None = None) -> OpenAI:
    """A client of OpenAI or of any server that speaks its API, whose retries are ours alone."""
    sdk.prepare()
    from openai import DefaultHttpxClient, OpenAI

    return OpenAI(
        api_key=api_key or NO_KEY,
        base_url=base_url or BASE_URL,
        max_retries=0,
        http_client=DefaultHttpxClient(event_hooks={"response": [_hold_to_the_deadline]}),
    )


def within(seconds: float) -> httpx2.Timeout:
    """A time limit for connecting and answering together: the client has one for each."""
    from openai import Timeout

    connecting = min(CONNECT_SECONDS, seconds / 4)
    return Timeout(seconds - connecting, connect=connecting)


def _hold_to_the_deadline(response: httpx2.Response) -> None:
    """The client's limit is for each read: a vendor that drips would never exceed it."""
    left = timing.remaining()
    if left is None:
        return
    import httpx2

    body = cast(httpx2.SyncByteStream, response.stream)
    until = monotonic() + left

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for part in body:
                if monotonic() > until:
                    raise httpx2.ReadTimeout("the request's time is up", request=response.request)
                yield part

        def close(self) -> None:
            body.close()

    response.stream = Bounded()
