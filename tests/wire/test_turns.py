"""A crowd: whoever is done is answered, however many have not begun."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import httpx
import pytest
from anyio import to_thread
from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel

from rag.wire.events import streamed
from rag.wire.route import ContractRoute, PlainRoute
from rag.wire.widget.route import WidgetRoute
from rag.wire.workers import Workers

PATIENCE = 20.0  # seconds, for what comes at once or never


class Done(BaseModel):
    """What a route promises."""

    name: str


@pytest.mark.parametrize("way", ["at once", "in pieces"])
@pytest.mark.parametrize("route", [PlainRoute, WidgetRoute])
def test_an_answer_does_not_wait_for_those_who_came_later(
    route: type[ContractRoute], way: str
) -> None:
    begun, let = threading.Event(), {name: threading.Event() for name in "ab"}
    router = APIRouter(route_class=route)

    @router.get("/{name}", response_model=Done)
    def work(request: Request, name: str) -> Any:
        begun.set()
        let[name].wait(2 * PATIENCE)
        if way == "at once":
            return {"name": name}
        return streamed(request, iter([{"piece": 1}, {"piece": 2}, {"name": name}]))

    app = FastAPI()
    app.state.workers = Workers()
    app.include_router(router)

    async def crowd() -> str:
        threads = to_thread.current_default_thread_limiter()
        threads.total_tokens = 1
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            first = asyncio.create_task(http.get("/a"))
            while not begun.is_set():
                await asyncio.sleep(0.001)
            second = asyncio.create_task(http.get("/b"))
            while threads.statistics().tasks_waiting == 0:
                await asyncio.sleep(0.001)
            let["a"].set()
            try:
                return (await asyncio.wait_for(first, PATIENCE)).text
            finally:
                let["b"].set()
                await second

    assert '"name"' in asyncio.run(crowd())
