"""The whole application, as its faces use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rag.identity import Authenticator
from rag.ingest.pipeline import Ingestion
from rag.ports import Embedder
from rag.query.converse import Chat
from rag.query.pipeline import Querying
from rag.stores.apikeys import ApiKeys
from rag.stores.documents import Documents


@dataclass(frozen=True, slots=True)
class Footnote:
    """Every capability, ready for use; put together by the runtime's bootstrap."""

    embedder: Embedder
    documents: Documents
    ingestion: Ingestion
    querying: Querying
    chat: Chat
    api_keys: ApiKeys
    authenticator: Authenticator
    sweeps: tuple[Callable[[], object], ...]  # to be called every minute or so
