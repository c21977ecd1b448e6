"""`python -m eval.parsing FOLDER…`: what becomes of every file of these folders.

Files are read as those of a stranger are: told by their content and name, each in a process of its
own. A folder may say in `expected.json` what the text of a file must and must not hold; markup and
white space make no difference. Ends with 1 if that does not hold for a file whose format we read.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.adapters.confined.reader import ConfinedReader
from rag.errors import ParseError, UnsupportedFormat
from rag.ingest.parse import Parser

EXPECTED = "expected.json"
WIDTH = 36

_MARKUP = re.compile(r"[\s#*_`>|\\~]+")


@dataclass(frozen=True, slots=True)
class Expected:
    """What the text of a file holds and what not."""

    must_include: Sequence[str] = ()
    must_not_include: Sequence[str] = ()

    def faults(self, text: str) -> Iterator[str]:
        """Where a text differs."""
        words = plain(text)
        for sought in self.must_include:
            if plain(sought) not in words:
                yield f"lacks {sought!r}"
        for unwanted in self.must_not_include:
            if plain(unwanted) in words:
                yield f"has {unwanted!r}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file."""

    result: str  # one word: what the summary counts
    told: str
    faults: Sequence[str] = ()


def main(arguments: Sequence[str]) -> int:
    """Print one line a file, and what they come to."""
    parser = argparse.ArgumentParser(prog="python -m eval.parsing", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of files")
    options = parser.parse_args(arguments)
    return max([report(folder) for folder in options.folders])


def report(folder: Path) -> int:
    """Read all files of a folder; 1 if one of them is not as expected."""
    expected = expectations(folder)
    print(f"\n{folder.name}")
    outcomes = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        if name == EXPECTED:
            continue
        outcome = tried(name, file.read_bytes(), expected.get(name))
        print(f"{name:{WIDTH}} {outcome.result:12} {'; '.join(outcome.faults) or outcome.told}")
        outcomes.append(outcome)
    counts = Counter(outcome.result for outcome in outcomes)
    print(", ".join(f"{count} {result}" for result, count in counts.most_common()))
    return int("wrong" in counts)


def tried(name: str, data: bytes, expected: Expected | None) -> Outcome:
    """Read one file and compare its text with what is expected of it, if anything is."""
    try:
        parsed = Parser(ConfinedReader()).parse(name, "", data)
    except UnsupportedFormat as refused:
        return Outcome("unsupported", refused.message)
    except ParseError as failed:
        if expected:
            return Outcome("wrong", failed.message, (failed.message,))
        result = "locked" if "needs a password" in failed.message else "unreadable"
        return Outcome(result, failed.message)
    told = " ".join(
        (f"{len(parsed.text):,} characters.", *(one.message for one in parsed.cautions))
    )
    if not expected:
        return Outcome("read", told)
    faults = tuple(expected.faults(parsed.text))
    return Outcome("wrong" if faults else "as expected", told, faults)


def expectations(folder: Path) -> Mapping[str, Expected]:
    """By the names of the files."""
    file = folder / EXPECTED
    if not file.exists():
        return {}
    return {
        row["filename"]: Expected(row["must_include"], row["must_not_include"])
        for row in json.loads(file.read_text(encoding="utf-8"))
    }


def plain(text: str) -> str:
    """Without markup and white space."""
    return _MARKUP.sub("", text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
