"""How far a piece of work over all documents has come: it is done bit by bit, and once."""

from __future__ import annotations

from rag.ports import Delete, Items, Put
from rag.stores import layout


class Progress:
    """What is done of one piece of work, org by org."""

    def __init__(self, items: Items, work: str) -> None:
        self._items = items
        self._work = work

    def is_over(self) -> bool:
        """Whether nothing is left to do, in any org."""
        return self._items.get(layout.work_over(self._work)) is not None

    def all(self) -> dict[str, str | None]:
        """Up to which document each org is done that was begun; None if all of it is."""
        rows = self._items.query(layout.work(self._work), layout.ORGS)
        return {item["org"]: item["upTo"] for _, item in rows}

    def reached(self, org: str, up_to: str | None) -> None:
        """The org is done up to this document; all of it, where none is named."""
        where = layout.work_in(self._work, org)
        self._items.write_lightly(Put(where, {"org": org, "upTo": up_to}))

    def end(self) -> None:
        """Nothing is left to do."""
        self._items.write(Put(layout.work_over(self._work), {}))
        self._items.write_many(Delete(layout.work_in(self._work, org)) for org in self.all())
