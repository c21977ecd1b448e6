"""Messages of mail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.message import Message
from email.parser import BytesParser

from rag.errors import Unreadable
from rag.ingest.formats import markup
from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded
from rag.ingest.formats.dates import iso

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_SECRET = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_LONGEST_HEADER = 4_000  # characters; some messages go to thousands
_PARAGRAPHS = re.compile(r"\n\s*\n")
_QUOTED = re.compile(r"^> ?", re.MULTILINE)
# A line that the sender's program has broken, and not the sender ("-- " begins a signature).
_FLOWED = re.compile(r"(?<!^--) \n(?![> ]|$)", re.MULTILINE)


def read(data: bytes, charset: str) -> Reading:
    """A message: who wrote to whom, its text, and the names of what is attached."""
    # By the older policy, which takes whatever comes; the newer one decodes what is shown.
    message = BytesParser(policy=policy.compat32).parsebytes(data)
    if not any(name in message for name in (*_SHOWN, "Message-ID")):
        raise Unreadable("is not a message of mail")
    blocks = list(_Letter(charset).blocks(message))
    properties = {
        "author": _header(message, "From"),
        "created": iso(_header(message, "Date")),
        "subject": _header(message, "Subject"),
    }
    return Reading(blocks, properties["subject"], properties)


class _Letter:
    def __init__(self, charset: str) -> None:
        self._charset = charset
        self._attached: list[str] = []

    def blocks(self, message: Message) -> Iterator[Block]:
        """A message, and those that it forwards."""
        shown = [(name, _header(message, name)) for name in _SHOWN]
        yield Block("paragraph", "\n".join(f"{name}: {told}" for name, told in shown if told))
        yield from self._body(message)
        if self._attached:
            yield Block("paragraph", f"Attachments: {', '.join(self._attached)}")
            self._attached.clear()

    def _body(self, part: Message) -> Iterator[Block]:
        kind = part.get_content_type()
        if kind in _SECRET and part.get_param("smime-type") != "signed-data":
            raise Unreadable("is encrypted, and only those it was sent to can read it")
        if kind == "message/rfc822":
            for message in _parts(part):
                yield from self.blocks(message)
        elif name := _name(part):
            self._attached.append(name)
        elif kind == "multipart/alternative":
            yield from self._best(_parts(part))
        elif part.is_multipart():
            for inner in _parts(part):
                yield from self._body(inner)
        elif kind == "text/html":
            yield from markup.body(self._text(part))
        elif kind == "text/plain":
            yield from _paragraphs(self._text(part), part)

    def _best(self, versions: list[Message]) -> Iterator[Block]:
        """Of several versions of the same, the plain one has no ornaments; but some are empty."""
        plain_first = sorted(versions, key=lambda one: one.get_content_type() != "text/plain")
        for version in plain_first:
            blocks = list(self._body(version))
            if any(block.text.strip() for block in blocks):
                yield from blocks
                return

    def _text(self, part: Message) -> str:
        data = part.get_payload(decode=True)
        if not isinstance(data, bytes):
            return ""
        said = part.get_content_charset() or self._charset
        return decoded(data, said, markup=part.get_content_subtype() == "html")


def _parts(part: Message) -> list[Message]:
    parts = part.get_payload()
    return [one for one in parts if isinstance(one, Message)] if isinstance(parts, list) else []


def _paragraphs(text: str, part: Message) -> Iterator[Block]:
    if part.get_param("format") == "flowed":
        text = _FLOWED.sub(" ", text)
    for paragraph in _PARAGRAPHS.split(text):
        lines = paragraph.strip("\n")
        if all(line.startswith(">") for line in lines.split("\n")):
            yield Block("quote", _QUOTED.sub("", lines))
        else:
            yield Block("paragraph", lines)


def _name(part: Message) -> str:
    """That of an attachment."""
    is_attached = part.get_content_disposition() == "attachment"
    if not is_attached and part.get_content_maintype() == "image" and "Content-ID" in part:
        return ""  # it is shown somewhere in the text
    name = part.get_filename() or (part.get_content_type() if is_attached else "")
    return _shown("Subject", name)


def _header(message: Message, name: str) -> str:
    items = message.raw_items()
    return _shown(name, next((told for key, told in items if key.lower() == name.lower()), ""))


def _shown(name: str, written: str) -> str:
    """What a header of this name means, on one line."""
    written = written[:_LONGEST_HEADER]
    # Letters outside ASCII are not allowed as they are, and many programs send them so.
    if not written.isascii():
        written = decoded(written.encode(errors="surrogateescape"))
    try:
        told = str(policy.default.header_factory(name, written))
    except Exception:
        # The library fails in many ways on what it cannot parse; as written is better than nothing.
        told = written
    return " ".join(told.split())
