"""Rich text (RTF): a stream of words that begin with a backslash, groups in braces, and text."""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from typing import NamedTuple

from rag.errors import Unreadable
from rag.ingest.formats import rtf_words as words
from rag.ingest.formats.block import Block, Kind, Reading, cells
from rag.model import Caution

DEEPEST = 2000

_TOKEN = re.compile(
    rb"([^\\{}\r\n]+)|([{}])|\\([a-zA-Z]+)(-?\d{1,10})? ?"
    rb"|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|[\r\n]+|\\'?",
)
# What the name of a style says of its paragraphs.
_STYLES = re.compile(
    r"heading (?P<level>[1-9])|(?P<title>title)|.*(?:(?P<quote>quot)|(?P<code>\bcode|preformat))",
    re.I | re.S,
)
_BULLET = re.compile(r"\s*[•·▪◦‣-]\t")
_LAST_CHARACTER = 0x10FFFF
_BODY_LEVEL = 10
_DEEPEST_ITEM = 8
# In a note they part words, and say nothing of the paragraph that it belongs to.
_OF_PARAGRAPHS = frozenset(b"par sect page pard s outlinelevel ls ilvl trowd cell row".split())


@dataclass(slots=True)
class _Group:
    """What holds until the brace that closes it."""

    target: str = words.TEXT
    charset: str = "cp1252"
    stand_ins: int = 1  # how many characters follow one in Unicode, for those who know none
    hidden: bool = False

    def inner(self) -> _Group:
        """One inside of it: all that holds here holds there, until it says otherwise."""
        return _Group(self.target, self.charset, self.stand_ins, self.hidden)


