"""`make redrive`: send back the messages that were buried, once their cause is mended."""

from __future__ import annotations

import os
import sys
from collections import Counter

from rag.errors import Unavailable
from rag.ingest.worker import redrive
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings, SettingsError


def main() -> int:
    """Say how many there were, and why they had been buried."""
    try:
        parts = bootstrap(Settings.from_environment(os.environ)).parts
        reasons = redrive(parts.dead, parts.queue)
    except (SettingsError, Unavailable) as wrong:
        print(wrong, file=sys.stderr)
        return 2
    print(f"{len(reasons)} messages were sent back.")
    told = Counter(f"{one.get('code', '?')}: {one.get('message', 'unknown')}" for one in reasons)
    for reason, count in told.most_common():
        print(f"{count:6}  {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
