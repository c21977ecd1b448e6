"""The deployed stack, for who looks at it in a browser: the very one that its other tests use."""

from __future__ import annotations

from tests.integration.stack.conftest import org, running, shared

__all__ = ["org", "running", "shared"]
