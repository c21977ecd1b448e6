"""Servers of vendors' APIs, in a thread of this process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from infra.local.openai_faults import Fault
from infra.local.openai_server import OpenAILoopback
from rag.adapters.openai.answerer import OpenAIAnswerer
from rag.adapters.openai.client import connect
from rag.adapters.openai.embedder import OpenAIEmbedder
from rag.adapters.openai.retries import Retries

KEY = "sk-secret"
# Impatient, so that tests are quick.
RETRIES = Retries(timeout=10, first_wait=0.001)


def free_port() -> int:
    """A port that nobody serves on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of a server that runs inside."""
    config = uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


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
