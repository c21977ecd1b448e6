"""Who may come in where: which paths are owners', and which are anybody's.

Without FastAPI, because the authorizer asks too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

WIDGET = "/api/v1/"
SCRIPT = "/widget.js"
# Where a caller without credentials owns a laptop's documents, or is turned away.
OWNERS = ("/api/rag/", "/api/chat", WIDGET)
# Open to every page, and therefore never answered as the owner.
PUBLIC = re.compile(
    r"POST /api/v1/(?:chat|feedback)|GET /api/v1/sites/[^/]+/look|(?:GET|HEAD) /widget\.js"
)


def public(method: str, path: str) -> bool:
    """Whether anybody may do this, without credentials and from any page."""
    return PUBLIC.fullmatch(f"{method} {path}") is not None


def of_widget(path: str) -> bool:
    """Whether the widget calls this, or is it: in AWS all that has an API of its own."""
    return path.startswith(WIDGET) or path == SCRIPT


def owners(method: str, path: str) -> bool:
    """Whether this is for those alone whose documents are there."""
    return path.startswith(OWNERS) and not public(method, path)


def wanted(method: str, headers: Mapping[str, str]) -> str:
    """The method that is meant: a browser that asks before it calls says so in a header."""
    return headers.get("access-control-request-method", method) if method == "OPTIONS" else method
