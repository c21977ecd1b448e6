"""Bytes into text, whatever they were written in."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress

# How much of a file is looked at to see what it was written in.
SAMPLE = 65_536

# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# What people and programs call by the name on the left is mostly its larger sibling, and some of
# these names Python does not know.
_LARGER = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "windows-874": "cp874",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
}

# Those of Python's that no document is written in, and that would take any bytes or any time.
_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7"})

_SAID = re.compile(
    rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]+)"""
    rb"""|<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w:.-]+)""",
    re.I,
)
_SAID_WITHIN = 4096

# Japanese, Chinese and Korean in seven bits, after which come plain letters that mean others.
_SHIFTED = b"\x1b$"

# Text of fewer bytes says so little that only charsets in wide use are considered.
_LITTLE = 160

# So many letters outside ASCII that are sound UTF-8 for one that is not: it was, and is damaged.
_SOUND = 10


def decoded(data: bytes, charset: str = "", *, markup: bool = False) -> str:
    """The text: without a byte-order mark, its lines ended by "\\n". `charset` is what the sender
    claims; of markup, what it says of itself counts more."""
    text = _decoded(data, charset, markup)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def marked(data: bytes) -> str:
    """The charset that a byte-order mark tells, or the nulls of UTF-16 that has none, or ""."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    even, odd = data[:SAMPLE:2], data[1:SAMPLE:2]
    if not odd:
        return ""
    empty = even.count(0) / len(even), odd.count(0) / len(odd)
    if min(empty) < 0.1 and max(empty) >= 0.4:
        return "utf-16-le" if empty[1] > empty[0] else "utf-16-be"
    return ""


def _decoded(data: bytes, charset: str, markup: bool) -> str:
    if name := marked(data):
        return data.decode(name, "replace")
    strange = data.find(_SHIFTED, 0, SAMPLE)
    if strange < 0:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            strange = error.start
    for name in _claims(data, charset, markup):
        with suppress(UnicodeError, LookupError):
            return data.decode(name)
    damaged = data.decode(errors="replace")
    lost = damaged.count("\ufffd")
    if _strange_letters(damaged) - lost > _SOUND * lost > 0:
        return damaged
    # Around the first of them: a file may begin with much that says nothing.
    return data.decode(_guess(data[max(0, strange - _LITTLE) :][:SAMPLE]), "replace")


def _claims(data: bytes, charset: str, markup: bool) -> Iterator[str]:
    if markup and (said := _SAID.search(data[:_SAID_WITHIN])):
        name = _known((said[1] or said[2]).decode("ascii", "replace"))
        # It could be read as it is, so it is nothing of two or four bytes a letter.
        if name and not name.startswith(("utf-16", "utf-32")):
            yield name
    # UTF-8 was tried before, or would not see what the shifts mean.
    if (name := _known(charset)) and name != "utf-8":
        yield name


def _known(name: str) -> str:
    """What Python calls it, or "" if it is no charset."""
    try:
        known = codecs.lookup(_LARGER.get(name.lower(), name)).name
    except (LookupError, ValueError):
        return ""
    return "" if known in _NO_CHARSETS else _LARGER.get(known, known)


def _strange_letters(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _guess(sample: bytes) -> str:
    # Imported only where nothing else helps: it takes longer than reading most files.
    from chardet import EncodingEra, detect

    era = EncodingEra.ALL & ~EncodingEra.MAINFRAME
    if len(sample) <= _LITTLE:
        era = EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO
    return _known(detect(sample, encoding_era=era)["encoding"] or "") or "cp1252"
