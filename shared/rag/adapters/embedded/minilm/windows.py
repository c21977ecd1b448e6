"""Cuts a text into windows of about equal length, where a reader would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil

from rag.model import Span
from rag.sentences import sentences

# Windows are planned a little short of full, so that each cut can move to the end of a sentence,
# but not by more than this part of a window.
FULL, REACH = 7 / 8, 1 / 3


def balanced(text: str, word_starts: Sequence[int], room: int) -> list[Span]:
    """Spans that cover `text` with at most `room` word pieces in each, cut between words.

    `word_starts` has an entry for each word piece: where its word begins in the text.
    """
    if len(word_starts) <= room:
        return [Span(0, len(text))]
    cuts = [0, *_cuts(text, word_starts, room), len(text)]
    return [Span(*pair) for pair in pairwise(cuts)]


def _cuts(text: str, word_starts: Sequence[int], room: int) -> Iterator[int]:
    sentence_starts = {span.start for span in sentences(text)}
    first = 0
    while (rest := len(word_starts) - first) > room:
        ideal = first + rest / ceil(rest / (room * FULL))
        _, _, _, first = max(
            (
                start in sentence_starts and abs(at - ideal) < room * REACH,
                text[start - 1].isspace(),
                -abs(at - ideal),
                at,
            )
            for at in range(first + 1, first + room + 1)
            if (start := word_starts[at]) > word_starts[at - 1]
        )
        yield word_starts[first]
