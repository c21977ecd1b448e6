"""Routes that answer every failure in their contract's shape."""

from __future__ import annotations

import asyncio
import json
import math
import re
from abc import abstractmethod
from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from rag import timing
from rag.errors import DeadlineExceeded, FootnoteError
from rag.wire.envelope import Problem, plain, problem_of
from rag.wire.failures import whereabouts
from rag.wire.validation import first_problem

# Before the gateway cuts in, at 29 s.
SECONDS_PER_REQUEST = 27.0
# A part that is stuck does not look at the clock. A little later than the work itself would stop,
# so that nothing is answered as failed and then done.
GRACE_SECONDS = 0.5

JSON_TYPE = re.compile(r"application/(?:[\w.!#$&^-]+\+)?json")


class StrictRequest(Request):
    """A request whose body is JSON as the standard has it, or is refused as malformed."""

    async def json(self) -> Any:
        body = await self.body()
        try:
            value = json.loads(body, parse_constant=_refuse, parse_float=_finite)
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


NOT_JSON = Problem(
    415, "Unsupported media type", "Send the body with Content-Type: application/json."
)


class ContractRoute(APIRoute):
    """A route of some contract, within the time a request has."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        waits = iscoroutinefunction(endpoint)
        super().__init__(path, endpoint if waits else _in_one_turn(endpoint), **more)

    @abstractmethod
    def told(self, problem: Problem) -> JSONResponse:
        """The error in the contract's shape."""

    def invalid(self, invalid: RequestValidationError) -> Problem:
        """What is told of a request that breaks a rule."""
        return problem_of(first_problem(invalid))

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            if not _is_json(request):
                return self.told(NOT_JSON)
            try:
                with timing.time_limit(SECONDS_PER_REQUEST):
                    work = asyncio.ensure_future(
                        handler(StrictRequest(request.scope, request.receive))
                    )
                return await _in_time(work)
            except RequestValidationError as invalid:
                return self.told(self.invalid(invalid))
            except FootnoteError as error:
                if error.__cause__ is not None:
                    request.state.failure = whereabouts(error.__cause__)
                return self.told(problem_of(error))

        return handle


class PlainRoute(ContractRoute):
    """A route of a contract with the plain envelope."""

    def told(self, problem: Problem) -> JSONResponse:
        return plain(problem)


def _in_one_turn(work: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """The work in a thread, and nothing after it: what a plain function returns, FastAPI checks in
    a thread again, so that in a crowd all who are done would wait for all who have not begun."""

    @wraps(work)
    async def turn(**arguments: Any) -> Any:
        return await run_in_threadpool(work, **arguments)

    return turn


async def _in_time(work: asyncio.Future[Response]) -> Response:
    """The answer, or DeadlineExceeded while the work, unheeded, comes to its own end."""
    done, _ = await asyncio.wait({work}, timeout=SECONDS_PER_REQUEST + GRACE_SECONDS)
    if done:
        return work.result()
    work.add_done_callback(lambda late: late.cancelled() or late.exception())
    raise DeadlineExceeded("The request took too long; whether it is still done is not known.")


def _is_json(request: Request) -> bool:
    has_body = request.headers.get("content-length", "0") != "0" or (
        "transfer-encoding" in request.headers
    )
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return not has_body or JSON_TYPE.fullmatch(media_type) is not None


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
