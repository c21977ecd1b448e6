"""The composition root: the one place where parts are chosen and joined."""

from __future__ import annotations

import time

from rag.clock import Clock
from rag.footnote import Footnote, Policy
from rag.runtime.settings import Settings
from rag.runtime.slots import Slots

MEGABYTE = 1_000_000


def bootstrap(settings: Settings, *, clock: Clock = time.time, **given: object) -> Footnote:
    """The application of the parts that the settings choose, or of those given instead.

    Nothing is loaded or called before it is used, or before `ready()` is.
    """
    policy = Policy(
        open=settings.auth == "open",
        longest_text=settings.longest_text,
        longest_upload=settings.longest_upload,
        largest_file=settings.largest_file * MEGABYTE,
        storage_quota=settings.storage_quota * MEGABYTE,
        context_tokens=settings.context_tokens,
        default_site=settings.default_site,
        audience=settings.jwt_audience,
    )
    return Footnote(Slots(settings, clock, **given), policy, clock)
