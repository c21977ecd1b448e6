from __future__ import annotations

from rag.trace import note, traced


def never() -> dict[str, object]:
    raise AssertionError("nobody asked")


def test_nothing_is_put_together_unless_somebody_wants_to_know() -> None:
    note("retrieve", never)
    with traced():
        pass
    note("retrieve", never)


def test_notes_of_a_stage_are_joined_and_the_last_counts() -> None:
    with traced() as notes:
        note("retrieve", lambda: {"a": 1, "b": 1})
        note("ground", lambda: {"c": 1})
        note("retrieve", lambda: {"b": 2})
    assert notes == {"retrieve": {"a": 1, "b": 2}, "ground": {"c": 1}}
