"""Whose turn a message takes: a queue serves orgs in turn, and "" is everybody else.

S3 cannot say whose an object is. So a notice of its own is sent again at once, in its org's turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag.errors import Invalid
from rag.identity import ORG
from rag.ingest.notices import changes
from rag.ingest.uploads import PREFIX as UPLOADS
from rag.stores.tickets import PREFIX as INCOMING

MARK = "turn"


def of_key(key: str) -> str:
    """The org whose object it is."""
    match key.split("/", 2):
        case [prefix, org, _] if f"{prefix}/" in (UPLOADS, INCOMING) and ORG.fullmatch(org):
            return org
    return ""


def of_message(body: Mapping[str, Any]) -> str:
    """The org of a job's message, or of the first object that a notice tells of."""
    match body:
        case {"job": {"org": str(org)}} if ORG.fullmatch(org):
            return org
    try:
        return of_key(changes(body)[0].key)
    except (Invalid, IndexError):
        return ""


def is_taken(body: Mapping[str, Any]) -> bool:
    """Whether the message has waited in its org's turn, or has none to wait in."""
    return MARK in body or "job" in body or not of_message(body)


def taken(body: Mapping[str, Any]) -> dict[str, Any]:
    """The message, to be sent in its org's turn."""
    return {**body, MARK: of_message(body)}
