"""A story as a message of mail: as plain text and as a page, with a picture attached."""

from __future__ import annotations

import base64
import quopri
from datetime import date

from tests.writers.html import content
from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table

_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def write(story: Story) -> bytes:
    """The message."""
    plain = "\n\n".join(map(_plain, story.elements))
    page = f"<html><body>{content(story)}</body></html>"
    return "\r\n".join(
        [
            f"From: {_word(story.author)} <author@example.org>",
            "To: keepers@example.org",
            f"Date: {_date(story.created)}",
            f"Subject: {_word(story.title)}",
            "MIME-Version: 1.0",
            'Content-Type: multipart/mixed; boundary="outer"',
            "",
            "--outer",
            'Content-Type: multipart/alternative; boundary="inner"',
            "",
            "--inner",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
            "",
            quopri.encodestring(plain.encode()).decode(),
            "--inner",
            "Content-Type: text/html; charset=utf-8",
            "Content-Transfer-Encoding: base64",
            "",
            base64.encodebytes(page.encode()).decode(),
            "--inner--",
            "--outer",
            "Content-Type: image/png",
            "Content-Transfer-Encoding: base64",
            f'Content-Disposition: attachment; filename="{_word("Zürich.png")}"',
            "",
            base64.encodebytes(b"\x89PNG").decode(),
            "--outer--",
            "",
        ]
    ).encode()


def _plain(element: Element) -> str:
    match element:
        case Heading(_, text) | Paragraph(text) | Code(text):
            return text
        case Items(texts):
            return "\n".join(f"- {text}" for text in texts)
        case Quote(text):
            return f"> {text}"
        case Table(header, rows):
            return "\n".join(" | ".join(row) for row in (header, *rows))


def _word(text: str) -> str:
    return f"=?utf-8?b?{base64.b64encode(text.encode()).decode()}?="


def _date(day: str) -> str:
    at = date.fromisoformat(day)
    return f"{_DAYS[at.weekday()]}, {at.day} {_MONTHS[at.month - 1]} {at.year} 09:30:00 +0000"
