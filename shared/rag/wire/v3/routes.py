"""v3's routes, in one router per function that serves them."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from fastapi import Query

from rag.access import may_write
from rag.errors import NotFound, PermissionDenied
from rag.model import Document
from rag.wire.caller import App, Caller
from rag.wire.fields import between
from rag.wire.router import failures, router
from rag.wire.v3 import schema, translate

documents = router("Documents")
search = router("Search")
chat = router("Chat")


@search.post("/api/rag/search")
def search_chunks(body: schema.SearchRequest, caller: Caller, app: App) -> schema.SearchResponse:
    """Find the chunks that are most relevant to a query."""
    wanted = translate.search(body)  # before all that a search needs is made
    found = app.querying.search(caller, wanted)
    return translate.results(body.query, found.excerpts)


@chat.post("/api/chat")
def answer_chat(body: schema.ChatRequest, caller: Caller, app: App) -> schema.ChatResponse:
    """Answer the last user message, from documents if `useRag` is set."""
    asked = translate.chat_request(body)  # before all that an answer needs is made
    return translate.chat_response(app.chat.reply(caller, asked))


@documents.get("/api/rag/documents")
def list_documents(
    caller: Caller,
    app: App,
    source: str | None = None,
    tag: str | None = None,
    dataSource: str | None = None,
    limit: Annotated[int, between(1, 100)] = 50,
    after: Annotated[str, Query(max_length=128)] = "",
) -> schema.DocumentsResponse:
    """List the documents, a page at a time; `next` of a page is `after` of the following one."""

    def read(visible: frozenset[str]) -> list[Document]:
        matching = (
            document
            for document in app.documents.all(caller.org, after)
            if document.data_source in visible
            and source in (None, document.source)
            and (tag is None or tag in document.tags)
            and dataSource in (None, document.data_source)
        )
        return list(islice(matching, limit + 1))

    page = app.seen_by(caller, read)
    return schema.DocumentsResponse(
        documents=[translate.document(one) for one in page[:limit]],
        next=page[limit - 1].id if len(page) > limit else None,
    )


@documents.get("/api/rag/documents/{documentId}")
def read_document(documentId: str, caller: Caller, app: App) -> schema.DocumentWithText:
    """Read one document, with its text and the metadata that it came with."""
    head = _visible(documentId, caller, app)
    return translate.document_with_text(head, app.documents.text(caller.org, head))


@documents.delete(
    "/api/rag/documents/{documentId}",
    responses=failures({403: "The document's data source is not yours to write to"}),
)
def delete_document(documentId: str, caller: Caller, app: App) -> schema.DeletedResponse:
    """Delete a document; from now on no search finds it."""
    head = _visible(documentId, caller, app)
    source = app.sources.get(caller.org, head.data_source)
    if source is None:
        raise _unknown(documentId)
    if not may_write(caller, source):
        raise PermissionDenied("Only the owner of its data source and admins may delete it.")
    if not app.ingestion.delete(caller.org, head.id):
        raise _unknown(documentId)
    return schema.DeletedResponse(documentId=head.id)


def _visible(id: str, caller: Caller, app: App) -> Document:
    def read(visible: frozenset[str]) -> Document:
        document = app.documents.get(caller.org, id)
        if document is None or document.data_source not in visible:
            raise _unknown(id)
        return document

    return app.seen_by(caller, read)


def _unknown(id: str) -> NotFound:
    return NotFound(f"There is no document {id[:100]}.")
