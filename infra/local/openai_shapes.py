"""OpenAI's answers, as they look on the wire."""

from __future__ import annotations

import base64
import json
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from fastapi.responses import JSONResponse

from infra.local.openai_writer import Written
from rag.model import Vector


def error(
    status: int, message: str, code: str | None = None, param: str | None = None
) -> JSONResponse:
    """Why a request was not answered."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    body = {"message": message, "type": kind, "param": param, "code": code}
    return JSONResponse({"error": body}, status)


def models(ids: Sequence[str]) -> dict[str, Any]:
    """The models that there are."""
    data = [{"id": id, "object": "model", "created": 0, "owned_by": "footnote"} for id in ids]
    return {"object": "list", "data": data}


def embeddings(model: str, vectors: Vector, encoding: str, used: int) -> dict[str, Any]:
    """Vectors, as numbers or as the bytes of them."""
    return {
        "object": "list",
        "model": model,
        "data": [
            {"object": "embedding", "index": index, "embedding": _encoded(vector, encoding)}
            for index, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def completion(model: str, written: Written) -> dict[str, Any]:
    """A whole answer."""
    message = {"role": "assistant", "content": written.text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": written.finish, "logprobs": None}
    return {**_head("chat.completion", model), "choices": [choice], "usage": _usage(written)}


def chunks(model: str, written: Written, with_usage: bool) -> Iterator[str]:
    """An answer word by word, as server-sent events."""
    head = _head("chat.completion.chunk", model)
    words = written.text.split(" ")
    pieces = ["", *(f"{word} " for word in words[:-1]), words[-1]]
    for piece in pieces:
        delta = {"role": "assistant", "content": piece}
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    end = {"index": 0, "delta": {}, "finish_reason": written.finish}
    yield _event({**head, "choices": [end]})
    if with_usage:
        yield _event({**head, "choices": [], "usage": _usage(written)})
    yield "data: [DONE]\n\n"


def _encoded(vector: Vector, encoding: str) -> list[float] | str:
    if encoding == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    numbers: list[float] = np.ndarray.tolist(vector)
    return numbers


def _head(kind: str, model: str) -> dict[str, Any]:
    id, now = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())
    return {"id": id, "object": kind, "created": now, "model": model}


def _usage(written: Written) -> dict[str, int]:
    return {
        "prompt_tokens": written.prompt_tokens,
        "completion_tokens": written.completion_tokens,
        "total_tokens": written.prompt_tokens + written.completion_tokens,
    }


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"
