"""Files into text: told what they are → read → named, where that does not work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from rag.errors import ParseError, Unreadable
from rag.ingest.formats.claims import called
from rag.ingest.formats.compose import one_line
from rag.ingest.formats.kinds import detect
from rag.model import Parsed
from rag.ports import Reader


@dataclass(frozen=True, slots=True)
class Parser:
    """Makes text of files, whatever they are and whoever sent them."""

    reader: Reader

    def parse(self, name: str, media_type: str, data: bytes) -> Parsed:
        """The text of a file, and what the file calls itself or else what its name does. Raises
        UnsupportedFormat and ParseError."""
        found = detect(name, media_type, data)
        try:
            parsed = self.reader.read(found.kind, found.charset, data)
        except Unreadable as why:
            raise ParseError(f"{called(name, media_type)} {why}.") from why
        # Markdown stays as it was sent, and its sections and tables are found as in any such text.
        marks = () if found.kind == "markdown" else parsed.marks
        return replace(
            parsed,
            marks=marks,
            title=parsed.title or one_line(PurePosixPath(name).stem),
            cautions=(*found.cautions, *parsed.cautions),
        )
