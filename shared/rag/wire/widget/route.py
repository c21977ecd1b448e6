"""Routes and routers of the widget's contract."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from rag.wire import router as routers
from rag.wire.envelope import Problem
from rag.wire.route import ContractRoute
from rag.wire.widget import errors

MEANINGS = {**routers.MEANINGS, 403: "Not from this page, or not for this caller"}
FAILURES = routers.failures(MEANINGS, errors.WidgetErrorResponse)
LIMITED = routers.failures(
    {429: "Too many requests; `details` says how long to wait"}, errors.WidgetErrorResponse
)


class WidgetRoute(ContractRoute):
    """A route whose every answer says how often its caller may still come, once that is known."""

    def told(self, problem: Problem) -> JSONResponse:
        return errors.told(problem)

    def invalid(self, invalid: RequestValidationError) -> Problem:
        return errors.invalid(invalid)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            response = await handler(request)
            response.headers.update(getattr(request.state, "limits", {}))
            return response

        return handle


def router(tag: str) -> APIRouter:
    """A router whose failures have the widget's shape."""
    return routers.router(tag, WidgetRoute, FAILURES)