def read(data: bytes, charset: str) -> Reading:  # noqa: ARG001 - it says its own
    """All but headers and footers of pages; notes follow their paragraph."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise Unreadable("is not rich text (RTF), or its beginning is missing")
    return _Reader(data).read()


def _iso(numbers: Mapping[bytes, int]) -> str:
    """A moment. Raises ValueError where there is no such day or hour."""
    day = date(*(numbers.get(part, 0) for part in (b"yr", b"mo", b"dy")))
    if b"hr" not in numbers:
        return day.isoformat()
    return f"{day}T{time(numbers[b'hr'], numbers.get(b'min', 0))}"


class _Style(NamedTuple):
    kind: Kind = "paragraph"
    level: int = 0


_PLAIN = _Style()


class _Sheet:
    """What is written so far, as blocks."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._code: list[str] = []  # each of its lines is a paragraph
        self.notes: list[str] = []  # that belong to the paragraph
        self._parts: list[str] = []
        self._row: list[str] | None = None
        self._style = _PLAIN
        self._is_item = False
        self._item_level = 0
        self._number = ""

    def put(self, text: str) -> None:
        self._parts.append(text)

    def start_paragraph(self) -> None:
        self._style = _PLAIN
        self._is_item = False
        self._item_level = 0

    def be(self, style: _Style) -> None:
        self._style = style

    def be_heading(self, level: int) -> None:
        if 0 < level < _BODY_LEVEL:
            self._style = _Style("heading", level)

    def be_item(self, is_item: bool = True) -> None:
        self._is_item = is_item

    def be_numbered(self, sign: str) -> None:
        """An item by what is shown before it: a number, or the sign of a bullet."""
        self.be_item()
        number = " ".join(sign.split())
        # Fonts of signs have bullets at the places of letters.
        if not (number.isdecimal() or (len(number) > 1 and any(map(str.isalnum, number)))):
            number = ""
        if self._row is None:
            self._number = number
        else:  # what is in a cell is words
            self.put(f"{number} ")

    def indent(self, level: int) -> None:
        self._item_level = min(max(level, 0), _DEEPEST_ITEM)

    def end_paragraph(self) -> None:
        if self._row is not None:
            self.put(" ")
            return
        text = self._taken()
        if self._style.kind == "code":
            self._code.append(text)
        elif text.strip():
            self._add(self._block(text))
        self._number = ""
        self._add_notes()

    def end(self) -> list[Block]:
        """All blocks."""
        self.end_row()
        self.end_paragraph()
        self._end_code()
        return self._blocks

    def _block(self, text: str) -> Block:
        bullet = _BULLET.match(text)
        lines = text[bullet.end() if bullet else 0 :].split("\n")
        text = "\n".join(" ".join(line.split()) for line in lines).strip("\n")
        if self._style is _PLAIN and (bullet or self._is_item or self._number):
            return Block("item", text, self._item_level, number=self._number)
        return Block(self._style.kind, text, self._style.level, number=self._number)

    def start_row(self) -> None:
        """Of a row that is already begun, this is said again at its end."""
        if self._row is None:
            self.end_paragraph()
            self._row = []

    def end_cell(self) -> None:
        if self._row is None:
            self._row = []
        self._row.append(self._taken())

    def end_row(self) -> None:
        if self._row is None:
            return
        self.end_cell()  # what no word has ended
        row, self._row = self._row, None
        while row and not row[-1].strip():
            row.pop()
        before = self._blocks[-1].kind if self._blocks else ""
        if len(row) == 1:
            self.put(row[0])
            self.end_paragraph()
        elif row:
            kind: Kind = "row" if before in ("header", "row") else "header"
            self._add(Block(kind, cells(row)))
        self._add_notes()

    def _taken(self) -> str:
        text = "".join(self._parts)
        self._parts.clear()
        return text

    def _add_notes(self) -> None:
        for note in self.notes:
            self._add(Block("quote", " ".join(note.split())))
        self.notes.clear()

    def _add(self, block: Block) -> None:
        self._end_code()
        self._blocks.append(block)

    def _end_code(self) -> None:
        if self._code:
            self._blocks.append(Block("code", "\n".join(self._code)))
            self._code.clear()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._outer: list[_Group] = []
        self._group = _Group()
        self._optional = False  # a word that is not known is skipped with its whole group
        self._to_skip = 0  # characters that stand in for one in Unicode
        self._half = 0  # the first of two that are one character
        self._raw = bytearray()  # text that is not decoded yet

        self._told: dict[str, list[str]] = {}
        self._times: dict[str, dict[bytes, int]] = defaultdict(dict)
        self._charset = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._default_font = 0
        self._styles: dict[int, _Style] = {}  # those that say something
        self._style = 0
        self._style_name: list[str] = []

        self.sheet = _Sheet()
        self._note: list[str] = []
        self._shown: list[str] = []  # before an item

    def read(self) -> Reading:
        while token := _TOKEN.match(self._data, self._at):
            self._at = token.end()
            text, brace, word, number, byte, sign = token.groups()
            if text is not None:
                self._write(text)
            elif word is not None:
                self._obey(word, int(number) if number else None)
            elif byte is not None:
                self._write(bytes([int(byte, 16)]))
            elif sign is not None:
                self._sign(sign)
            elif brace == b"{":
                self._open()
            elif brace is not None:
                self._close()
                if not self._outer:
                    break
        self._settle()
        blocks = self.sheet.end()
        told = self._properties()
        return Reading(blocks, told.pop("title", ""), told, self._cautions())

    def _properties(self) -> dict[str, str]:
        told = {name: "".join(parts) for name, parts in self._told.items()}
        for name, numbers in self._times.items():
            with suppress(ValueError):
                told[name] = _iso(numbers)
        return told

    def _cautions(self) -> tuple[Caution, ...]:
        if not self._outer:
            return ()
        return (Caution("PARTLY_READ", "The end of the file is missing."),)

    # Groups

    def _open(self) -> None:
        if len(self._outer) >= DEEPEST:
            raise Unreadable("is nested too deeply")
        self._settle()
        self._outer.append(self._group)
        self._group = self._group.inner()
        self._optional = False

    def _close(self) -> None:
        self._settle()
        closed = self._group
        if self._outer:
            self._group = self._outer.pop()
        self._to_skip = self._half = 0
        if closed.target == words.STYLES:
            self._end_style()
        elif closed.target == words.FONTS != self._group.target:
            self._group.charset = self._charset_of(self._default_font)
        elif closed.target == words.NOTE != self._group.target:
            self.sheet.notes.append("".join(self._note))
            self._note.clear()
        elif closed.target == words.NUMBER != self._group.target:
            if self._group.target == words.TEXT:
                self.sheet.be_numbered("".join(self._shown))
            self._shown.clear()

    def _aim(self, target: str) -> None:
        """From here to its end, the group is about this, unless it is skipped already."""
        if target == words.TEXT or self._group.target == words.SKIPPED:
            return
        self._settle()
        self._group.target = target

    # Characters

    def _write(self, raw: bytes) -> None:
        skipped = min(self._to_skip, len(raw))
        self._to_skip -= skipped
        if self._group.target != words.SKIPPED:
            self._raw += raw[skipped:]

    def _settle(self) -> None:
        """Decode what came since the charset last changed."""
        if self._raw:
            text = self._raw.decode(self._group.charset, "replace")
            self._raw.clear()
            self._put(text)

    def _put(self, text: str) -> None:
        target = self._group.target
        if target in self._told:
            self._told[target].append(text)
        elif target == words.STYLES:
            self._style_name.append(text)
        elif self._group.hidden:
            return
        elif target == words.TEXT:
            self.sheet.put(text)
        elif target == words.NOTE:
            self._note.append(text)
        elif target == words.NUMBER:
            self._shown.append(text)

    def _character(self, text: str) -> None:
        if self._to_skip:
            self._to_skip -= 1
            return
        self._settle()
        self._put(text)

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._optional = True
        elif sign in (b"\n", b"\r"):
            self._obey(b"par", None)
        elif sign in words.CHARACTERS:
            self._character(words.CHARACTERS[sign])

    def _unicode(self, number: int | None) -> None:
        code = (number or 0) % 0x10000 if (number or 0) < 0 else number or 0
        self._settle()
        if 0xD800 <= code < 0xDC00:
            self._half = code
        elif 0xDC00 <= code < 0xE000 and self._half:
            self._put(chr(0x10000 + ((self._half - 0xD800) << 10) + code - 0xDC00))
            self._half = 0
        else:
            self._put(chr(code) if code <= _LAST_CHARACTER else "\ufffd")
        self._to_skip = self._group.stand_ins

    # Words

    def _obey(self, word: bytes, number: int | None) -> None:
        optional, self._optional = self._optional, False
        target = self._group.target
        if word == b"bin":
            self._at += max(number or 0, 0)  # so many bytes follow that are no text
        elif word == b"u":
            self._unicode(number)
        elif word == b"uc":
            self._group.stand_ins = max(number or 0, 0)
        elif word in words.TARGETS:
            self._aim(words.TARGETS[word])
        elif target == words.INFO and word in words.PROPERTIES:
            self._tell(words.PROPERTIES[word])
        elif optional:
            self._aim(words.SKIPPED)
        elif target in words.TIMES:
            self._times[target][word] = number or 0
        elif target == words.FONTS:
            self._font_word(word, number or 0)
        elif target == words.STYLES:
            self._style = number or 0 if word == b"s" else self._style
        elif target == words.NOTE and word in _OF_PARAGRAPHS:
            self._character(" ")
        elif target in (words.TEXT, words.NOTE):
            self._text_word(word, number)

    def _tell(self, name: str) -> None:
        if name not in words.TIMES:
            self._told.setdefault(name, [])
        self._aim(name)

    def _text_word(self, word: bytes, number: int | None) -> None:
        if word in words.CHARACTERS:
            self._character(words.CHARACTERS[word])
        elif word in _ACTIONS:
            self._settle()
            _ACTIONS[word](self, number)

    # Fonts, styles, charsets

    def _font_word(self, word: bytes, number: int) -> None:
        if word == b"f":
            self._font = number
        elif word == b"fcharset" and number in words.OF_FONTS:
            self._fonts[self._font] = words.OF_FONTS[number]

    def _charset_of(self, font: int) -> str:
        return self._fonts.get(font, self._charset)

    def _end_style(self) -> None:
        if found := _STYLES.match("".join(self._style_name).strip()):
            kind: Kind = "quote" if found["quote"] else "code" if found["code"] else "heading"
            self._styles[self._style] = _Style(kind, int(found["level"] or 1))
        self._style_name.clear()

    def be_in(self, charset: str) -> None:
        with suppress(LookupError):
            self._charset = self._group.charset = codecs.lookup(charset).name

    def use_by_default(self, font: int) -> None:
        self._default_font = font

    def use_font(self, font: int) -> None:
        self._group.charset = self._charset_of(font)

    def use_style(self, style: int) -> None:
        self.sheet.be(self._styles.get(style, _PLAIN))

    def be_plain(self) -> None:
        self._group.charset = self._charset_of(self._default_font)
        self._group.hidden = False

    def hide(self, number: int | None) -> None:
        self._group.hidden = number != 0


