"""The environment, typed, and read nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator


class SettingsError(Exception):
    """The environment is not as it must be; the message says what to change."""


class Settings(BaseModel):
    """One field per environment variable, whose name is the field's in capitals."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    host: str = Field("127.0.0.1", description="Address that the embedded server listens on")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(
        3000, description="Port that the embedded server listens on"
    )
    data_dir: Path = Field(Path(".data"), description="Where the embedded runtime keeps everything")
    auth: Literal["open", "required"] = Field(
        "open",
        description="`open`: callers without credentials own org `local`, on loopback only;"
        " `required`: a token or an API key is needed",
    )
    jwt_secret: str | None = Field(
        None, description="Secret of HS256 tokens; made and kept in `DATA_DIR` when not set"
    )
    jwks_url: str | None = Field(None, description="Where an issuer publishes its RS256 keys")
    cors_origins: str = Field(
        "", description="Origins, separated by commas, whose pages may call the API"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Least severe lines that are logged"
    )
    longest_text: Annotated[int, Field(ge=1)] = Field(
        100_000,
        description="Tokens of text that one `POST /api/rag/ingest` takes: what two cores embed in"
        " 15 s",
    )
    context_tokens: Annotated[int, Field(ge=100)] = Field(
        12_000, description="Tokens of documents that a chat prompt may hold"
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the settings; a variable that is empty counts as not set."""
        known = {name: environment.get(name.upper(), "") for name in cls.model_fields}
        try:
            return cls(**{name: value for name, value in known.items() if value})
        except ValidationError as invalid:
            raise SettingsError(_sentence(invalid.errors()[0])) from None

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins of CORS_ORIGINS."""
        return tuple(filter(None, (one.strip() for one in self.cors_origins.split(","))))

    @model_validator(mode="after")
    def _open_stays_at_home(self) -> Settings:
        if self.auth == "open" and not _is_loopback(self.host):
            raise ValueError(
                f"AUTH=open gives every caller all documents, so it serves loopback only, not"
                f" {self.host}: set AUTH=required, or HOST=127.0.0.1."
            )
        return self


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _sentence(error: Any) -> str:
    if not error["loc"]:
        return str(error["ctx"]["error"])
    name = str(error["loc"][0]).upper()
    return f"{name}={error['input']} cannot be used: {error['msg']}."
