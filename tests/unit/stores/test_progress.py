from __future__ import annotations

from rag.ports import Items
from rag.stores.progress import Progress


def test_work_goes_on_where_it_was_left(items: Items) -> None:
    work = Progress(items, "fields")
    assert work.all() == {}
    work.reached("acme", "doc_7")
    work.reached("ünï", None)
    assert Progress(items, "fields").all() == {"acme": "doc_7", "ünï": None}
    assert Progress(items, "another").all() == {}


def test_what_is_over_stays_over_and_leaves_nothing_else(items: Items) -> None:
    work = Progress(items, "fields")
    work.reached("acme", None)
    assert not work.is_over()
    work.end()
    assert Progress(items, "fields").is_over()
    assert work.all() == {}
    assert not Progress(items, "another").is_over()
