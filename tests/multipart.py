"""Forms as they are on the wire, the well-formed and the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

BOUNDARY = "----boundary"
TYPE = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def part(name: str, value: str | bytes, *, header: str = "") -> bytes:
    """One part, up to the line break before the next boundary."""
    about = f'Content-Disposition: form-data; name="{name}"'
    if name == "file":
        about += '; filename="any name.bin"'
    data = value if isinstance(value, bytes) else value.encode()
    return f"--{BOUNDARY}\r\n{about}\r\n{header}\r\n".encode() + data + b"\r\n"


def body(fields: Mapping[str, str], *then: bytes, end: str = f"--{BOUNDARY}--\r\n") -> bytes:
    """A whole form: the fields, and then whatever parts are given."""
    return joined([*(part(name, value) for name, value in fields.items()), *then], end)


def joined(parts: Iterable[bytes], end: str = f"--{BOUNDARY}--\r\n") -> bytes:
    return b"".join(parts) + end.encode()
