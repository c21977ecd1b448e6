"""The chat's bodies, field by field."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from rag.model import Tier
from rag.wire.fields import not_blank

LONGEST_MESSAGE, LONGEST_SELECTION = 2000, 5000
# What is beyond names no page. It is cut, and not refused: the contract has no rule for it.
LONGEST_ADDRESS = 2000
_UUID_V4 = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE
)


def _uuid(text: str) -> str:
    if not _UUID_V4.fullmatch(text):
        raise ValueError("must be a UUID of version 4")
    return text


Address = Annotated[str, AfterValidator(lambda text: text[:LONGEST_ADDRESS])]
Message = Annotated[str, StringConstraints(max_length=LONGEST_MESSAGE), AfterValidator(not_blank)]
Selection = Annotated[str, StringConstraints(max_length=LONGEST_SELECTION)]
SessionId = Annotated[str, AfterValidator(_uuid), Field(json_schema_extra={"format": "uuid"})]


class WidgetContext(BaseModel):
    """Where a question is asked: about all content, or in `chat` about a text that is selected."""

    mode: Literal["browse", "chat"]
    selected_text: Selection | None = None
    page_url: Address | None = None
    session_id: SessionId


class WidgetChatRequest(BaseModel):
    """A visitor's question. `tier` is a claim: the token decides."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "message": "What is the difference between embodied and disembodied AI?",
                "context": {
                    "mode": "browse",
                    "page_url": "/docs/module-2-embodied/fundamentals",
                    "session_id": "550e8400-e29b-41d4-a716-446655440000",
                },
                "tier": "anonymous",
            }
        }
    )

    message: Message
    context: WidgetContext
    tier: Tier


class WidgetSource(BaseModel):
    """A source of the answer; `n` is its number in the answer's `[n]`."""

    id: str = Field(description="The same as long as the content is")
    title: str
    url: str
    excerpt: str = Field(description="At most 200 characters")
    score: float
    n: int


class WidgetMetadata(BaseModel):
    """Who answered, and what it took."""

    model: str
    tokens_used: int
    retrieval_time_ms: int
    generation_time_ms: int
    total_time_ms: int


class WidgetChatResponse(BaseModel):
    """An answer with at most five sources; none, where the documents do not answer."""

    answer: str
    sources: list[WidgetSource]
    metadata: WidgetMetadata
    answer_id: str = Field(description="By which the answer can be rated")
