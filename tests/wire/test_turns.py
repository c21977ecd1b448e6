"""A crowd: whoever is done is answered, however many have not begun."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import httpx
import pytest
from anyio import to_thread
from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

from rag.wire.route import ContractRoute, PlainRoute
from rag.wire.widget.route import WidgetRoute

PATIENCE = 20.0  # seconds, for what comes at once or never


class Done(BaseModel):
    """What a route promises."""

    name: str


@pytest.mark.parametrize("route", [PlainRoute, WidgetRoute])
def test_an_answer_does_not_wait_for_those_who_came_later(route: type[ContractRoute]) -> None:
    begun, go = {name: threading.Event() for name in "ab"}, threading.Event()
    let = {"a": go, "b": threading.Event()}
    router = APIRouter(route_class=route)

    @router.get("/{name}", response_model=Done)
    def work(name: str) -> dict[str, str]:
        begun[name].set()
        let[name].wait(2 * PATIENCE)
        return {"name": name}

    app = FastAPI()
    app.include_router(router)

    async def crowd() -> Any:
        to_thread.current_default_thread_limiter().total_tokens = 1
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            first = asyncio.create_task(http.get("/a"))
            while not begun["a"].is_set():
                await asyncio.sleep(0.001)
            second = asyncio.create_task(http.get("/b"))
            while to_thread.current_default_thread_limiter().statistics().tasks_waiting == 0:
                await asyncio.sleep(0.001)
            go.set()
            try:
                return (await asyncio.wait_for(first, PATIENCE)).json()
            finally:
                let["b"].set()
                await second

    assert asyncio.run(crowd()) == {"name": "a"}
