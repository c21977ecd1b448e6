"""v3's words into the core's, and back."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import Invalid
from rag.model import Condition, Document, Draft, Excerpt, Ingested, Message, Search, Where
from rag.query.converse import ChatReply, source_preview
from rag.query.converse import ChatRequest as Request
from rag.wire.v3 import schema

DEFAULT_TOP_K = 5


def draft(body: schema.IngestRequest) -> Draft:
    """The document that a request describes."""
    return Draft(
        source=body.source,
        path=body.path,
        title=body.title,
        text=body.text,
        hash=body.hash or None,
        tags=tuple(dict.fromkeys(body.tags or ())),
        metadata=body.metadata or {},
    )


def ingested(result: Ingested) -> schema.IngestResponse:
    """What became of a document."""
    return schema.IngestResponse(
        status=result.status, documentId=result.document_id, chunkCount=result.chunk_count
    )


def search(body: schema.SearchRequest) -> Search:
    """The search that a request describes."""
    return Search(
        query=body.query,
        top_k=body.topK or DEFAULT_TOP_K,
        min_score=body.minScore or 0.0,
        where=where(body.filters),
    )


def where(filters: schema.Filters | None) -> Where:
    """The filter that a request describes: its source, and any of its tags."""
    conditions = []
    if filters is not None and filters.source is not None:
        conditions.append(Condition("source", frozenset({filters.source})))
    if filters is not None and filters.tags:
        conditions.append(Condition("tags", frozenset(filters.tags)))
    return tuple(conditions)


def results(query: str, excerpts: Sequence[Excerpt]) -> schema.SearchResponse:
    """What a search found."""
    return schema.SearchResponse(
        query=query, resultCount=len(excerpts), results=[_result(one) for one in excerpts]
    )


def chat_request(body: schema.ChatRequest) -> Request:
    """The chat request that a body describes; `message` alone is one user message."""
    if body.messages:
        messages = tuple(Message(one.role, one.content) for one in body.messages)
    elif body.message is not None:
        messages = (Message("user", body.message),)
    else:
        raise Invalid("messages", "messages (or message) is required")
    return Request(
        messages=messages,
        conversation_id=body.conversationId or None,
        system=body.system or "",
        model=body.model,
        options=body.options or {},
        use_rag=bool(body.useRag),
        top_k=body.ragTopK or DEFAULT_TOP_K,
        where=where(body.ragFilters),
    )


def chat_response(reply: ChatReply) -> schema.ChatResponse:
    """The answer, for clients that look at the top level and for those that look into `data`."""
    sources = [
        schema.RagSource.model_validate(source_preview(one), extra="ignore")
        for one in reply.excerpts
    ]
    data = schema.ChatData(
        message=reply.text,
        response=reply.text,
        conversationId=reply.conversation_id,
        ragUsed=reply.rag_used,
        ragSources=sources,
    )
    return schema.ChatResponse(data=data, ragUsed=reply.rag_used, ragSources=sources)


def document(head: Document) -> schema.DocumentResponse:
    """A document without its text."""
    return schema.DocumentResponse(
        documentId=head.id,
        dataSourceId=head.data_source,
        source=head.source,
        path=head.path,
        title=head.title,
        url=head.url,
        hash=head.hash,
        tags=list(head.tags),
        metadata=dict(head.metadata),
        chunkCount=head.chunk_count,
        createdAt=head.created_at,
        updatedAt=head.updated_at,
    )


def document_with_text(head: Document, text: str) -> schema.DocumentWithText:
    """A document with its text."""
    return schema.DocumentWithText(**document(head).model_dump(), text=text)


def _result(excerpt: Excerpt) -> schema.SearchResult:
    head = excerpt.document
    return schema.SearchResult(
        text=excerpt.text_in_context,
        score=excerpt.score,
        metadata=schema.ResultMetadata(
            documentId=head.id,
            source=head.source,
            path=head.path,
            title=head.title,
            chunkIndex=excerpt.ref.index,
            tags=list(head.tags),
            page=excerpt.page,
            section=excerpt.section,
        ),
    )
