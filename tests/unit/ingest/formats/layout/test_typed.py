from __future__ import annotations

from rag.ingest.formats.layout.line import Line
from rag.ingest.formats.layout.typed import Typewriter, listing
from tests.unit.ingest.formats.layout.made import line, page, stacked, typed

PROSE = stacked([f"Line {n} of the prose that most of a document is" for n in range(10)])


def code(*lines: Line) -> list[str]:
    found = Typewriter([page([*PROSE, *lines])]).code(lines)
    return [lines[at].text for at in sorted(found)]


def test_letters_in_columns_are_code() -> None:
    program = [
        typed("def add(a, b):", base=500),
        typed("    return a + b", base=486),
        typed("add(1, 2)", base=458),
    ]
    assert code(line("Like this:", base=514), *program) == [one.text for one in program]
    assert listing(program) == "def add(a, b):\n    return a + b\n\nadd(1, 2)"


def test_a_single_word_is_code_beside_code_only() -> None:
    assert code(typed("x = 1 + 2", base=500), typed("exit", base=486)) == ["x = 1 + 2", "exit"]
    assert code(typed("x = 1 + 2", base=500), typed("exit", base=300)) == ["x = 1 + 2"]


def test_a_document_that_is_all_typed_has_no_code() -> None:
    lines = [typed(f"line {n} of a typed letter", base=700 - 14 * n) for n in range(9)]
    assert Typewriter([page(lines)]).code(lines) == set()
