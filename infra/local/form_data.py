"""A form with a file, as it comes in: the fields are kept, the file goes on to the disk."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from rag.adapters.embedded.forms import Admitted
from rag.errors import Invalid, TooLarge

# Of the whole form but its file; a form of ours needs 2 KB.
LARGEST_REST = 64 * 1024
MOST_FIELDS = 32
LONGEST_BOUNDARY = 70  # as RFC 2046 has it
FILE = "file"

# Whoever sends nonsense is told, and does not write into our log.
logging.getLogger("python_multipart").addHandler(logging.NullHandler())


class FormData:
    """Takes a body of multipart/form-data in pieces, and never holds more of it than its fields.

    As S3 has it, the file comes last. `admit` says what the fields before it allow."""

    def __init__(
        self,
        content_type: str,
        admit: Callable[[Mapping[str, str]], Admitted],
        file: BinaryIO,
    ) -> None:
        self._admit = admit
        self._file = file
        self._parser = MultipartParser(
            _boundary(content_type),
            {
                "on_part_begin": self._begin_part,
                "on_header_begin": self._begin_header,
                "on_header_field": self._add_to_header_name,
                "on_header_value": self._add_to_header,
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._add_to_part,
                "on_part_end": self._end_part,
                "on_end": self._end,
            },
        )
        self._fields: dict[str, str] = {}
        self._admitted: Admitted | None = None
        self._taken = 0
        self._size = 0  # of the file, so far
        self._is_whole = False
        # Of the part and the header at hand.
        self._name = ""
        self._value = bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._header_name, self._header = bytearray(), bytearray()

    def feed(self, data: bytes) -> None:
        """Take the next piece. Raises Invalid, TooLarge, and what `admit` raises."""
        self._taken += len(data)
        try:
            self._parser.write(data)
        except (FormParserError, UnicodeDecodeError) as bad:
            raise Invalid("body", "The body is not multipart/form-data as it should be.") from bad
        if self._taken - self._size > LARGEST_REST:
            raise TooLarge(f"Beside its file, a form may have at most {LARGEST_REST} bytes.")

    def finish(self) -> Admitted:
        """What was allowed, once all of the body has come. Raises Invalid where it was not all."""
        if not self._is_whole:
            raise Invalid("body", "The form breaks off before its end.")
        if self._admitted is None:
            raise Invalid(FILE, "The form has no file.")
        if not self._size:
            raise Invalid(FILE, "The file is empty.")
        return self._admitted

    def _begin_part(self) -> None:
        if self._admitted is not None:
            raise Invalid(FILE, "The file must be the last of the form, and the only one.")
        if len(self._fields) == MOST_FIELDS:
            raise TooLarge(f"A form may have at most {MOST_FIELDS} fields.")
        self._headers, self._value = {}, bytearray()

    def _begin_header(self) -> None:
        self._header_name, self._header = bytearray(), bytearray()

    def _add_to_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _add_to_header(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _end_header(self) -> None:
        self._headers[bytes(self._header_name).lower()] = bytes(self._header)

    def _end_headers(self) -> None:
        kind, options = parse_options_header(self._headers.get(b"content-disposition"))
        self._name = options.get(b"name", b"").decode()
        if kind != b"form-data" or not self._name:
            raise Invalid("body", "A part of the form has no name.")
        if self._name in self._fields:
            raise Invalid(self._name, f"The form has two fields {self._name[:100]}.")
        if self._name == FILE:
            self._admitted = self._admit(self._fields)

    def _add_to_part(self, data: bytes, start: int, end: int) -> None:
        if self._admitted is None:
            self._value += data[start:end]
            return
        self._size += end - start
        if self._size > self._admitted.largest:
            raise TooLarge(f"The file may have at most {self._admitted.largest} bytes.")
        self._file.write(memoryview(data)[start:end])

    def _end_part(self) -> None:
        if self._admitted is None:
            self._fields[self._name] = self._value.decode()

    def _end(self) -> None:
        self._is_whole = True


def _boundary(content_type: str) -> bytes:
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if not 0 < len(boundary) <= LONGEST_BOUNDARY:
        raise Invalid("Content-Type", "It must name the boundary between the form's parts.")
    return boundary
