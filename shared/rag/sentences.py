"""Sentences of prose, Markdown and code, as spans that cover a text without a gap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rag.fences import FENCE, closes
from rag.model import Span

# Never the end of a sentence.
_ABBREVIATIONS = frozenset(
    """dr mr mrs ms mx prof rev hon gov gen col maj capt lt sgt cmdr st mt ft fig figs eq eqs tab
    vs cf viz approx resp e.g i.e eg ie dept est ca bzw vgl evtl ggf inkl sog z.b d.h u.a o.ä
    v.a u.u s.o s.u hr fr dipl ing mme mlle""".split()
)
# Not the end of a sentence before a number: "No. 5", but "She said no. Then".
_BEFORE_NUMBERS = frozenset(
    """no nos nr p pp s f ff vol vols ch chap sec sect art abs bd kap al par para pt ver v jan feb
    mar apr jun jul aug sep sept oct okt nov dec dez""".split()
)
# The end of a sentence only before a word that likes to begin one, as initials are.
_NAME_ENDS = frozenset(["inc", "ltd", "co", "corp", "llc", "bros", "jr", "sr", "al", "ph.d"])
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_STARTERS = frozenset(
    """a an the this that these those it its he she we they you i there here in on at by for from
    as if when while after before since although though because however but and or so then thus
    to with what who why how where is are was were do does did no yes our their his her my your
    der die das ein eine er sie es wir ihr ich im am auf bei mit nach wenn als da doch aber und
    oder dann dies diese dieser dieses le la les un une il elle nous vous ce cette""".split()
)
# German ordinals: "am 3. Oktober", "im 19. Jahrhundert".
_ORDINAL_NOUNS = re.compile(r"Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrh|Auflage")

_WIDE = "。！？｡．"
# What may end a sentence, in any script.
STOPS = f".!?…؟۔।॥{_WIDE}"
_STOP = re.compile(
    # It begins with one set of characters, without an alternative, so that the search is fast.
    rf"([{STOPS}][{STOPS}]*+)"
    r"""((?:["'”’»›)\]}*_`」』）】〉》]|\[\d{1,3}\])*+)(\s*+)"""
)
_OPENERS = "([{\"'“‘„«‹*_"
_LAST_WORD_REACH = 16  # characters, longer than any abbreviation
_NEXT_WORD = re.compile(r"""["'“”‘’„«‹*_]*+(\w*+)(.?)""", re.DOTALL)
_ENUMERATOR = re.compile(r"\s*(?:[-*+•>]\s+)*[(*_]*(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivx]{1,5})")
_ENUMERATOR_REACH = 24
_HIRAGANA = re.compile(r"[ぁ-ゟ]")

_WHOLE_LINE = re.compile(r" {0,3}(?:#{1,6}[ \t]|\|)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦]|\d{1,9}[.)]|[A-Za-z]\)|>)[ \t]")
_UNDERLINE = re.compile(r" {0,3}(?:[-=*_][ \t]*+){3,}+$")

# The same few passages are looked at again and again, by one question and by others after it.
LONGEST_REMEMBERED, REMEMBERED = 4000, 1000

_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_QUESTION_MARKS = ("?", "？", "؟")
# What may follow a question mark.
_AFTER_QUESTION = "\"'”’»›)]}*_`」』）】〉》 \t\r\n"


def is_heading(sentence: str) -> bool:
    """Whether it is a heading of Markdown: it names what comes, and says nothing by itself."""
    return _HEADING.match(sentence) is not None


def is_question(sentence: str) -> bool:
    """Whether it asks: what it asks for comes after it, or nowhere."""
    return sentence.rstrip(_AFTER_QUESTION).endswith(_QUESTION_MARKS)


def sentences(text: str) -> list[Span]:
    """The sentences of a text in order; white space belongs to the sentence before it."""
    return list(_remembered(text)) if len(text) <= LONGEST_REMEMBERED else _found(text)


@lru_cache(maxsize=REMEMBERED)
def _remembered(text: str) -> tuple[Span, ...]:
    return tuple(_found(text))


def _found(text: str) -> list[Span]:
    starts = [start for block in _blocks(text) for start in _starts(text, *block)]
    return list(map(Span, starts, [*starts[1:], len(text)]))


def headings(text: str, spans: Sequence[Span]) -> list[int]:
    """The sentence that heads each of these sentences; itself where there is none.

    A question heads what follows it: to the next heading or question where it has a line to
    itself, as among frequent questions, and to the end of its paragraph elsewhere."""
    heading, asked, found = -1, -1, []
    for number, span in enumerate(spans):
        sentence = text[span.start : span.end]
        begins = span.start == 0 or text[span.start - 1] == "\n"
        ends = sentence[len(sentence.rstrip()) :].count("\n") > 0
        if is_heading(sentence):
            heading, asked = number, -1
        elif is_question(sentence):
            asked, alone = number, begins and ends
        head = max(heading, asked)
        found.append(head if head >= 0 else number)
        if ends and asked >= 0 and not alone:
            asked = -1
    return found


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Start, end and whether it is prose, for each stretch that no sentence may leave:
    a paragraph, a list item, a heading, a row of a table, a line of fenced code."""
    start = position = 0
    fence = ""
    prose = True
    filled = False  # the block has more than white space
    closed = False  # the next line of prose begins a block of its own
    for line in text.splitlines(keepends=True):
        if line.isspace():
            closed = True
        else:
            fenced = FENCE.match(line)
            whole = bool(fence or fenced or _WHOLE_LINE.match(line))
            if filled and (whole or closed or _ITEM.match(line)):
                yield start, position, prose
                start = position
            prose = not whole
            filled = True
            closed = whole or bool(_UNDERLINE.match(line))
            if fenced and not fence:
                fence = fenced[1]
            elif fence and closes(line, fence):
                fence = ""
        position += len(line)
    if text:
        yield start, position, prose


def _starts(text: str, start: int, end: int, prose: bool) -> Iterator[int]:
    yield start
    if not prose:
        return
    for stop in _STOP.finditer(text, start, end):
        if stop.end() < end and _ends_sentence(text, start, stop):
            start = stop.end()
            yield start


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    marks, closers, gap = stop.groups()
    if marks[-1] in _WIDE:
        # 「はい。」と答えた: a quotation inside its sentence. ３．１４: a number.
        quoted = closers and _HIRAGANA.match(text, stop.end())
        decimal = marks == "．" and text[stop.end()].isdigit()
        return bool(gap) or not (quoted or decimal)
    if not gap:
        return False
    following = _NEXT_WORD.match(text, stop.end())
    word, mark = following.groups() if following else ("", "")
    if word[:1].islower() or (not word and mark in ",;:.)]}/&%–—-"):
        return False
    if marks != "." or closers.strip("*_`"):
        return True
    return not _is_abbreviation(text, start, stop.start(), word, mark)


def _is_abbreviation(text: str, start: int, dot: int, word: str, mark: str) -> bool:
    """Whether a dot shortens the word before it, judged with the word and mark after it."""
    words = text[max(start, dot - _LAST_WORD_REACH) : dot].split()
    last = words[-1].lstrip(_OPENERS) if words else ""
    lower = last.lower()
    if lower in _ABBREVIATIONS:
        return True
    if dot - start < _ENUMERATOR_REACH and _ENUMERATOR.fullmatch(text, start, dot):
        return True
    if word[:1].isdigit() and lower in _BEFORE_NUMBERS:
        return True
    if last.isdigit():
        return len(last) < 3 and bool(_ORDINAL_NOUNS.match(word))
    if _INITIALS.fullmatch(last) or lower in _NAME_ENDS:
        next_is_initial = len(word) == 1 and mark == "."
        return next_is_initial or word.lower() not in _STARTERS
    return False
