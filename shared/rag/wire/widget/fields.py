"""Kinds of request fields that the widget's routes share."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from rag.wire.validation import Broken

UUID_V4 = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE
)


def _uuid_v4(text: str) -> str:
    if not UUID_V4.fullmatch(text):
        raise Broken("uuid_v4", "must be a UUID of version 4")
    return text


SessionId = Annotated[str, AfterValidator(_uuid_v4)]
