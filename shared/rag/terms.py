"""Words as the index knows them: folded, stemmed, without stop words, in any alphabet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import TypeAlias

import Stemmer

from rag.model import Span, Term

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are aren't as at be because been
    before being below between both but by can can't cannot could couldn't did didn't do does
    doesn't doing don't down during each few for from further had hadn't has hasn't have haven't
    having he her here hers herself him himself his how i if in into is isn't it its itself just
    let me more most my myself no nor not of off on once only or other our ours ourselves out
    over own per same shall she should shouldn't so some such than that the their theirs them
    themselves then there these they this those through thus to too under until up upon us very
    was wasn't we were weren't what when where which while who whom whose why will with within
    without won't would wouldn't you your yours yourself yourselves s i'm i've i'd i'll it's
    that's what's there's who's you're we're they're how's where's let's""".split()
)

# Alphabets without spaces between words: runs of them become overlapping pairs of characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003134f"
)
# Signs that belong to the letter before them.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_TOKEN = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    rf"|(?P<word>{_LETTER}(?:{_LETTER}++|[{_MARKS}]|['’](?=[^\W\d_]))*+)"
)
# Names such as GPT-4 or error_17 are found by their parts, and better when written alike.
_COMPOUND = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_JOINTS = re.compile(r"[-_./]")
_LONGEST_COMPOUND = 24
# A term, where it begins and where it ends: most are looked at, and few are wanted.
_Found: TypeAlias = tuple[str, int, int]
# A question looks at the same few passages again and again, and so do others after it. What is
# remembered takes 50 MB at most.
LONGEST_REMEMBERED, REMEMBERED = 4000, 500
# No word of any language is longer, and what is remembered of words must not grow without end.
_LONGEST_WORD = 64


def terms(text: str, wanted: Collection[str] | None = None) -> list[Term]:
    """The terms of a text in their order, and where each stands: all, or those that are wanted."""
    found = _remembered(text) if len(text) <= LONGEST_REMEMBERED else _found(text)
    return [
        Term(term, Span(start, end))
        for term, start, end in found
        if wanted is None or term in wanted
    ]


@lru_cache(maxsize=REMEMBERED)
def _remembered(text: str) -> tuple[_Found, ...]:
    return tuple(_found(text))


def _found(text: str) -> Iterator[_Found]:
    yield from _simple(text)
    if any(map(str.isdigit, text)):
        yield from _compounds(text)


def _simple(text: str) -> Iterator[_Found]:
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if match.lastgroup == "word":
            if term := _stemmed(match.group()[:_LONGEST_WORD]):
                yield term, start, end
        elif match.lastgroup == "number":
            yield match.group()[:_LONGEST_WORD].replace(",", ""), start, end
        else:
            yield from _pairs(text, start, end)


def _pairs(text: str, start: int, end: int) -> Iterator[_Found]:
    for at in range(start, max(end - 1, start + 1)):
        last = min(at + 2, end)
        yield text[at:last], at, last


def _compounds(text: str) -> Iterator[_Found]:
    for match in _COMPOUND.finditer(text):
        if match.group().isalpha():  # as nearly all are
            continue
        joined = _JOINTS.sub("", match.group())
        if _has_both(joined) and len(joined) <= _LONGEST_COMPOUND:
            yield _folded(joined), *match.span()


def _has_both(word: str) -> bool:
    """Whether it has a digit and a letter."""
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


@lru_cache(maxsize=100_000)
def _stemmed(word: str) -> str:
    """The stem of a word, or nothing for a stop word."""
    folded = _folded(word)
    if folded in STOP_WORDS:
        return ""
    bare = folded.removesuffix("'s").replace("'", "")
    return "" if bare in STOP_WORDS else _stemmer().stemWord(bare)


def _folded(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word).casefold().replace("’", "'")
    return "".join(character for character in decomposed if not "\u0300" <= character <= "\u036f")


def _stemmer() -> Stemmer.Stemmer:
    # Made anew for each new word: a stemmer must not be used by two threads at once.
    return Stemmer.Stemmer("english")
