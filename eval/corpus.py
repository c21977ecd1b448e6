"""A collection as the product holds it: read from its folder, ingested, and ready to be asked."""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from eval import beir, squad
from eval.beir import Collection
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.items import SqliteItems
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Draft
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings


def load(folder: Path) -> Collection:
    """A folder in BEIR's layout or in SQuAD's."""
    has_questions = (folder / squad.QUESTIONS).exists()
    return squad.load(folder) if has_questions else beir.load(folder)


def ingested(stack: ExitStack, collection: Collection, keep: Path | None) -> Footnote:
    """The product with the collection in it, kept for the next run if there is a place for it."""
    passing = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    # What an earlier run found must not answer for code that has changed since.
    fleeting = SqliteItems(Database(passing / "fleeting.sqlite", durable=False), time.time)
    settings = Settings(data_dir=(keep or passing) / collection.name)
    footnote = bootstrap(settings, fleeting=fleeting)
    ingest(footnote, collection)
    return footnote


def ingest(footnote: Footnote, collection: Collection) -> None:
    """Put every article in; those that are in already are skipped by their content."""
    for done, article in enumerate(collection.articles, 1):
        draft = Draft(collection.name, article.id, article.title or article.id, article.text)
        footnote.ingestion.ingest(LOCAL_OWNER.org, draft)
        if sys.stderr.isatty() or done % 500 == 0 or done == len(collection.articles):
            print(f"\ringested {done} of {len(collection.articles)}", end="", file=sys.stderr)
    print(file=sys.stderr)