_ACTIONS: Mapping[bytes, Callable[[_Reader, int | None], None]] = {
    b"par": lambda reader, _: reader.sheet.end_paragraph(),
    b"sect": lambda reader, _: reader.sheet.end_paragraph(),
    b"page": lambda reader, _: reader.sheet.end_paragraph(),
    b"pard": lambda reader, _: reader.sheet.start_paragraph(),
    b"s": lambda reader, number: reader.use_style(number or 0),
    b"outlinelevel": lambda reader, number: reader.sheet.be_heading((number or 0) + 1),
    b"ls": lambda reader, number: reader.sheet.be_item(number != 0),
    b"ilvl": lambda reader, number: reader.sheet.indent(number or 0),
    b"trowd": lambda reader, _: reader.sheet.start_row(),
    b"cell": lambda reader, _: reader.sheet.end_cell(),
    b"row": lambda reader, _: reader.sheet.end_row(),
    b"f": lambda reader, number: reader.use_font(number or 0),
    b"plain": lambda reader, _: reader.be_plain(),
    b"v": lambda reader, number: reader.hide(number),
    b"deleted": lambda reader, number: reader.hide(number),
    b"deff": lambda reader, number: reader.use_by_default(number or 0),
    b"ansicpg": lambda reader, number: reader.be_in(f"cp{number}"),
    b"mac": lambda reader, _: reader.be_in("mac-roman"),
    b"pc": lambda reader, _: reader.be_in("cp437"),
    b"pca": lambda reader, _: reader.be_in("cp850"),
}
