"""The door of a stack on the emulator: `python -m infra.local.edge`.

In AWS the authorizer's answer names the usage plan that a call counts for, by its key. The emulator
looks for that key in the header x-api-key only. So the edge asks the authorizer beforehand, sends
the key that it names along in that header, and the caller's own API key in another, which is where
this stack's authorizer looks. It decides nothing: whom the authorizer refuses it sends on without
a key, and the gateway asks again and answers.

It also makes one address of the stack's two: behind it are both APIs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import boto3
import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rag.wire.doors import of_widget, public
from rag.wire.envelope import Problem
from rag.wire.shapes import shaped

KEY_HEADER = "x-api-key"
CALLERS_KEY_HEADER = "x-footnote-key"  # where the authorizer of such a stack looks
CREDENTIALS = ("authorization", CALLERS_KEY_HEADER)
HEALTH = "/_edge/health"  # of the edge alone
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# What concerns one connection only, and what nobody but the edge may say.
NOT_PASSED_ON = (
    "connection", "content-length", "host", "keep-alive", "transfer-encoding", "upgrade",
    "x-forwarded-for", KEY_HEADER, CALLERS_KEY_HEADER,
)  # fmt: skip
NOT_PASSED_BACK = ("connection", "content-encoding", "content-length", "transfer-encoding", "date")
SECONDS = 60  # more than any function may take
UNREACHABLE = Problem(503, "Service unavailable", "The stack is not up.")

Headers = list[tuple[str, str]]
UsageKey = Callable[[str, str, Headers], str | None]


def edge(gateway: str, widget: str, usage_key: UsageKey) -> Starlette:
    """An app that passes everything on to the gateway, and what is the widget's to its own."""

    async def pass_on(request: Request) -> Response:
        headers, path = _passed_on(request), request.scope["raw_path"].decode("ascii")
        has_credentials = any(name in CREDENTIALS for name, _ in headers)
        if has_credentials or public(request.method, path):
            key = await run_in_threadpool(usage_key, request.method, path, headers)
            headers += [(KEY_HEADER, key)] if key else []
        query = request.scope["query_string"].decode("ascii")
        stage = widget if of_widget(path) else gateway
        url = f"{stage}{path}?{query}" if query else f"{stage}{path}"
        body = await request.body()
        client: httpx.AsyncClient = request.state.client
        try:
            answer = await client.request(request.method, url, headers=headers, content=body)
        except httpx.TransportError:
            return shaped(UNREACHABLE, path)
        return _passed_back(answer)

    @asynccontextmanager
    async def connected(_app: Starlette) -> AsyncIterator[dict[str, httpx.AsyncClient]]:
        async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as client:
            yield {"client": client}

    routes = [Route(HEALTH, _is_up), Route("/{path:path}", pass_on, methods=METHODS)]
    return Starlette(routes=routes, lifespan=connected)


async def _is_up(_request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def authorizers_key(
    functions: Any, name: str, method: str, path: str, headers: Headers
) -> str | None:
    """The key that the authorizer names for this call, or None for a caller whom it refuses."""
    several: dict[str, list[str]] = {}
    for header, value in headers:
        several.setdefault(header, []).append(value)
    event = {
        "type": "REQUEST",
        "methodArn": f"arn:aws:execute-api:local:000000000000:edge/local/{method}{path}",
        "headers": {header: values[-1] for header, values in several.items()},
        "multiValueHeaders": several,
    }
    answer = functions.invoke(FunctionName=name, Payload=json.dumps(event))
    told = json.loads(answer["Payload"].read())
    return None if "FunctionError" in answer else told.get("usageIdentifierKey")


def _passed_on(request: Request) -> Headers:
    passed = [(name, value) for name, value in request.headers.items() if name not in NOT_PASSED_ON]
    callers = [(CALLERS_KEY_HEADER, value) for value in request.headers.getlist(KEY_HEADER)]
    address = request.client.host if request.client else "127.0.0.1"
    return [*passed, *callers, ("x-forwarded-for", address)]


def _passed_back(answer: httpx.Response) -> Response:
    response = Response(answer.content, answer.status_code)
    for name, value in answer.headers.multi_items():
        if name.lower() not in NOT_PASSED_BACK:
            response.headers.append(name, value)
    return response


def main(arguments: Sequence[str]) -> int:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m infra.local.edge", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--gateway", required=True, help="address of the API's stage")
    parser.add_argument("--widget", required=True, help="address of the widget's API's stage")
    parser.add_argument("--authorizer", required=True, help="name of the function")
    options = parser.parse_args(arguments)
    usage_key = partial(authorizers_key, boto3.client("lambda"), options.authorizer)
    app = edge(options.gateway, options.widget, usage_key)
    uvicorn.run(
        app,
        host=options.host,
        port=options.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
