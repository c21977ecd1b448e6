"""Documents as senders describe them, and as they wait in the object store for a worker."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from rag.errors import ParseError
from rag.ingest.formats.claims import called
from rag.ingest.formats.kinds import check_claim, detect
from rag.model import Chunking, Draft, Parsed, Span

# What v3 shows as the source of documents that came in a job.
SOURCE = "documents"
LONGEST_NAME = 200
LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Sent:
    """A document in a request: its text, its content in base64, or a file uploaded before."""

    id: str | None = None
    title: str | None = None
    text: str | None = None
    content: str | None = None
    media_type: str = ""
    upload: str | None = None  # the key of the file
    filename: str = ""
    url: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What its sender knows it by, if anything."""
        called = self.id or self.title or self.filename or _first_line(self.text or "")
        return called[:LONGEST_NAME]


def pack(documents: Sequence[Sent]) -> tuple[bytes, list[Span]]:
    """All of them as one object, and where each is in it."""
    packed = bytearray()
    spans = []
    for document in documents:
        start = len(packed)
        packed += json.dumps(asdict(document), ensure_ascii=False).encode()
        spans.append(Span(start, len(packed)))
    return bytes(packed), spans


def unpack(data: bytes) -> Sent:
    """One of them again."""
    told = json.loads(data)
    return Sent(**{**told, "tags": tuple(told["tags"])})


def check(document: Sent) -> None:
    """See early what can be seen without reading it. Raises UnsupportedFormat and ParseError."""
    if document.content is not None:
        data = decoded(document.content)
        detect("", document.media_type, data)
        if not data.strip():
            raise ParseError(f"{called('', document.media_type)} has no text.")
    elif document.upload is not None:
        check_claim(document.filename, document.media_type)


def decoded(content: str) -> bytes:
    """A document's content as it was before it was sent. Raises ParseError."""
    try:
        return b64decode(content, validate=True)
    except ValueError as error:
        raise ParseError("The content is not base64.") from error


def as_sent(document: Sent, data_source: str, chunking: Chunking) -> Draft:
    """A document that came as text."""
    text = document.text or ""
    return draft(document, text.encode(), Parsed(text), data_source, chunking)


def draft(
    document: Sent, data: bytes, parsed: Parsed, data_source: str, chunking: Chunking
) -> Draft:
    """The document that this data is of, and this text."""
    return Draft(
        source=SOURCE,
        path=document.id or sha256(data).hexdigest(),
        title=document.title or parsed.title or document.id or _first_line(parsed.text),
        text=parsed.text,
        tags=document.tags,
        metadata={**parsed.properties, **document.metadata},
        data_source=data_source,
        url=document.url,
        chunking=chunking,
        marks=parsed.marks,
        cautions=parsed.cautions,
    )


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].strip("# \t\r")
    return line if len(line) <= LONGEST_TITLE else f"{line[:LONGEST_TITLE].rstrip()}…"
