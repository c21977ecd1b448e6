"""How lists count: the number of each of their levels, and the figures it is written in."""

from __future__ import annotations

DEEPEST = 8  # the last level of a list, from 0

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MOST_LETTERS = 5  # of one number
_LAST_ROMAN = 3999
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


class Levels:
    """The numbers that the levels of a list are at."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def count(self, level: int, start: int) -> int:
        """The next number of a level, which begins at `start`."""
        self._numbers[level] = number = self.at(level, start - 1) + 1
        return number

    def at(self, level: int, otherwise: int) -> int:
        """The number of a level, or `otherwise` before it has begun."""
        return self._numbers.get(level, otherwise)

    def restart(self, first: int, last: int = DEEPEST) -> None:
        """Have these levels begin anew."""
        for level in range(first, last + 1):
            self._numbers.pop(level, None)


def figures(number: int, kind: str, *, doubled: bool = False) -> str:
    """A number in figures of a kind, called by its first: 1, 01, a, A, i or I. After z comes aa,
    then ab; or bb, if letters are `doubled`. What has no such figures is written in digits."""
    match kind:
        case "a" | "i" if number > 0:
            letters = _roman(number) if kind == "i" else _letters(number, doubled)
            return letters or str(number)
        case "A" | "I":
            return figures(number, kind.lower(), doubled=doubled).upper()
        case "01":
            return f"{number:02}"
    return str(number)


def _letters(number: int, doubled: bool) -> str:
    if doubled:
        times, letter = divmod(number - 1, len(_LETTERS))
        return _LETTERS[letter] * (times + 1) if times < _MOST_LETTERS else ""
    found = ""
    while number:
        number, letter = divmod(number - 1, len(_LETTERS))
        found = _LETTERS[letter] + found
    return found if len(found) <= _MOST_LETTERS else ""


def _roman(number: int) -> str:
    if number > _LAST_ROMAN:
        return ""
    found = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        found += letters * times
    return found
