"""The widget's chat."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from rag.limits import claimed
from rag.wire.caller import App
from rag.wire.events import streamed
from rag.wire.widget import schema, translate
from rag.wire.widget.accept import wants_events
from rag.wire.widget.errors import failed
from rag.wire.widget.route import LIMITED, router
from rag.wire.widget.visitors import admit, visited_site

if TYPE_CHECKING:  # visitors are refused without it
    from rag.query.visit import Visited

chat = router("Widget")

ANSWERING = {
    **LIMITED,
    200: {
        "description": "The answer; with `Accept: text/event-stream`, events: `chunk` as often as"
        " there is more of it, then `sources`, and at last `complete` with all of this",
        "content": {"text/event-stream": {}},  # OpenAPI 3.1 has no words for events
    },
}


@chat.post("/api/v1/chat", response_model=schema.WidgetChatResponse, responses=ANSWERING)
def ask(
    body: schema.WidgetChatRequest, app: App, request: Request, response: Response
) -> schema.WidgetChatResponse | StreamingResponse:
    """Answer a visitor's question from the documents of the site that the header `X-Site` names."""
    started = perf_counter()
    site = visited_site(request, app)
    claimed(request.state.principal, body.tier)
    admit(request, app, "chat")
    request.state.event = translate.event(body, site, request.state.principal)
    visited = app.visiting.ask(site, translate.asked(body))
    if wants_events(request.headers.get("accept", "")):
        return streamed(request, _events(visited, started), failed)
    response.headers["Cache-Control"] = "no-store"
    *_, (_, done) = _steps(visited, started)
    assert done is not None  # noqa: S101
    return done


def _events(visited: Visited, started: float) -> Iterator[dict[str, Any]]:
    """The answer as it is written, and at the end all that is told at once to whoever does not
    want it in pieces."""
    for text, done in _steps(visited, started):
        if done is None:
            yield {"type": "chunk", "text": text}
        else:
            whole = done.model_dump(mode="json")
            yield {"type": "sources", "sources": whole["sources"]}
            yield {"type": "complete", **whole}


def _steps(
    visited: Visited, started: float
) -> Iterator[tuple[str, schema.WidgetChatResponse | None]]:
    for step in visited.steps:
        if isinstance(step, str):
            yield step, None
        else:
            yield "", translate.answered(visited.id, step, started)
