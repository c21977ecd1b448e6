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
    jwt_audience: str = Field(
        "footnote", description="What a token with an `aud` must name there; one without is fine"
    )
    cors_origins: str = Field(
        "", description="Origins, separated by commas, whose pages may call the API"
    )
    trusted_proxies: Annotated[int, Field(ge=0)] = Field(
        0,
        description="Proxies before the embedded server, whose `X-Forwarded-For` says who calls",
    )
    default_site: str = Field(
        "demo", description="Site of the widget's visitors whose page names none"
    )
    openai_api_key: str | None = Field(
        None, description="Key of OpenAI, which then writes the answers"
    )
    openai_base_url: str | None = Field(
        None, description="Server that speaks OpenAI's API (Ollama, vLLM…), instead of OpenAI's own"
    )
    openai_model: str = Field(
        "gpt-4o-mini", description="Language model that answers where the caller names none"
    )
    grounding_model: str | None = Field(
        None,
        description="Language model of that server that judges, beside the evidence, whether"
        " documents answer a question",
    )
    embedding_model: str | None = Field(
        None,
        description="Embedding model of that server; all-MiniLM-L6-v2 on this machine when not set",
    )
    embedding_dimension: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Dimension of its vectors, where it is not the model's usual one"
    )
    pinecone_api_key: str | None = Field(
        None, description="Key of Pinecone, which then holds the vectors"
    )
    pinecone_host: str | None = Field(
        None, description="Host of the Pinecone index (metric dotproduct, the embedder's dimension)"
    )
    pinecone_rerank_model: str | None = Field(
        None, description="Model of Pinecone's inference that reranks, such as `bge-reranker-v2-m3`"
    )
    items_table: str | None = Field(
        None, description="DynamoDB table that holds documents and conversations, not `DATA_DIR`"
    )
    fleeting_table: str | None = Field(
        None, description="DynamoDB table of what expires (time-to-live attribute `expires`)"
    )
    uploads_bucket: str | None = Field(
        None, description="S3 bucket that holds uploads, not `DATA_DIR`"
    )
    queue_url: str | None = Field(None, description="SQS queue of ingestion, not `DATA_DIR`")
    dead_queue_url: str | None = Field(
        None, description="SQS queue of messages that nobody could work on"
    )
    aws_region: str | None = Field(None, description="Region of those, needed by each of them")
    aws_endpoint_url: str | None = Field(
        None, description="Server that speaks AWS's APIs, instead of AWS itself"
    )
    tier_keys: str | None = Field(
        None,
        description="Lambda authorizer: what the keys of the tiers' usage plans begin with, before"
        " `-<tier>`",
    )
    api_key_header: str = Field(
        "x-api-key", description="Lambda authorizer: header that it reads API keys from"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Least severe lines that are logged"
    )
    longest_text: Annotated[int, Field(ge=1)] = Field(
        100_000,
        description="Tokens of text that one `POST /api/rag/ingest` takes: what two cores embed in"
        " 15 s",
    )
    longest_upload: Annotated[int, Field(ge=1)] = Field(
        1_000_000,
        description="Tokens of text that an uploaded file, or a document of a job, may have",
    )
    largest_file: Annotated[int, Field(ge=1)] = Field(
        50, description="Megabytes that an uploaded file may have"
    )
    storage_quota: Annotated[int, Field(ge=1)] = Field(
        10_000, description="Megabytes of text that an org may have stored"
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

    @property
    def has_openai(self) -> bool:
        """Whether a server that speaks OpenAI's API is configured."""
        return bool(self.openai_api_key or self.openai_base_url)

    @model_validator(mode="after")
    def _models_have_a_server(self) -> Settings:
        for name in ("embedding_model", "grounding_model"):
            model = getattr(self, name)
            if model and not self.has_openai:
                raise ValueError(
                    f"{name.upper()}={model} needs OPENAI_API_KEY, or OPENAI_BASE_URL of a server"
                    " that has it."
                )
        return self

    @model_validator(mode="after")
    def _pinecone_is_whole(self) -> Settings:
        if bool(self.pinecone_api_key) != bool(self.pinecone_host):
            missing = "PINECONE_HOST" if self.pinecone_api_key else "PINECONE_API_KEY"
            raise ValueError(f"Pinecone needs its key and its index's host: set {missing} too.")
        if self.pinecone_rerank_model and not self.pinecone_api_key:
            raise ValueError("PINECONE_RERANK_MODEL needs PINECONE_API_KEY and PINECONE_HOST.")
        return self

    @model_validator(mode="after")
    def _aws_is_whole(self) -> Settings:
        if bool(self.items_table) != bool(self.fleeting_table):
            missing = "FLEETING_TABLE" if self.items_table else "ITEMS_TABLE"
            raise ValueError(f"DynamoDB holds two tables or none: set {missing} too.")
        if bool(self.queue_url) != bool(self.dead_queue_url):
            missing = "DEAD_QUEUE_URL" if self.queue_url else "QUEUE_URL"
            raise ValueError(f"SQS has two queues or none: set {missing} too.")
        used = {
            "ITEMS_TABLE": self.items_table,
            "UPLOADS_BUCKET": self.uploads_bucket,
            "QUEUE_URL": self.queue_url,
        }
        if any(used.values()) and not self.aws_region:
            names = " and ".join(name for name, value in used.items() if value)
            raise ValueError(f"{names} cannot be found without a region: set AWS_REGION too.")
        return self

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
