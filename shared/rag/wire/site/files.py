"""Files that a browser asks for, and keeps until they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fastapi import Request, Response

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# May be kept, but asked about: whoever deploys anew is not to wait for what browsers still have.
ASKED_ABOUT = "no-cache"
# On other people's pages it must cost nothing: asked about once an hour, while the old one serves.
FOR_AN_HOUR = "public, max-age=3600, stale-while-revalidate=86400"


@dataclass(frozen=True, slots=True)
class File:
    """What is sent, and a name that it has only as long as it stays the same."""

    content: bytes
    media_type: str
    tag: str


def file(content: bytes, kind: str) -> File:
    """A file of what is in it; `kind` is the end of its name."""
    return File(content, KINDS[kind], f'"{sha256(content).hexdigest()[:32]}"')


def read(folder: Path) -> Mapping[str, File]:
    """All files of a folder, by name: nothing else can ever be asked for."""
    return {
        path.name: file(path.read_bytes(), path.suffix)
        for path in folder.iterdir()
        if path.suffix in KINDS
    }


def sent(file: File, request: Request, caching: str, **headers: str) -> Response:
    """The file, or a word that the caller has it already."""
    known = {
        "ETag": file.tag,
        "Cache-Control": caching,
        "X-Content-Type-Options": "nosniff",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=known)
    return Response(file.content, media_type=file.media_type, headers=known)
