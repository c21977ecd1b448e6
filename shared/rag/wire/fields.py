"""Kinds of request fields that several contracts share."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from rag.filters import MOST_OF_TAGS, have_room
from rag.wire.validation import Broken

# What one table item can hold beside the rest of a document's head.
LARGEST_METADATA = 100_000
DEEPEST_JSON = 32
# S3's keys have 1,024 bytes with all that we put before it.
LONGEST_PATH = 700
MEDIA_TYPE = re.compile(r"[!-~]+/[ -~]+")


def _number(value: Any) -> Any:
    """JSON has one kind of number: 5.0 is whole, but "5" and true are no numbers."""
    if isinstance(value, bool | str):
        raise ValueError("must be a number")
    return value


def not_blank(text: str) -> str:
    """The text, which says something."""
    if not text.strip():
        raise Broken("non_empty", "must not be empty")
    return text


def plain_path(text: str) -> str:
    """The name of a file, maybe in folders, that means the same wherever it is put."""
    parts = text.split("/")
    # One that begins with a dot may be hidden, or mean something else, where it is put.
    odd = any(part == "" or part.startswith(".") for part in parts)
    # For S3's forms, ${filename} is whatever name the sent file has.
    if odd or "\\" in text or "${" in text or not text.isprintable():
        raise ValueError("must be the plain name of a file, no part of which begins with a dot")
    if len(text.encode()) > LONGEST_PATH or any(len(part.encode()) > 200 for part in parts):
        raise ValueError(f"must have at most {LONGEST_PATH} bytes, and each name in it 200")
    return text


def media_type(text: str) -> str:
    """A media type, with parameters or without."""
    if not MEDIA_TYPE.fullmatch(text):
        raise ValueError("must be a media type such as text/markdown")
    return text


def _with_room(tags: list[str]) -> list[str]:
    if not have_room(tags):
        raise ValueError(f"must have at most {MOST_OF_TAGS} bytes together, as JSON in ASCII")
    return tags


def small_json(largest: int) -> AfterValidator:
    """An object that has at most so many bytes as JSON, and is not nested too deeply."""

    def check(value: dict[str, Any]) -> dict[str, Any]:
        if len(json.dumps(value, ensure_ascii=False).encode()) > largest:
            raise Broken("max_length", f"must have at most {largest} bytes as JSON")
        if _depth(value) > DEEPEST_JSON:
            raise ValueError(f"must be nested at most {DEEPEST_JSON} deep")
        return value

    return AfterValidator(check)


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, inner), default=0) if isinstance(value, dict | list) else 0


def between(low: float, high: float) -> AfterValidator:
    """Both ends included, and both said when the rule is broken."""

    def check(value: float) -> float:
        if not low <= value <= high:
            raise Broken("range", f"must be between {low} and {high}")
        return value

    return AfterValidator(check)


Whole = Annotated[int, BeforeValidator(_number)]
Positive = Annotated[int, Field(ge=1), BeforeValidator(_number)]
Number = Annotated[float, BeforeValidator(_number)]
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, AfterValidator(not_blank)]
Name = Annotated[str, StringConstraints(max_length=200), AfterValidator(not_blank)]
ShortText = Annotated[str, StringConstraints(max_length=2048), AfterValidator(not_blank)]
Tag = Annotated[str, StringConstraints(max_length=256)]
Tags = Annotated[list[Tag], Field(max_length=100)]
DocumentTags = Annotated[Tags, AfterValidator(_with_room)]
Metadata = Annotated[dict[str, Any], small_json(LARGEST_METADATA)]
