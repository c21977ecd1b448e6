"""References to secrets become secrets, each read once; nothing that was read is ever quoted."""

from __future__ import annotations

import json
import secrets
from typing import Any

import boto3
import pytest

from rag.runtime.secrets import resolved
from rag.runtime.settings import Settings, SettingsError
from tests.conftest import EMULATORS

REGION = {"AWS_REGION": "eu-central-1"}


@pytest.fixture(params=EMULATORS)
def vault(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    clients = request.getfixturevalue(request.param)
    if request.param == "ministack":  # the other one is wherever this process looks for AWS
        monkeypatch.setenv("AWS_ENDPOINT_URL", clients("sqs").meta.endpoint_url)
    return boto3.client("secretsmanager", region_name="eu-central-1")


@pytest.fixture
def secret(vault: Any) -> str:
    name = f"vendors-{secrets.token_hex(4)}"
    value = {"OPENAI_API_KEY": "sk-1", "PINECONE_API_KEY": "pc-1", "number": 5}
    vault.create_secret(Name=name, SecretString=json.dumps(value))
    return name


def test_values_are_taken_as_they_are_and_nobody_is_asked() -> None:
    plain = {"JWT_SECRET": "s3cret", "OTHER": "secretsmanager:is-no-setting"}
    assert resolved(plain) == plain


def test_a_key_of_a_secret(secret: str) -> None:
    environment = resolved({**REGION, "OPENAI_API_KEY": f"secretsmanager:{secret}#OPENAI_API_KEY"})
    assert Settings.from_environment(environment).openai_api_key == "sk-1"


def test_a_whole_secret_by_its_arn(vault: Any) -> None:
    arn = vault.create_secret(Name=secrets.token_hex(4), SecretString="whole")["ARN"]
    assert resolved({**REGION, "JWT_SECRET": f"secretsmanager:{arn}"})["JWT_SECRET"] == "whole"


def test_an_encrypted_parameter(vault: Any) -> None:
    name = f"/footnote/{secrets.token_hex(4)}"
    ssm = boto3.client("ssm", region_name="eu-central-1")
    ssm.put_parameter(Name=name, Value="https://idx", Type="SecureString")
    assert resolved({**REGION, "PINECONE_HOST": f"ssm:{name}"})["PINECONE_HOST"] == "https://idx"


def test_a_secret_with_several_keys_is_read_once(
    secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aws_lambda_powertools.utilities.parameters import SecretsProvider

    asked: list[str] = []
    get = SecretsProvider._get

    def counted(self: Any, name: str, **more: Any) -> Any:
        asked.append(name)
        return get(self, name, **more)

    monkeypatch.setattr(SecretsProvider, "_get", counted)
    names = ["OPENAI_API_KEY", "PINECONE_API_KEY"]
    found = resolved({**REGION, **{name: f"secretsmanager:{secret}#{name}" for name in names}})
    assert [found[name] for name in names] == ["sk-1", "pc-1"]
    assert asked == [secret]


@pytest.mark.parametrize("key", ["MISSING", "number"])
def test_a_key_that_is_not_there_is_named_and_the_secret_is_not(secret: str, key: str) -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY=") as failure:
        resolved({**REGION, "OPENAI_API_KEY": f"secretsmanager:{secret}#{key}"})
    assert "sk-1" not in str(failure.value)
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None


@pytest.mark.parametrize("reference", ["secretsmanager:nobody", "ssm:/nobody"])
def test_what_is_not_there_is_named(vault: Any, reference: str) -> None:
    with pytest.raises(SettingsError, match=f"JWT_SECRET={reference} .*NotFound"):
        resolved({**REGION, "JWT_SECRET": reference})
