from __future__ import annotations

from typing import Any

import pytest

from tests.infrastructure.stack import ENVIRONMENTS, Stack, overrides, transform


@pytest.fixture(scope="session")
def _transformed() -> tuple[dict[str, Any], dict[str, Stack]]:
    names = ["as written", *ENVIRONMENTS]
    source, stacks = transform({}, *(overrides(name) for name in ENVIRONMENTS))
    return source, dict(zip(names, stacks, strict=True))


@pytest.fixture(scope="session")
def source(_transformed: tuple[dict[str, Any], dict[str, Stack]]) -> dict[str, Any]:
    """The template as it is written."""
    return _transformed[0]


@pytest.fixture(scope="session")
def stacks(_transformed: tuple[dict[str, Any], dict[str, Stack]]) -> dict[str, Stack]:
    """The template with its defaults, and as samconfig.toml has it, by environment."""
    return _transformed[1]


@pytest.fixture(scope="session")
def stack(stacks: dict[str, Stack]) -> Stack:
    """The template with its defaults."""
    return stacks["as written"]
