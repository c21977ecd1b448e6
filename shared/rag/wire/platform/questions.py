"""The core's words for questions and answers into platform's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag import timing
from rag.answering import Answered, Citation
from rag.errors import InsufficientContext
from rag.filters import Filter, conditions
from rag.model import Excerpt, Found, Notice, Search
from rag.query.inquiry import MAX_TOKENS, Inquiry
from rag.query.template import parsed
from rag.wire.platform import schema

if TYPE_CHECKING:  # requests are read before it is known that they need it
    from rag.query.pipeline import Queried

DEFAULT_TOP_K = 10


def search(body: schema.RetrieveRequest) -> Search:
    """The search that a request describes. Raises Invalid."""
    filters = [Filter(one.field, one.op, one.value) for one in body.filters or ()]
    return Search(
        query=body.query,
        top_k=body.topK or DEFAULT_TOP_K,
        where=conditions(filters),
        rerank=body.rerank is not False,
        data_sources=frozenset(body.dataSources) if body.dataSources else None,
        reranker=body.rerankModel,
        # A ranking that is remembered has nothing to tell of how it came about.
        fresh=bool(body.explain),
    )


def inquiry(body: schema.QueryRequest) -> Inquiry:
    """The question that a request describes. Raises Invalid, or TemplateError."""
    return Inquiry(
        search=search(body),
        max_tokens=body.maxTokens or MAX_TOKENS,
        template=None if body.template is None else parsed(body.template),
        strict=bool(body.strictMode),
        model=body.model,
        options={} if body.temperature is None else {"temperature": body.temperature},
    )


def retrieved(found: Found, explained: Mapping[str, Any] | None) -> schema.RetrieveResponse:
    """What was found."""
    return schema.RetrieveResponse(
        **_found(found), warnings=warnings(found.notices), explain=_explanation(explained)
    )


def queried(
    run: Queried, answer: Answered, explained: Mapping[str, Any] | None
) -> schema.QueryResponse:
    """An answer, and how it came about."""
    return schema.QueryResponse(
        answer=answer.text,
        citationsUsed=[_citation(one) for one in answer.citations],
        confidence=answer.confidence,
        grounding=schema.GroundingResponse(
            isGroundable=run.grounding.is_groundable,
            groundingScore=run.grounding.score,
            outcome=run.grounding.outcome,
            relevantDocs=documents(run.relevant),
            gaps=list(run.grounding.gaps),
        ),
        **_found(run.found),
        warnings=warnings([*run.found.notices, *answer.notices]),
        metadata=schema.QueryMetadata(
            model=answer.model,
            tokens=schema.TokensResponse(
                context=run.assembled.token_count,
                prompt=answer.usage.prompt_tokens,
                completion=answer.usage.completion_tokens,
            ),
            milliseconds=_milliseconds(),
        ),
        explain=_explanation(explained),
    )


def refused(error: InsufficientContext, explained: Mapping[str, Any] | None) -> InsufficientContext:
    """A refusal, and how it came about."""
    if explained is None:
        return error
    return InsufficientContext(error.message, {**error.details, "explain": _explanation(explained)})


def documents(excerpts: Iterable[Excerpt]) -> list[schema.FoundDocument]:
    """Passages as documents."""
    return [_document(one) for one in excerpts]


def warnings(notices: Sequence[Notice]) -> list[schema.NoticeResponse]:
    """What a caller should know."""
    return [schema.NoticeResponse(code=one.code, message=one.message) for one in notices]


def _found(found: Found) -> dict[str, Any]:
    return {
        "documents": documents(found.excerpts),
        "scores": [one.score for one in found.excerpts],
        "totalFound": found.total,
        "dataSources": list(found.sources),
    }


def _document(excerpt: Excerpt) -> schema.FoundDocument:
    head, chunk = excerpt.document, excerpt.stored.chunk
    place = {"page": excerpt.page, "section": excerpt.section}
    known = {name: value for name, value in place.items() if value is not None}
    ours = {"chunkIndex": chunk.index, "start": chunk.start, "end": chunk.end, **known}
    return schema.FoundDocument(
        id=head.id,
        title=head.title,
        text=excerpt.text_in_context,
        dataSourceId=head.data_source,
        url=head.url,
        tags=list(head.tags),
        # What its sender gave is preserved, whatever it is called.
        metadata={**ours, **head.metadata},
    )


def _citation(citation: Citation) -> schema.CitationResponse:
    head, answer = citation.document, citation.answer
    assert answer is not None  # noqa: S101
    return schema.CitationResponse(
        n=citation.n,
        documentId=head.id,
        title=head.title,
        url=head.url,
        dataSourceId=head.data_source,
        page=citation.page,
        section=" › ".join(citation.section) or None,
        start=citation.span.start,
        end=citation.span.end,
        quote=citation.quote,
        answerStart=answer.start,
        answerEnd=answer.end,
    )


def _milliseconds() -> dict[str, float]:
    return {stage: round(ms, 1) for stage, ms in timing.so_far().items()}


def _explanation(notes: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if notes is None else {**notes, "milliseconds": _milliseconds()}
