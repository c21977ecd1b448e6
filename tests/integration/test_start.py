"""`make run` where a vendor cannot be used: one sentence that names the setting, and no server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.pinecone_server import PineconeServer
from tests.conftest import serving_pinecone
from tests.dynamodb import DynamoDBServer
from tests.integration.conftest import command

NOWHERE = "http://127.0.0.1:9"
KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hush-hush"}
TABLES = {"ITEMS_TABLE": "docs", "FLEETING_TABLE": "fleeting", "AWS_REGION": "eu-central-1"}
# Neither files nor a metadata service to find credentials in.
NO_KEYS = {"HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true"}


def refusal(data_dir: Path, **settings: str) -> str:
    """The one line that is said when the server does not start."""
    refused = command(data_dir, "serve", PORT="0", **settings)
    assert (refused.returncode, refused.stdout) == (2, ""), refused.stderr
    (line,) = refused.stderr.splitlines()
    assert "hush-hush" not in line
    return line


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({**TABLES, **KEYS, "AWS_ENDPOINT_URL": NOWHERE}, ["ITEMS_TABLE=docs", NOWHERE]),
        ({**TABLES, **KEYS, "AWS_ENDPOINT_URL": "there"}, ["ITEMS_TABLE=docs", "there"]),
        (
            {**TABLES, **NO_KEYS, "AWS_ENDPOINT_URL": NOWHERE},
            ["ITEMS_TABLE=docs", "credentials"],
        ),
        ({**TABLES, **NO_KEYS, "AWS_PROFILE": "nobody"}, ["ITEMS_TABLE=docs", "nobody"]),
        (
            {"PINECONE_API_KEY": "hush-hush", "PINECONE_HOST": NOWHERE},
            [f"PINECONE_HOST={NOWHERE}", "does not answer"],
        ),
        (
            {"PINECONE_API_KEY": "hush-hush", "PINECONE_HOST": "no host"},
            ["PINECONE_HOST=no host", "No index"],
        ),
        (
            {"OPENAI_BASE_URL": f"{NOWHERE}/v1", "EMBEDDING_MODEL": "unheard-of"},
            ["EMBEDDING_MODEL=unheard-of", NOWHERE, "cannot be reached"],
        ),
    ],
    ids=[
        "no DynamoDB",
        "no address",
        "no credentials",
        "no profile",
        "no Pinecone",
        "no host",
        "no OpenAI",
    ],
)
def test_what_cannot_be_reached_is_named(
    data_dir: Path, settings: dict[str, str], said: list[str]
) -> None:
    line = refusal(data_dir, **settings)
    assert all(part in line for part in said), line


def test_a_missing_table_is_named(data_dir: Path, dynamodb_server: DynamoDBServer) -> None:
    there = {**dynamodb_server.settings, **KEYS}
    line = refusal(data_dir, **{**there, "FLEETING_TABLE": "forgotten"})
    assert "FLEETING_TABLE=forgotten" in line
    assert "ResourceNotFound" in line
    assert "ITEMS_TABLE=other" in refusal(data_dir, **{**there, "ITEMS_TABLE": "other"})


@pytest.fixture
def pinecone() -> Iterator[PineconeServer]:
    with serving_pinecone(384) as server:
        yield server


def test_a_wrong_key_of_pinecone_is_named(data_dir: Path, pinecone: PineconeServer) -> None:
    line = refusal(data_dir, PINECONE_API_KEY="hush-hush", PINECONE_HOST=pinecone.url)
    assert "PINECONE_API_KEY" in line
    assert "401" in line
