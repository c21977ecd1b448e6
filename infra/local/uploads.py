"""Uploads on one machine: a folder is watched, and a worker follows what happens there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infra.local.chores import chores
from infra.local.folder import EVERY_SECONDS, Folder
from infra.local.worker import working
from rag.adapters.embedded.objects import FolderObjects
from rag.footnote import Chore, Footnote
from rag.stores.noticed import Noticed


@contextmanager
def following_uploads(footnote: Footnote, *, failed: Callable[[Exception], None]) -> Iterator[None]:
    """Have documents agree with uploaded files. A bucket sends its own notices."""
    parts = footnote.parts
    watching = []
    if isinstance(parts.objects, FolderObjects):
        folder = Folder(parts.objects, parts.queue, Noticed(parts.items))
        watching.append(Chore(EVERY_SECONDS, folder.look))
    with chores(watching, failed=failed), working(parts.queue, footnote.worker, failed=failed):
        yield
