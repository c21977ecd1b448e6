"""Files that a watcher of a folder has told of, so that it goes on where it was killed."""

from __future__ import annotations

from rag.ports import Delete, Items, Put
from rag.stores import layout


class Noticed:
    """The version of every file when it was last told of."""

    def __init__(self, items: Items) -> None:
        self._items = items

    def all(self) -> dict[str, str]:
        """The versions by key."""
        rows = self._items.query(layout.noticed_files())
        return {item["key"]: item["version"] for _, item in rows}

    def put(self, key: str, version: str) -> None:
        """It has been told of."""
        self._items.write(Put(layout.noticed(key), {"key": key, "version": version}))

    def remove(self, key: str) -> None:
        """It has been told that the file is gone."""
        self._items.write(Delete(layout.noticed(key)))
