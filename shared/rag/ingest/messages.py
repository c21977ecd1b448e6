"""Messages about jobs: one for each document, and one for a job whose messages are to be sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag.errors import Invalid

AGAIN = "again"


@dataclass(frozen=True, slots=True)
class JobMessage:
    """What a message asks for: one document of a job, or a message for each that waits."""

    org: str
    job: str
    document: int | None
    again: bool  # although it has failed


def about_document(org: str, job: str, document: int) -> dict[str, Any]:
    """The message that asks for one document."""
    return {"job": {"org": org, "id": job, "document": document}}


def about_job(org: str, job: str) -> dict[str, Any]:
    """The message that asks for messages."""
    return {"job": {"org": org, "id": job}}


def lease_name(message: Mapping[str, Any]) -> str:
    """By what a worker holds what the message asks for."""
    told = message["job"]
    return f"{told['org']} {told['id']} {told.get('document', '')}"


def again(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message, of whatever kind, to be worked on although it has failed."""
    return {**message, AGAIN: True}


def job_message(body: Mapping[str, Any]) -> JobMessage:
    """What a message asks for. Raises Invalid."""
    try:
        told = body["job"]
        number = told.get("document")
        return JobMessage(
            str(told["org"]),
            str(told["id"]),
            None if number is None else int(number),
            AGAIN in body,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Invalid("message", "This is no message about a job.") from error
