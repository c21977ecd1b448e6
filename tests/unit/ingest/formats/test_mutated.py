"""However a file is damaged: it is read, or its reader says that it cannot be.

MUTATIONS says how many of each kind are tried: thousands take minutes.
"""

from __future__ import annotations

import os
import sys
from subprocess import run

import pytest

from rag.adapters.confined.reader import TOO_LONG, ConfinedReader
from rag.errors import Unreadable
from tests.mutants import KINDS, check_parsed, main, mutant

MUTATIONS = int(os.environ.get("MUTATIONS", "300"))
# One that takes its process with it is rare, and has to be confined.
MOST_DEATHS = 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_read_or_is_unreadable(kind: str) -> None:
    first = deaths = 0
    while first < MUTATIONS:
        child = run(
            [sys.executable, "-m", main.__module__, kind, str(first), str(MUTATIONS)],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        if child.returncode == 0:
            return
        last = int(child.stdout.split()[-1])
        # Only a library's own code, which is not Python, dies without a word.
        assert child.returncode < 0, f"{kind} {last}: {child.stderr[-2000:]}"
        check_confined(kind, last)
        deaths += 1
        assert deaths <= MOST_DEATHS
        first = last + 1


@pytest.mark.parametrize("kind", KINDS)
def test_confined_it_is_read_or_is_unreadable(kind: str) -> None:
    for number in range(max(2, MUTATIONS // 100)):
        check_confined(kind, number)


def check_confined(kind: str, number: int) -> None:
    reason = ""
    try:
        check_parsed(ConfinedReader().read(kind, "", mutant(kind, number)))
    except Unreadable as why:
        reason = str(why)
    assert reason != TOO_LONG, f"{kind} {number}"
