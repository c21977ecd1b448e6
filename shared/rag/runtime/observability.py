"""Logs as JSON lines, the same on a laptop and in Lambda."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools import Logger


def request_log(level: str) -> Callable[[dict[str, Any]], None]:
    """Writes one line per request; failures of ours are errors."""
    logger = Logger(service="footnote", level=level, location=None)

    def write(line: dict[str, Any]) -> None:
        severity = logger.error if line.get("status", 500) >= 500 else logger.info
        severity("request", **line)

    return write


def chore_failed(level: str) -> Callable[[Exception], None]:
    """Writes a line about a chore that failed."""
    logger = Logger(service="footnote", level=level, location=None)
    return lambda error: logger.error("chore failed", failure=type(error).__name__)
