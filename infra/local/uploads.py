"""Uploads on one machine: a folder is watched, and a worker follows what happens there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infra.local.chores import chores
from infra.local.expiry import expire
from infra.local.folder import EVERY_SECONDS, Folder
from infra.local.worker import working
from rag.adapters.embedded.objects import FolderObjects
from rag.footnote import HOUR, Chore, Footnote
from rag.stores.noticed import Noticed


@contextmanager
def following_uploads(footnote: Footnote, *, failed: Callable[[Exception], None]) -> Iterator[None]:
    """Have documents agree with uploaded files. A bucket sends its own notices, and forgets what
    is old by itself."""
    parts = footnote.parts
    watching = []
    if isinstance(parts.objects, FolderObjects):
        folder = Folder(parts.objects, parts.queue, Noticed(parts.items))
        watching.append(Chore(EVERY_SECONDS, folder.look))
        watching.append(Chore(HOUR, lambda: expire(parts.objects, time.time)))
    with chores(watching, failed=failed), working(parts.queue, footnote.worker, failed=failed):
        yield
