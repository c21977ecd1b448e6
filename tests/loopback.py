"""Servers of vendors' APIs, in a thread of this process."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn

from infra.local.openai_faults import Fault
from infra.local.openai_server import OpenAILoopback
from rag.adapters.openai.answerer import OpenAIAnswerer
from rag.adapters.openai.client import connect
from rag.adapters.openai.embedder import OpenAIEmbedder
from rag.adapters.openai.retries import Retries

KEY = "sk-secret"
# Turns of the event loop, in which an accepted connection becomes one that is served.
TURNS = 10
# Impatient, so that tests are quick.
RETRIES = Retries(timeout=10, first_wait=0.001)


def free_port() -> int:
    """A port that nobody serves on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class PromptServer(uvicorn.Server):
    """One that stops as soon as it is told to, where uvicorn takes up to a quarter of a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._serves = threading.Event()
        self._thread = threading.Thread(target=self.run)

    def start(self) -> str:
        """Its address, once it serves there."""
        self._thread.start()
        self._serves.wait()
        port = self.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._told.set)
        self._thread.join()

    async def main_loop(self) -> None:
        await self.on_tick(0)  # it dates the answers
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        self._serves.set()
        await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        state = self.server_state
        for connection in list(state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while state.connections or state.tasks:
                    await asyncio.sleep(0.001)
        for task in state.tasks:
            task.cancel()
        # A browser opens connections ahead: one that came while we closed is known a little later.
        for _ in range(TURNS):
            await asyncio.sleep(0)
            for connection in list(state.connections):
                connection.transport.abort()
        await self.lifespan.shutdown()


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of a server that runs inside."""
    config = uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = PromptServer(config)
    url = server.start()
    try:
        yield url
    finally:
        server.stop()


class OpenAIApi:
    """OpenAI's API on loopback, and our adapters on it through the real SDK."""

    def __init__(self, loopback: OpenAILoopback, url: str) -> None:
        self.loopback = loopback
        self.url = url
        self.client = connect(KEY, f"{url}/v1")

    def answerer(self, **more: Any) -> OpenAIAnswerer:
        return OpenAIAnswerer(self.client, "extractive", **{"retries": RETRIES, **more})

    def embedder(self, model: str = "all-MiniLM-L6-v2", **more: Any) -> OpenAIEmbedder:
        return OpenAIEmbedder(self.client, model, **{"retries": RETRIES, **more})

    def fail(self, kind: str, **more: Any) -> None:
        self.loopback.faults.add(Fault.model_validate({"kind": kind, **more}))

    def sent(self, path: str) -> list[dict[str, Any]]:
        """The bodies of the requests to a path, as the vendor saw them."""
        return [body for to, body in self.loopback.requests if to == f"/v1/{path}"]
