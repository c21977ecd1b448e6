"""The composition root: the one place where parts are chosen and joined."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from pathlib import Path

from rag.adapters.embedded.database import Database
from rag.adapters.embedded.extractive import Extractive
from rag.adapters.embedded.index import SqliteIndex
from rag.adapters.embedded.items import SqliteItems
from rag.adapters.embedded.late_interaction import LateInteraction
from rag.clock import Clock
from rag.footnote import Footnote
from rag.identity import Authenticator, SigningKeys
from rag.ingest.pipeline import Ingestion
from rag.ingest.reembed import check_maker
from rag.ports import Answerer, Embedder, Index, Reranker
from rag.query.converse import Chat
from rag.query.lexical import LexicalReranker
from rag.query.pipeline import Querying
from rag.runtime.settings import Settings
from rag.stores.apikeys import ApiKeys
from rag.stores.conversations import Conversations
from rag.stores.documents import Documents
from rag.stores.rankings import Rankings

DATABASE = "footnote.sqlite"


def bootstrap(
    settings: Settings,
    *,
    clock: Clock = time.time,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    answerer: Answerer | None = None,
) -> Footnote:
    """Join the embedded parts, or those given instead. Raises IndexMismatch."""
    database = Database(settings.data_dir / DATABASE)
    items = SqliteItems(database, clock)
    documents, index = Documents(items, clock), _index(settings, database)
    embedder = embedder or _embedder(settings)
    check_maker(index, embedder)
    reranker = reranker or _reranker(settings)
    answerer = answerer or _answerer(settings)
    fleeting = SqliteItems(Database(settings.data_dir / "fleeting.sqlite", durable=False), clock)

    ingestion = Ingestion(documents, index, embedder, settings.longest_text)
    querying = Querying(
        documents,
        index,
        embedder,
        reranker,
        answerer,
        Rankings(fleeting, clock),
        settings.context_tokens,
    )
    api_keys = ApiKeys(items, clock)
    return Footnote(
        embedder=embedder,
        documents=documents,
        ingestion=ingestion,
        querying=querying,
        chat=Chat(querying, Conversations(items, clock)),
        api_keys=api_keys,
        authenticator=Authenticator(
            open=settings.auth == "open",
            clock=clock,
            api_key=api_keys.principal,
            secret=settings.jwt_secret or local_secret(settings.data_dir),
            signing_keys=_signing_keys(settings.jwks_url),
        ),
        sweeps=(ingestion.sweep, fleeting.purge),
    )


def open_corpus(settings: Settings) -> tuple[Documents, Index, Embedder]:
    """Documents, index and model, whether or not they belong together."""
    database = Database(settings.data_dir / DATABASE)
    documents = Documents(SqliteItems(database, time.time), time.time)
    return documents, _index(settings, database), _embedder(settings)


def open_api_keys(settings: Settings) -> ApiKeys:
    """The API keys alone, without any model."""
    return ApiKeys(SqliteItems(Database(settings.data_dir / DATABASE), time.time), time.time)


def local_secret(data_dir: Path) -> str:
    """The secret of this machine's tokens, made when it is first needed."""
    path = data_dir / "jwt-secret"
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        draft = data_dir / f"jwt-secret.{secrets.token_hex(8)}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(32))
        try:
            path.hardlink_to(draft)  # whole or not at all, and only by the first who tries
        finally:
            draft.unlink()
    return path.read_text()


# A vendor's package is imported only where its slot is used.


def _index(settings: Settings, database: Database) -> Index:
    if not (settings.pinecone_api_key and settings.pinecone_host):
        return SqliteIndex(database)
    from rag.adapters.pinecone import PineconeIndex
    from rag.adapters.pinecone.connect import connect

    return PineconeIndex(connect(settings.pinecone_api_key, settings.pinecone_host))


def _reranker(settings: Settings) -> Reranker:
    if settings.pinecone_api_key and settings.pinecone_rerank_model:
        from rag.adapters.pinecone import PineconeReranker
        from rag.adapters.pinecone.connect import connect_inference

        client = connect_inference(settings.pinecone_api_key)
        return PineconeReranker(client, settings.pinecone_rerank_model)
    # Late interaction lives on the word states that only the embedded model has.
    return LateInteraction() if settings.embedding_model is None else LexicalReranker()


def _embedder(settings: Settings) -> Embedder:
    if settings.embedding_model is None:
        from rag.adapters.embedded.minilm.embedder import MiniLM

        return MiniLM()
    from rag.adapters.openai.client import connect
    from rag.adapters.openai.embedder import OpenAIEmbedder

    client = connect(settings.openai_api_key, settings.openai_base_url)
    return OpenAIEmbedder(client, settings.embedding_model, dimension=settings.embedding_dimension)


def _answerer(settings: Settings) -> Answerer:
    if not settings.has_openai:
        return Extractive()
    from rag.adapters.openai.answerer import OpenAIAnswerer
    from rag.adapters.openai.client import connect

    client = connect(settings.openai_api_key, settings.openai_base_url)
    return OpenAIAnswerer(client, settings.openai_model)


def _signing_keys(url: str | None) -> SigningKeys | None:
    if url is None:
        return None
    from rag.adapters.jwks import JwksKeys

    return JwksKeys(url)
