"""The words of rich text (RTF) that mean something to a reader."""

from __future__ import annotations

from collections.abc import Mapping

# What a group is about, beside the properties of the document, which go by their names.
TEXT = "text"
SKIPPED = "skipped"
INFO = "info"
FONTS = "fonts"
STYLES = "styles"
NOTE = "note"
NUMBER = "number"

PROPERTIES: Mapping[bytes, str] = {
    b"title": "title",
    b"author": "author",
    b"subject": "subject",
    b"keywords": "keywords",
    b"doccomm": "description",
    b"creatim": "created",
    b"revtim": "modified",
}
TIMES = ("created", "modified")
TARGETS: Mapping[bytes, str] = {
    b"info": INFO,
    b"fonttbl": FONTS,
    b"stylesheet": STYLES,
    b"footnote": NOTE,
    b"annotation": NOTE,
    # What programs that know no lists show before an item.
    b"listtext": NUMBER,
    b"pntext": NUMBER,
    # What a shape is made of is not for readers, but the text in it is.
    b"shpinst": TEXT,
    **dict.fromkeys(
        b"""atnauthor atndate atnid bkmkend bkmkstart blipuid colortbl colorschememapping datastore
        docvar falt filetbl fldinst footer footerf footerl footerr ftnsep ftnsepc aftnsep generator
        header headerf headerl headerr latentstyles listoverridetable listtable mmathPr
        nonshppict object panose pict private revtbl rsidtbl sn sp sv tc themedata userprops
        wgrffmtfilter xe xmlnstbl""".split(),
        SKIPPED,
    ),
}
CHARACTERS: Mapping[bytes, str] = {
    b"tab": "\t",
    b"line": "\n",
    b"emdash": "—",
    b"endash": "–",
    b"lquote": "‘",
    b"rquote": "’",
    b"ldblquote": "“",
    b"rdblquote": "”",
    b"bullet": "•",
    b"emspace": " ",
    b"enspace": " ",
    b"qmspace": " ",
    b"nestcell": " ",
    b"~": "\u00a0",
    b"_": "-",
    b"\\": "\\",
    b"{": "{",
    b"}": "}",
}

# The charsets of fonts by their numbers.
OF_FONTS: Mapping[int, str] = {
    0: "cp1252",
    77: "mac-roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5hkscs",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp437",
}
