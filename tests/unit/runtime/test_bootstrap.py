from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.pinecone_server import PineconeServer
from infra.local.resources import make_table
from rag.adapters.embedded.minilm import MiniLM
from rag.errors import IndexMismatch, IndexUnavailable
from rag.identity import LOCAL_OWNER
from rag.model import Draft, Search
from rag.runtime.bootstrap import bootstrap
from rag.runtime.secrets import local_secret
from rag.runtime.settings import Settings, SettingsError
from rag.timing import time_limit
from tests.conftest import Clients, new_bucket, serving_pinecone
from tests.loopback import OpenAIApi


def settings(tmp_path: Path, **variables: str) -> Settings:
    return Settings.from_environment({"DATA_DIR": str(tmp_path / "data"), **variables})


def test_without_any_setting_everything_is_embedded(tmp_path: Path) -> None:
    footnote = bootstrap(settings(tmp_path))
    assert footnote.parts.embedder.model == MiniLM.model
    assert footnote.querying.answerer is footnote.querying.judge is None
    assert footnote.parts.forms.upload_form("a", "text/plain", 1, 60).url == "/uploads"


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "OPENAI_BASE_URL"])
def test_a_key_or_a_server_has_answers_written(
    tmp_path: Path, minilm: MiniLM, variable: str
) -> None:
    footnote = bootstrap(settings(tmp_path, **{variable: "http://127.0.0.1:9/v1"}), embedder=minilm)
    assert footnote.querying.answerer is not None
    assert footnote.querying.answerer.name == "openai"


def test_a_second_judge_is_asked_of_the_server(tmp_path: Path, openai_api: OpenAIApi) -> None:
    server = {"OPENAI_BASE_URL": f"{openai_api.url}/v1", "OPENAI_API_KEY": "k"}
    footnote = bootstrap(settings(tmp_path, **server, GROUNDING_MODEL="extractive"))
    assert footnote.parts.judge is not None
    with pytest.raises(SettingsError, match="GROUNDING_MODEL=x needs OPENAI_API_KEY"):
        settings(tmp_path, GROUNDING_MODEL="x")


def test_an_embedding_model_is_asked_of_the_server(tmp_path: Path, openai_api: OpenAIApi) -> None:
    chosen = settings(
        tmp_path,
        OPENAI_BASE_URL=f"{openai_api.url}/v1",
        OPENAI_API_KEY="any",
        EMBEDDING_MODEL="all-MiniLM-L6-v2",
    )
    footnote = bootstrap(chosen)
    assert (footnote.parts.embedder.model, footnote.parts.embedder.dimension) == (
        "all-MiniLM-L6-v2",
        384,
    )
    assert not isinstance(footnote.parts.embedder, MiniLM)


def test_an_index_of_another_dimension_is_refused(tmp_path: Path, minilm: MiniLM) -> None:
    bootstrap(settings(tmp_path), embedder=minilm).ready()
    other = settings(tmp_path, OPENAI_API_KEY="k", EMBEDDING_MODEL="text-embedding-3-small")
    with pytest.raises(IndexMismatch, match="1536"):
        bootstrap(other).ready()


def test_an_embedding_model_without_a_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        settings(tmp_path, EMBEDDING_MODEL="text-embedding-3-small")


def test_the_local_secret_is_made_once_and_is_ours_alone(tmp_path: Path) -> None:
    secret = local_secret(tmp_path / "data")
    assert local_secret(tmp_path / "data") == secret
    assert len(secret) >= 32
    modes: dict[str, Any] = {
        path.name: path.stat().st_mode & 0o777
        for path in (tmp_path / "data", tmp_path / "data/jwt-secret")
    }
    assert modes == {"data": 0o700, "jwt-secret": 0o600}


@pytest.fixture
def wide_pinecone() -> Iterator[PineconeServer]:
    """An index of as many dimensions as the embedded model has."""
    with serving_pinecone(384) as server:
        yield server


def test_a_pinecone_index_holds_the_vectors(
    tmp_path: Path, minilm: MiniLM, wide_pinecone: PineconeServer
) -> None:
    key, host = wide_pinecone.api_key, wide_pinecone.url
    chosen = settings(tmp_path, PINECONE_API_KEY=key, PINECONE_HOST=host)
    footnote = bootstrap(chosen, embedder=minilm)
    footnote.ingestion.ingest("local", Draft("s", "/p", "Newts", "Newts live in ponds."))
    found = footnote.querying.retrieve(LOCAL_OWNER, Search("Where do newts live?"))
    assert [excerpt.text for excerpt in found.excerpts] == ["Newts live in ponds."]
    assert found.excerpts[0].score > 0.8
    wide_pinecone.misbehave(kind="status", status=500, times=10_000)
    with pytest.raises(IndexUnavailable), time_limit(1):
        footnote.querying.retrieve(LOCAL_OWNER, Search("Where do frogs live?"))


