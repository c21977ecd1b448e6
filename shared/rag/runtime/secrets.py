"""The secret of this machine's tokens."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path


def local_secret(data_dir: Path) -> str:
    """Made when it is first needed, and kept for this user's eyes."""
    path = data_dir / "jwt-secret"
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        draft = data_dir / f"jwt-secret.{secrets.token_hex(8)}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(32))
        try:
            path.hardlink_to(draft)  # whole or not at all, and only by the first who tries
        finally:
            draft.unlink()
    return path.read_text()
