from __future__ import annotations

from rag.adapters.embedded.items import SqliteItems
from rag.model import Principal
from rag.ports import Items
from rag.stores.apikeys import ApiKeys
from tests.conftest import Clock


def test_a_key_stands_for_its_principal_and_another_for_nobody(items: Items, clock: Clock) -> None:
    keys = ApiKeys(items, clock)
    principal = Principal("key_1", "acme", "premium", frozenset({"admin"}), frozenset({"t"}))
    key = keys.create(principal)
    assert keys.principal(key) == principal
    assert keys.principal(key[:-1]) is None
    assert keys.principal("") is None


def test_only_the_hash_of_a_key_is_kept(sqlite_items: SqliteItems, clock: Clock) -> None:
    key = ApiKeys(sqlite_items, clock).create(Principal("key_1", "acme"))
    with sqlite_items._database.connection() as connection:
        rows = connection.execute("SELECT pk || sk || hex(body) FROM items").fetchall()
    assert key not in str(rows)
    assert key.encode().hex().upper() not in str(rows)
