"""Routes that answer every failure in their contract's shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from rag import timing
from rag.errors import FootnoteError
from rag.wire.envelope import answer_to, problem
from rag.wire.validation import first_problem

# Before the gateway cuts in, at 29 s.
SECONDS_PER_REQUEST = 27.0


class StrictRequest(Request):
    """A request whose body is JSON as the standard has it, or is refused as malformed."""

    async def json(self) -> Any:
        body = await self.body()
        try:
            value = json.loads(body, parse_constant=_refuse)
            if b"\\u" in body:
                # The standard lets an escape stand for half a character; no text can hold one.
                json.dumps(value, ensure_ascii=False).encode()
            return value
        except json.JSONDecodeError:
            raise
        except UnicodeEncodeError as half:
            raise json.JSONDecodeError("an escape is half of a character", "", 0) from half
        except (ValueError, RecursionError) as bad:
            raise json.JSONDecodeError(str(bad) or "nested too deeply", "", 0) from bad


class PlainRoute(APIRoute):
    """A route of a contract with the plain envelope, within the time a request has."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            if not _is_json(request):
                return problem(
                    415,
                    "Unsupported media type",
                    "Send the body with Content-Type: application/json.",
                )
            try:
                with timing.time_limit(SECONDS_PER_REQUEST):
                    return await handler(StrictRequest(request.scope, request.receive))
            except RequestValidationError as invalid:
                return answer_to(first_problem(invalid))
            except FootnoteError as error:
                return answer_to(error)

        return handle


def _is_json(request: Request) -> bool:
    has_body = request.headers.get("content-length", "0") != "0" or (
        "transfer-encoding" in request.headers
    )
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return not has_body or media_type == "application/json" or media_type.endswith("+json")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
