"""A story as rich text (RTF)."""

from __future__ import annotations

from collections.abc import Sequence

from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table

_STYLES = {"Normal": 0, "heading 1": 1, "heading 2": 2, "heading 3": 3, "Quote": 10, "Code": 11}


def write(story: Story) -> bytes:
    """The file, with a header on each page."""
    year, month, day = map(int, story.created.split("-"))
    styles = "".join(f"{{\\s{number}\\sbasedon0 {name};}}" for name, number in _STYLES.items())
    return (
        "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fswiss\\fcharset0 Arial;}}\n"
        f"{{\\stylesheet{styles}}}\n"
        f"{{\\info{{\\title {escaped(story.title)}}}{{\\author {escaped(story.author)}}}"
        f"{{\\creatim\\yr{year}\\mo{month}\\dy{day}}}}}\n"
        "{\\header\\pard A line on every page\\par}\n"
        f"{''.join(map(_element, story.elements))}}}\n"
    ).encode("ascii")


def escaped(text: str) -> str:
    """Text between words that begin with a backslash."""
    for sign in "\\{}":
        text = text.replace(sign, f"\\{sign}")
    return "".join(map(_character, text))


def _character(character: str) -> str:
    if character == "\n":
        return "\\line\n"
    if character.isascii():
        return character
    try:
        return f"\\'{character.encode('cp1252').hex()}"
    except UnicodeEncodeError:
        wide = character.encode("utf-16-be")
        halves = [int.from_bytes(wide[at : at + 2], signed=True) for at in range(0, len(wide), 2)]
        return "".join(f"\\u{half}?" for half in halves)


def _element(element: Element) -> str:
    match element:
        case Heading(level, text):
            return _paragraph(text, f"\\s{_STYLES[f'heading {level}']}\\outlinelevel{level - 1}")
        case Paragraph(text):
            return _paragraph(text)
        case Items(texts):
            return "".join(_paragraph(text, "{\\listtext\\'b7\\tab}\\ilvl0\\ls1") for text in texts)
        case Quote(text):
            return _paragraph(text, "\\s10")
        case Code(text):
            return _paragraph(text, "\\s11")
        case Table(header, rows):
            return "".join(map(_row, (header, *rows))) + "\\pard\n"


def _paragraph(text: str, says: str = "") -> str:
    return f"\\pard\\plain{says} {escaped(text)}\\par\n"


def _row(texts: Sequence[str]) -> str:
    edges = "".join(f"\\cellx{2000 * number}" for number in range(1, len(texts) + 1))
    cells = "".join(f"{escaped(text)}\\cell " for text in texts)
    return f"\\trowd{edges}\n\\pard\\plain\\intbl {cells}\\row\n"
