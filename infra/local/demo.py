"""The documentation as documents: what the demo's visitors ask about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from infra.local.beside import beside
from rag.footnote import Footnote
from rag.model import Access, Draft, Source
from rag.stores.documents import document_id
from rag.stores.sites import DEMO
from rag.wire.site.guide import Page

(SOURCE,) = DEMO.data_sources


@contextmanager
def demonstrating(
    footnote: Footnote, guide: Sequence[Page], *, failed: Callable[[Exception], None]
) -> Iterator[None]:
    """Have the documents agree with the documentation, in a thread of its own: a first start must
    not wait for it. What is not done at the end is done at the next start."""

    def run(stop: threading.Event) -> None:
        try:
            if footnote.policy.default_site == DEMO.id:
                bring_up_to_date(footnote, guide, stop)
        except Exception as error:
            failed(error)

    with beside("demo", run):
        yield


def bring_up_to_date(
    footnote: Footnote, guide: Sequence[Page], stop: threading.Event | None = None
) -> None:
    """Ingest every page that is new or has changed, and forget those that are gone."""
    access = Access("public")
    footnote.sources.provide(DEMO.org, Source(SOURCE, "Documentation", access, None, None))
    wanted = set()
    for draft in map(_draft, guide):
        if stop is not None and stop.is_set():
            return
        footnote.ingestion.ingest(DEMO.org, draft)
        wanted.add(document_id(draft))
    for document in list(footnote.documents.all(DEMO.org)):
        if document.data_source == SOURCE and document.id not in wanted:
            footnote.ingestion.delete(DEMO.org, document.id)


def _draft(page: Page) -> Draft:
    return Draft(
        "documentation",
        page.url,
        page.title,
        page.text,
        data_source=SOURCE,
        url=f"/{page.url}",
    )
