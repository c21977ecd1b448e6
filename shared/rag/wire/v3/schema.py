"""v3's bodies, field by field. `null` for an optional field means that it is absent."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from rag.model import IngestStatus
from rag.wire.fields import (
    DocumentTags,
    Flag,
    Metadata,
    Number,
    ShortText,
    Tags,
    Text,
    Whole,
    between,
)

TopK = Annotated[Whole, between(1, 20)]
Score = Annotated[Number, between(0, 1)]


class IngestRequest(BaseModel):
    """A document to ingest."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "source": "handbook",
                "path": "/expenses.md",
                "title": "Expenses",
                "text": "Hotel rooms are paid up to 140 euros a night.",
                "tags": ["policy"],
            }
        }
    )

    source: Annotated[str, StringConstraints(max_length=128, pattern=r"^[a-zA-Z0-9_-]+$")]
    path: ShortText
    title: ShortText
    text: Text
    hash: Annotated[str, StringConstraints(max_length=256)] | None = None
    tags: DocumentTags | None = None
    metadata: Metadata | None = None


class IngestResponse(BaseModel):
    """What became of it. Exactly these fields: n8n workflows parse them."""

    status: IngestStatus
    documentId: str
    chunkCount: int


class Filters(BaseModel):
    """Narrows a search; a document passes with any of the tags.

    A filter that is not known is refused: ignored, it would widen the search instead."""

    source: Annotated[str, StringConstraints(max_length=128)] | None = None
    tags: Tags | None = None

    @model_validator(mode="before")
    @classmethod
    def _all_known(cls, value: Any) -> Any:
        # By hand, since pydantic would describe every one of a million unknown keys.
        for name in value if isinstance(value, dict) else ():
            if name not in cls.model_fields:
                raise ValueError(f"has {name[:50]!r}, which is not known; use source and tags")
        return value


class SearchRequest(BaseModel):
    """A query."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "query": "What may a hotel cost?",
                "topK": 3,
                "filters": {"tags": ["policy"]},
            }
        }
    )

    query: Text
    topK: TopK | None = None
    minScore: Score | None = None
    filters: Filters | None = None


# Of a file that has pages or slides; and the headings over the text, where it has any.
Page = Annotated[int | None, Field(exclude_if=lambda page: page is None)]
Section = Annotated[
    str | None, Field(exclude_if=lambda section: section is None, examples=["Travel › Hotels"])
]


class ResultMetadata(BaseModel):
    """Where a result comes from."""

    documentId: str
    source: str
    path: str
    title: str
    chunkIndex: int
    tags: list[str]
    page: Page = None
    section: Section = None


class SearchResult(BaseModel):
    """A chunk and its relevance, from 0 to 1."""

    text: str
    score: float
    metadata: ResultMetadata


class SearchResponse(BaseModel):
    """The best chunks, best first."""

    query: str
    resultCount: int
    results: list[SearchResult]


class ChatMessage(BaseModel):
    """One turn."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatRequest(BaseModel):
    """Messages to answer, with documents (`useRag`) or without."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "messages": [{"role": "user", "content": "What may a hotel cost?"}],
                "useRag": True,
            }
        }
    )

    model: str | None = None
    messages: Annotated[list[ChatMessage], Field(max_length=1000)] | None = None
    message: str | None = None
    system: str | None = None
    options: dict[str, Any] | None = None
    conversationId: str | None = None
    useRag: Flag | None = None
    ragTopK: TopK | None = None
    ragFilters: Filters | None = None


class RagSource(BaseModel):
    """The beginning of a chunk that the answer could draw on."""

    text: str
    score: float
    source: str
    title: str
    page: Page = None
    section: Section = None


class ChatData(BaseModel):
    """The answer; some clients read `message`, some `response`."""

    message: str
    response: str
    conversationId: str
    ragUsed: bool
    ragSources: list[RagSource]


class ChatResponse(BaseModel):
    """The answer and its sources."""

    status: Literal["success"] = "success"
    data: ChatData
    ragUsed: bool
    ragSources: list[RagSource]


class DocumentResponse(BaseModel):
    """A document as it is now."""

    documentId: str
    dataSourceId: str
    source: str
    path: str
    title: str
    url: str | None
    hash: str
    tags: list[str]
    metadata: dict[str, Any]
    chunkCount: int
    createdAt: str
    updatedAt: str


class DocumentWithText(DocumentResponse):
    """A document and its text."""

    text: str


class DocumentsResponse(BaseModel):
    """A page of documents; `next` is the cursor of the following page."""

    documents: list[DocumentResponse]
    next: str | None


class DeletedResponse(BaseModel):
    """The document is gone."""

    status: Literal["deleted"] = "deleted"
    documentId: str
