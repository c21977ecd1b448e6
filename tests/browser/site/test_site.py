"""The documentation as a web site, with the widget on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from infra.local.serve import SITE
from rag.wire.site.guide import pages

Open = Callable[..., Page]
SCHEMES = ["light", "dark"]
PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("path", ["/", "/guide/formats", "/guide/configuration"])
def test_nobody_is_kept_out(
    open_page: Open, axe: Callable[[Page], list[str]], path: str, scheme: str
) -> None:
    assert axe(open_page(path, color_scheme=scheme)) == []


@pytest.mark.parametrize("path", ["/", *(f"/{page.url}" for page in pages(SITE))])
def test_no_page_is_wider_than_a_phone(open_page: Open, path: str) -> None:
    page = open_page(path, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
