"""Secrets: those that the environment refers to, and the one of this machine's tokens."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from rag.runtime.settings import Settings, SettingsError

SECRETS_MANAGER, PARAMETER_STORE = "secretsmanager:", "ssm:"

Read = Callable[[str], str]


def resolved(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, with secrets in place of what refers to them:

    `secretsmanager:<name or ARN>` is a secret, `secretsmanager:<name or ARN>#<key>` a value in one
    that is a JSON object, and `ssm:<name>` a parameter. Each is read once. Raises SettingsError.
    """
    names = [name.upper() for name in Settings.model_fields]
    references = {
        name: environment[name]
        for name in names
        if environment.get(name, "").startswith((SECRETS_MANAGER, PARAMETER_STORE))
    }
    if not references:
        return environment
    read_secret = cache(partial(_secret, environment))
    read_parameter = cache(partial(_parameter, environment))
    found = {
        name: _value(name, reference, read_secret, read_parameter)
        for name, reference in references.items()
    }
    return {**environment, **found}


def _value(name: str, reference: str, read_secret: Read, read_parameter: Read) -> str:
    try:
        if reference.startswith(PARAMETER_STORE):
            return read_parameter(reference.removeprefix(PARAMETER_STORE))
        id, _, key = reference.removeprefix(SECRETS_MANAGER).partition("#")
        return _field(read_secret(id), key) if key else read_secret(id)
    except Exception as error:
        # Neither the message nor the cause: both may quote what was read.
        reason = _reason(error)
    raise SettingsError(f"{name}={reference} cannot be read: {reason}.")


def _field(secret: str, key: str) -> str:
    value = json.loads(secret)[key]
    if not isinstance(value, str):
        raise TypeError
    return value


def _reason(error: Exception) -> str:
    if isinstance(error, ValueError | KeyError | TypeError):
        return "the secret is no JSON object with a text under that key"
    vendors = error.__cause__ or error.__context__ or error  # what powertools wraps
    response = getattr(vendors, "response", {})
    return str(response.get("Error", {}).get("Code") or type(vendors).__name__)


def _secret(environment: Mapping[str, str], id: str) -> str:
    from aws_lambda_powertools.utilities.parameters import SecretsProvider

    provider = SecretsProvider(boto3_client=_client("secretsmanager", environment))
    return _text(provider.get(id))


def _parameter(environment: Mapping[str, str], name: str) -> str:
    from aws_lambda_powertools.utilities.parameters import SSMProvider

    provider = SSMProvider(boto3_client=_client("ssm", environment))
    return _text(provider.get(name, decrypt=True))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _client(service: str, environment: Mapping[str, str]) -> Any:
    import boto3
    from botocore.config import Config

    return boto3.client(
        service,
        region_name=environment.get("AWS_REGION") or None,
        endpoint_url=environment.get("AWS_ENDPOINT_URL") or None,
        config=Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard"}),
    )


def local_secret(data_dir: Path) -> str:
    """Made when it is first needed, and kept for this user's eyes."""
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