def test_a_pinecone_index_of_another_dimension_is_refused(
    tmp_path: Path, minilm: MiniLM, pinecone_server: PineconeServer
) -> None:
    key, host = pinecone_server.api_key, pinecone_server.url
    with pytest.raises(IndexMismatch, match="8 dimensions"):
        bootstrap(
            settings(tmp_path, PINECONE_API_KEY=key, PINECONE_HOST=host), embedder=minilm
        ).ready()


@pytest.mark.parametrize(
    ("variables", "missing"),
    [
        ({"PINECONE_API_KEY": "k"}, "PINECONE_HOST"),
        ({"PINECONE_HOST": "h"}, "PINECONE_API_KEY"),
        ({"PINECONE_RERANK_MODEL": "m"}, "PINECONE_API_KEY"),
    ],
)
def test_half_of_pinecone_is_refused(
    tmp_path: Path, variables: dict[str, str], missing: str
) -> None:
    with pytest.raises(SettingsError, match=missing):
        settings(tmp_path, **variables)


def test_the_reranker_fits_the_embedder(tmp_path: Path, minilm: MiniLM) -> None:
    own = bootstrap(settings(tmp_path), embedder=minilm)
    assert own.querying.reranker.name == "late-interaction"
    chosen = settings(tmp_path / "b", OPENAI_API_KEY="k", EMBEDDING_MODEL="text-embedding-3-small")
    assert bootstrap(chosen).querying.reranker.name == "lexical"


AWS = {"AWS_REGION": "eu-central-1"}


@pytest.mark.parametrize(
    ("variables", "missing"),
    [
        ({"ITEMS_TABLE": "t", **AWS}, "FLEETING_TABLE"),
        ({"FLEETING_TABLE": "t", **AWS}, "ITEMS_TABLE"),
        ({"ITEMS_TABLE": "t", "FLEETING_TABLE": "f"}, "ITEMS_TABLE .* AWS_REGION"),
        ({"QUEUE_URL": "q", **AWS}, "DEAD_QUEUE_URL"),
        ({"DEAD_QUEUE_URL": "q", **AWS}, "QUEUE_URL"),
        (
            {"UPLOADS_BUCKET": "b", "QUEUE_URL": "q", "DEAD_QUEUE_URL": "d"},
            "UPLOADS_BUCKET and QUEUE_URL .* AWS_REGION",
        ),
    ],
)
def test_half_of_aws_is_refused(tmp_path: Path, variables: dict[str, str], missing: str) -> None:
    with pytest.raises(SettingsError, match=missing):
        settings(tmp_path, **variables)


def test_tables_bucket_and_queue_hold_what_the_folder_would(
    tmp_path: Path,
    minilm: MiniLM,
    moto: Clients,
    wide_pinecone: PineconeServer,
) -> None:
    url = moto("sqs").create_queue(QueueName=f"ingest-{secrets.token_hex(4)}")["QueueUrl"]
    s3, bucket = new_bucket(moto)
    table = f"items-{secrets.token_hex(4)}"
    make_table(moto("dynamodb"), table)
    chosen = settings(
        tmp_path,
        ITEMS_TABLE=table,
        FLEETING_TABLE=table,
        UPLOADS_BUCKET=bucket,
        QUEUE_URL=url,
        DEAD_QUEUE_URL=url,
        JWT_SECRET="s" * 32,
        PINECONE_API_KEY=wide_pinecone.api_key,
        PINECONE_HOST=wide_pinecone.url,
        **AWS,
    )
    footnote = bootstrap(chosen, embedder=minilm)
    footnote.ready()
    footnote.ingestion.ingest("local", Draft("s", "/p", "Newts", "Newts live in ponds."))
    for _ in range(2):  # the second is answered from the cache
        found = footnote.querying.retrieve(LOCAL_OWNER, Search("Where do newts live?"))
        assert [excerpt.text for excerpt in found.excerpts] == ["Newts live in ponds."]
    for chore in footnote.chores:
        chore.do()
    footnote.parts.objects.put("uploads/o/s/a.txt", b"a")
    assert s3.get_object(Bucket=bucket, Key="uploads/o/s/a.txt")["Body"].read() == b"a"
    form = footnote.parts.forms.upload_form("incoming/o/1/a.txt", "text/plain", 1, 60)
    assert bucket in form.url
    footnote.parts.queue.send({"job": 1})
    [delivery] = footnote.parts.queue.receive(seconds=30)
    assert delivery.body == {"job": 1}
    assert not (tmp_path / "data").exists()
