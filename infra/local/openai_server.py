"""`python -m infra.local.openai_server --port 3090`: OpenAI's API on this machine, for no money.

Embeddings are MiniLM's, chat quotes its context. `POST /faults` makes it misbehave.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException

from infra.local import openai_shapes as shapes
from infra.local.openai_faults import Fault, Faults, Misbehaving
from infra.local.openai_schema import ChatRequest, EmbeddingRequest
from infra.local.openai_writer import CHAT_MODELS, Order, write
from rag import tokens
from rag.ports import Embedder

REMEMBERED = 100


class Refused(Exception):
    """A request that is refused as OpenAI refuses it."""

    def __init__(
        self, status: int, message: str, code: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message)
        self.answer = shapes.error(status, message, code, param)


class OpenAILoopback:
    """The API over an embedder, the faults it is to show, and the bodies it was lately sent."""

    def __init__(self, embedder: Embedder, orders: Sequence[Order] = ()) -> None:
        self._orders = orders
        self.faults = Faults()
        self.requests: deque[tuple[str, dict[str, Any]]] = deque(maxlen=REMEMBERED)
        self.app = FastAPI(openapi_url=None)
        self._embedder = embedder
        v1 = APIRouter(prefix="/v1", dependencies=[Depends(_key), Depends(self._remember)])
        v1.get("/models")(self.models)
        v1.post("/embeddings")(self.embeddings)
        v1.post("/chat/completions", response_model=None)(self.chat)
        self.app.include_router(v1)
        self.app.post("/faults", status_code=204)(self.misbehave)
        self.app.delete("/faults", status_code=204)(self.behave)
        self.app.add_middleware(Misbehaving, faults=self.faults)
        self.app.exception_handler(Refused)(_refused)
        self.app.exception_handler(RequestValidationError)(_invalid)
        self.app.exception_handler(HTTPException)(_unknown)

    def models(self) -> dict[str, Any]:
        """List the models."""
        return shapes.models([self._embedder.model, *CHAT_MODELS])

    def embeddings(self, body: EmbeddingRequest) -> dict[str, Any]:
        """Embed texts."""
        _check_model(body.model, (self._embedder.model,))
        dimension = body.dimensions or self._embedder.dimension
        if dimension > self._embedder.dimension:
            raise Refused(400, f"at most {self._embedder.dimension}", param="dimensions")
        vectors = np.stack([one.vector for one in self._embedder.embed(body.texts)])[:, :dimension]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        used = sum(map(tokens.count, body.texts))
        return shapes.embeddings(body.model, vectors, body.encoding_format, used)

    def chat(self, body: ChatRequest) -> dict[str, Any] | StreamingResponse:
        """Answer messages, at once or in pieces."""
        _check_model(body.model, CHAT_MODELS)
        messages = [(message.role, message.content) for message in body.messages]
        written = write(messages, body.most_tokens, body.stops, body.model, self._orders)
        if not body.stream:
            return shapes.completion(body.model, written)
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        events = shapes.chunks(body.model, written, with_usage)
        return StreamingResponse(events, media_type="text/event-stream")

    def misbehave(self, fault: Fault) -> None:
        """Let the next requests fail."""
        self.faults.add(fault)

    def behave(self) -> None:
        """Forget all faults."""
        self.faults.clear()

    async def _remember(self, request: Request) -> None:
        if body := await request.body():
            self.requests.append((request.url.path, json.loads(body)))


def _key(request: Request) -> None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Refused(401, "You didn't provide an API key.", "invalid_api_key")


def _check_model(model: str, known: tuple[str, ...]) -> None:
    if model not in known:
        raise Refused(404, f"The model `{model}` does not exist", "model_not_found", "model")


def _refused(_: Request, refused: Refused) -> Response:
    return refused.answer


def _invalid(_: Request, invalid: RequestValidationError) -> Response:
    first = invalid.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or None
    return shapes.error(400, first["msg"], param=place)


def _unknown(request: Request, error: HTTPException) -> Response:
    return shapes.error(error.status_code, f"Invalid URL ({request.method} {request.url.path})")


def main() -> int:
    """Serve, on loopback unless told otherwise, until told to stop."""
    from rag.adapters.embedded.minilm import MiniLM

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3090)
    options = parser.parse_args()
    app = OpenAILoopback(MiniLM()).app
    print(f"OpenAI's API serves on http://{options.host}:{options.port}/v1", flush=True)
    uvicorn.run(app, host=options.host, port=options.port, log_level="warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
