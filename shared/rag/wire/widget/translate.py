"""The core's words for a visit into the widget's."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from rag import timing
from rag.model import Principal, Site
from rag.wire.widget import schema

if TYPE_CHECKING:  # visitors are refused without it
    from rag.query.visit import Asked, Finished

RETRIEVAL = ("cache", "retrieve", "fuse", "read", "rerank")
GENERATION = ("answer",)


def asked(body: schema.WidgetChatRequest) -> Asked:
    """The question that a request describes."""
    from rag.query.visit import Asked

    context = body.context
    return Asked(
        body.message, context.mode, context.selected_text, context.page_url, context.session_id
    )


def event(
    body: schema.WidgetChatRequest, site: Site, principal: Principal | None
) -> dict[str, Any]:
    """What is logged of a question: nothing of what it says, nor of who asks."""
    from rag.query.page import told

    context = body.context
    return {
        "event": "chat_message_sent",
        "session_id": context.session_id,
        "page_url": None if context.page_url is None else told(context.page_url),
        "site": site.id,
        "tier": principal.tier if principal else "anonymous",
        "mode": context.mode,
    }


def answered(id: str, finished: Finished, started: float) -> schema.WidgetChatResponse:
    """An answer, and how long each part of it took since it was asked for."""
    stages = timing.so_far()
    retrieval, generation = (
        round(sum(stages.get(name, 0.0) for name in names)) for names in (RETRIEVAL, GENERATION)
    )
    total = round((perf_counter() - started) * 1000)
    return schema.WidgetChatResponse(
        answer=finished.text,
        sources=[
            schema.WidgetSource(
                id=one.id,
                title=one.title,
                url=one.url,
                excerpt=one.excerpt,
                score=one.score,
                n=one.n,
            )
            for one in finished.sources
        ],
        metadata=schema.WidgetMetadata(
            model=finished.model,
            tokens_used=finished.tokens,
            retrieval_time_ms=retrieval,
            generation_time_ms=generation,
            # Rounded, the parts may be more than the whole.
            total_time_ms=max(total, retrieval + generation),
        ),
        answer_id=id,
    )
