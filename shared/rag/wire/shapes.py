"""Which contract's shape an error has, by the path that was asked for."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from rag.wire.doors import WIDGET
from rag.wire.envelope import Problem, plain


def shaped(problem: Problem, path: str) -> JSONResponse:
    """The error as the contract that owns the path has it."""
    if path.startswith(WIDGET):
        from rag.wire.widget.errors import told  # most functions have no such paths

        return told(problem)
    return plain(problem)
