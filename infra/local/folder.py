"""The folder of uploads: notices about its files, as S3 sends them about a bucket's objects."""

from __future__ import annotations

import time

from rag.adapters.embedded.objects import FolderObjects
from rag.ingest import turns
from rag.ingest.notices import notice
from rag.ingest.uploads import PREFIX
from rag.model import Change
from rag.ports import Queue
from rag.stores.noticed import Noticed

EVERY_SECONDS = 1.0


class Folder:
    """Looks for files that have come, changed or gone, and queues a notice about each."""

    def __init__(self, objects: FolderObjects, queue: Queue, noticed: Noticed) -> None:
        self._objects = objects
        self._queue = queue
        self._noticed = noticed
        self._known = noticed.all()
        self._before: dict[str, str] = {}

    def look(self) -> int:
        """Queue a notice for every difference, and return how many there were.

        A file counts once two looks in a row have seen the same of it: before, it may still be
        being written."""
        now = self._objects.versions(PREFIX)
        quiet = {key for key, version in now.items() if self._before.get(key) == version}
        changed = sorted(key for key in quiet if self._known.get(key) != now[key])
        gone = sorted(self._known.keys() - now.keys())
        self._before = now
        for key in changed:
            self._tell(key)
            self._noticed.put(key, now[key])
            self._known[key] = now[key]
        for key in gone:
            self._tell(key)
            self._noticed.remove(key)
            del self._known[key]
        return len(changed) + len(gone)

    def _tell(self, key: str) -> None:
        # Without a sequencer: this machine's clock may be set back, and a change that seems older
        # than another would not be followed.
        told = turns.taken(notice(Change(key, time.time(), "")))
        self._queue.send(told, group=turns.of_key(key))
