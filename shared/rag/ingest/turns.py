"""Whose turn a message takes: a queue serves orgs in turn, and "" is everybody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag.errors import Invalid
from rag.identity import ORG
from rag.ingest.notices import changes
from rag.ingest.uploads import place


def of_key(key: str) -> str:
    """The org whose object it is."""
    try:
        return place(key).org
    except Invalid:
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
