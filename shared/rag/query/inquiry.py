"""What a caller may ask for, beside what to look for, when a question is to be answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rag.model import Excerpt, Search
from rag.query.template import Template

MAX_TOKENS = 4000


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question to be answered: what to look for, and how to answer from it."""

    search: Search
    max_tokens: int = MAX_TOKENS
    template: Template | None = None
    strict: bool = False
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    asked: str | None = None  # the question itself, where more than that steers the search
    selection: Excerpt | None = None  # what the asker has before them, and asks about
    needs_context: bool = True  # whether to fail where nothing of what was found has room
