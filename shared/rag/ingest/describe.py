"""What an upload says about itself: in a sidecar file beside it, or in the object's metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from typing import Any

from rag.errors import ParseError
from rag.filters import MOST_OF_TAGS, have_room

SIDECAR = ".metadata.json"
ATTRIBUTES = "metadataAttributes"

LONGEST_TITLE = 2048
LONGEST_TAG = 256
MOST_TAGS = 100
LARGEST_METADATA = 100_000


@dataclass(frozen=True, slots=True)
class Description:
    """What is to be known of a document beside its text."""

    title: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def describe(name: str, sidecar: bytes | None, metadata: Mapping[str, str]) -> Description:
    """The description of the file `name`; the sidecar has the last word. Raises ParseError."""
    about: dict[str, Any] = {key.lower(): _decoded(value) for key, value in metadata.items()}
    if sidecar is not None:
        about |= _attributes(f"{name}{SIDECAR}", sidecar)
    title, tags = about.pop("title", None), about.pop("tags", None)
    if len(json.dumps(about)) > LARGEST_METADATA:
        raise ParseError(f"What is said about {name} has more than {LARGEST_METADATA} bytes.")
    return Description(_title(name, title), _tags(name, tags), about)


def _attributes(name: str, sidecar: bytes) -> dict[str, Any]:
    try:
        attributes = json.loads(sidecar)[ATTRIBUTES]
        attributes.items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise ParseError(f'{name} is not a JSON object with an object "{ATTRIBUTES}".') from error
    found: dict[str, Any] = attributes
    return found


def _title(name: str, title: Any) -> str | None:
    if title is None or title == "":
        return None
    if not isinstance(title, str) or len(title) > LONGEST_TITLE:
        raise ParseError(f"The title of {name} must be text of at most {LONGEST_TITLE} characters.")
    return title


def _tags(name: str, tags: Any) -> tuple[str, ...]:
    if isinstance(tags, str):
        tags = [tag.strip() for tag in tags.split(",") if tag.strip()]
    fit = isinstance(tags or [], list) and all(
        isinstance(tag, str) and len(tag) <= LONGEST_TAG for tag in tags or []
    )
    if not fit or len(tags or []) > MOST_TAGS:
        raise ParseError(
            f"The tags of {name} must be at most {MOST_TAGS} of at most {LONGEST_TAG} characters."
        )
    if not have_room(tags or []):
        raise ParseError(
            f"The tags of {name} must have at most {MOST_OF_TAGS} bytes together, as JSON in ASCII."
        )
    return tuple(tags or [])


def _decoded(value: str) -> str:
    """S3 gives back in the encoding of mail headers what is not ASCII."""
    try:
        return str(make_header(decode_header(value)))
    except (ValueError, LookupError):
        return value
