"""Which part fills which slot: the embedded one, unless the settings name another.

Parts are imported where they are chosen, since a vendor's package costs a cold start.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from rag.clock import Clock
from rag.identity import SigningKeys
from rag.ports import (
    Answerer,
    Embedder,
    Forms,
    Index,
    Items,
    Judge,
    Objects,
    Queue,
    Reader,
    Reranker,
)
from rag.runtime.secrets import local_secret
from rag.runtime.settings import Settings

if TYPE_CHECKING:
    from rag.adapters.aws.objects import S3Objects
    from rag.adapters.embedded.database import Database

DATABASE = "footnote.sqlite"
FLEETING = "fleeting.sqlite"


class Slots:
    """The parts that the settings choose, or those given instead; each is made when it is used."""

    def __init__(self, settings: Settings, clock: Clock, **given: object) -> None:
        self._settings = settings
        self._clock = clock
        vars(self).update(given)

    @cached_property
    def items(self) -> Items:
        if self._settings.items_table:
            return self._dynamo_items(self._settings.items_table)
        return self._sqlite_items(self._database)

    @cached_property
    def fleeting(self) -> Items:
        if self._settings.fleeting_table:
            return self._dynamo_items(self._settings.fleeting_table)
        return self._sqlite_items(self._open(FLEETING, durable=False))

    @cached_property
    def objects(self) -> Objects:
        if self._bucket is not None:
            return self._bucket
        from rag.adapters.embedded.objects import FolderObjects

        return FolderObjects(self._settings.data_dir)

    @cached_property
    def forms(self) -> Forms:
        if self._bucket is not None:
            return self._bucket
        from rag.adapters.embedded.forms import SignedForms

        return SignedForms(self.secret, self._clock)

    @cached_property
    def queue(self) -> Queue:
        if self._settings.queue_url:
            return self._sqs_queue(self._settings.queue_url)
        return self._sqlite_queue("ingest", dead="dead")

    @cached_property
    def dead(self) -> Queue:
        if self._settings.dead_queue_url:
            return self._sqs_queue(self._settings.dead_queue_url)
        return self._sqlite_queue("dead")

    @cached_property
    def index(self) -> Index:
        if self._settings.pinecone_api_key and self._settings.pinecone_host:
            from rag.adapters.pinecone import PineconeIndex
            from rag.adapters.pinecone.connect import connect

            return PineconeIndex(
                connect(self._settings.pinecone_api_key, self._settings.pinecone_host)
            )
        from rag.adapters.embedded.index import SqliteIndex

        return SqliteIndex(self._database)

    @cached_property
    def embedder(self) -> Embedder:
        if self._settings.embedding_model:
            from rag.adapters.openai.embedder import OpenAIEmbedder

            return OpenAIEmbedder(
                self._openai,
                self._settings.embedding_model,
                dimension=self._settings.embedding_dimension,
            )
        from rag.adapters.embedded.minilm import MiniLM

        return MiniLM()

    @cached_property
    def reranker(self) -> Reranker:
        if self._settings.pinecone_api_key and self._settings.pinecone_rerank_model:
            from rag.adapters.pinecone import PineconeReranker
            from rag.adapters.pinecone.connect import connect_inference

            return PineconeReranker(
                connect_inference(self._settings.pinecone_api_key),
                self._settings.pinecone_rerank_model,
            )
        if self._settings.embedding_model:
            from rag.query.lexical import LexicalReranker

            return LexicalReranker()
        # It lives on the word states that only the embedded model has.
        from rag.adapters.embedded.late_interaction import LateInteraction

        return LateInteraction()

    @cached_property
    def answerer(self) -> Answerer | None:
        if not self._settings.has_openai:
            return None
        from rag.adapters.openai.answerer import OpenAIAnswerer

        return OpenAIAnswerer(self._openai, self._settings.openai_model)

    @cached_property
    def judge(self) -> Judge | None:
        if not self._settings.grounding_model:
            return None
        from rag.adapters.openai.judge import OpenAIJudge

        return OpenAIJudge(self._openai, self._settings.grounding_model)

    @cached_property
    def reader(self) -> Reader:
        from rag.adapters.confined.reader import ConfinedReader

        return ConfinedReader()

    @cached_property
    def secret(self) -> str:
        return self._settings.jwt_secret or local_secret(self._settings.data_dir)

    @cached_property
    def signing_keys(self) -> SigningKeys | None:
        if self._settings.jwks_url is None:
            return None
        from rag.adapters.jwks import JwksKeys

        return JwksKeys(self._settings.jwks_url)

    @cached_property
    def _bucket(self) -> S3Objects | None:
        if not self._settings.uploads_bucket:
            return None
        from rag.adapters.aws.objects import S3Objects

        return S3Objects(self._aws("s3"), self._settings.uploads_bucket)

    @cached_property
    def _database(self) -> Database:
        return self._open(DATABASE)

    def _open(self, name: str, *, durable: bool = True) -> Database:
        from rag.adapters.embedded.database import Database

        return Database(self._settings.data_dir / name, durable=durable)

    def _sqlite_items(self, database: Database) -> Items:
        from rag.adapters.embedded.items import SqliteItems

        return SqliteItems(database, self._clock)

    def _dynamo_items(self, table: str) -> Items:
        from rag.adapters.aws.items import DynamoItems

        return DynamoItems(self._aws("dynamodb"), table, self._clock)

    def _sqlite_queue(self, name: str, dead: str = "") -> Queue:
        from rag.adapters.embedded.queue import SqliteQueue
        from rag.ingest.worker import MOST_ATTEMPTS

        return SqliteQueue(self._database, self._clock, name, attempts=MOST_ATTEMPTS, dead=dead)

    def _sqs_queue(self, url: str) -> Queue:
        from rag.adapters.aws.queue import SqsQueue

        return SqsQueue(self._aws("sqs"), url)

    def _aws(self, service: Literal["dynamodb", "s3", "sqs"]) -> Any:
        from rag.adapters.aws.clients import client

        return client(
            service, region=self._settings.aws_region, endpoint=self._settings.aws_endpoint_url
        )

    @cached_property
    def _openai(self) -> Any:
        from rag.adapters.openai.client import connect

        return connect(self._settings.openai_api_key, self._settings.openai_base_url)
