"""Documents as senders describe them, and as they wait in the object store for a worker."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from rag.errors import ParseError
from rag.ingest.parse import kind, parse
from rag.model import Chunking, Draft, Span

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
    """See early what is cheap to see. Raises UnsupportedFormat and ParseError."""
    if document.content is not None:
        kind("", document.media_type)
        parse("", document.media_type, _decoded(document.content))
    elif document.upload is not None:
        kind(document.filename, document.media_type)


def draft(document: Sent, file: bytes | None, data_source: str, chunking: Chunking) -> Draft:
    """The document as text; `file` is what was uploaded. Raises UnsupportedFormat, ParseError."""
    if document.text is not None:
        text, title, digest = document.text, "", sha256(document.text.encode())
    else:
        data = _decoded(document.content or "") if file is None else file
        parsed = parse(document.filename, document.media_type, data)
        text, title, digest = parsed.text, parsed.title, sha256(data)
    return Draft(
        source=SOURCE,
        path=document.id or digest.hexdigest(),
        title=document.title or title or document.id or _first_line(text),
        text=text,
        tags=document.tags,
        metadata=document.metadata,
        data_source=data_source,
        url=document.url,
        chunking=chunking,
    )


def _decoded(content: str) -> bytes:
    try:
        return b64decode(content, validate=True)
    except ValueError as error:
        raise ParseError("The content is not base64.") from error


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].strip("# \t\r")
    return line if len(line) <= LONGEST_TITLE else f"{line[:LONGEST_TITLE].rstrip()}…"
