"""What the loopback server reads of OpenAI's requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field


class EmbeddingRequest(BaseModel):
    """Texts to embed."""

    model: str
    input: (
        Annotated[str, Field(min_length=1)]
        | Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1, max_length=2048)]
    )
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, Field(ge=1)] | None = None

    @property
    def texts(self) -> list[str]:
        """The texts, also where there is just one."""
        return [self.input] if isinstance(self.input, str) else self.input


class ChatMessage(BaseModel):
    """One turn."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str


class StreamOptions(BaseModel):
    """How to stream."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """Messages to answer."""

    model: str
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: str | list[str] | None = None

    @property
    def most_tokens(self) -> int | None:
        """The limit, by either of its names."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def stops(self) -> list[str]:
        """Where to stop, also where there is just one such place."""
        return [self.stop] if isinstance(self.stop, str) else self.stop or []
