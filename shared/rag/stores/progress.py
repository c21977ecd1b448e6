"""How far a piece of work over all documents has come: it is done bit by bit, and once."""

from __future__ import annotations

from rag.clock import Clock
from rag.ports import Delete, Items, Put, Update
from rag.stores import layout


class Progress:
    """What is done of one piece of work, org by org."""

    def __init__(self, items: Items, clock: Clock, work: str) -> None:
        self._items = items
        self._clock = clock
        self._work = work

    def is_due(self, after: float) -> bool:
        """Whether something is left to do, and so many seconds ago somebody knew of it."""
        state = self._items.get(layout.work_state(self._work))
        if state is None:
            known = {"since": int(self._clock()), "over": False}
            self._items.write(Put(layout.work_state(self._work), known))
            return False
        return not state["over"] and self._clock() >= state["since"] + after

    def all(self) -> dict[str, str | None]:
        """Up to which document each org is done that was begun; None if all of it is."""
        rows = self._items.query(layout.work(self._work), layout.ORGS)
        return {item["org"]: item["upTo"] for _, item in rows}

    def reached(self, org: str, up_to: str | None) -> None:
        """The org is done up to this document; all of it, where none is named."""
        where = layout.work_in(self._work, org)
        self._items.write_lightly(Put(where, {"org": org, "upTo": up_to}))

    def end(self) -> None:
        """Nothing is left to do, in any org."""
        self._items.write(Update(layout.work_state(self._work), set={"over": True}))
        self._items.write_many(Delete(layout.work_in(self._work, org)) for org in self.all())
