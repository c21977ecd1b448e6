"""The zip around the parts of a document."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def zipped(parts: Mapping[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these parts, in this order. The first is `mimetype` in some formats, and then it is
    not packed, so that it can be seen from outside."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", packing) as file:
        for name, content in parts.items():
            plain = name == "mimetype"
            # All of the same day: the same parts make the same bytes.
            part = zipfile.ZipInfo(name)
            file.writestr(part, content, zipfile.ZIP_STORED if plain else packing)
    return written.getvalue()
