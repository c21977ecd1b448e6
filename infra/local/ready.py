"""Everything made and reached at the start, or one sentence that names the setting to change."""

from __future__ import annotations

from rag.errors import EmbeddingFailed, IndexMismatch, IndexUnavailable, Unavailable
from rag.footnote import Footnote
from rag.ports import Key
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings


class NotReady(Exception):
    """Something that the settings name cannot be used; the message says which and why."""


def ready(settings: Settings) -> Footnote:
    """The application, whose parts have all answered once. Raises NotReady."""
    footnote = bootstrap(settings)
    _reach_tables(settings, footnote)
    try:
        footnote.ready()
    except IndexMismatch as wrong:
        raise NotReady(str(wrong)) from wrong
    except EmbeddingFailed as wrong:
        at = f" at OPENAI_BASE_URL={settings.openai_base_url}" if settings.openai_base_url else ""
        raise NotReady(
            f"EMBEDDING_MODEL={settings.embedding_model}{at} cannot be used: {wrong}"
        ) from wrong
    except IndexUnavailable as wrong:
        raise NotReady(
            f"PINECONE_HOST={settings.pinecone_host} cannot be used with this PINECONE_API_KEY:"
            f" {wrong}"
        ) from wrong
    except (OSError, Unavailable) as wrong:
        raise NotReady(f"DATA_DIR={settings.data_dir} cannot be used: {wrong}") from wrong
    return footnote


def _reach_tables(settings: Settings, footnote: Footnote) -> None:
    for slot in ("items", "fleeting"):
        table = getattr(settings, f"{slot}_table")
        try:
            if table:
                getattr(footnote.parts, slot).get(Key("READY", "READY"))
        except Unavailable as wrong:
            reason = " ".join(str(wrong.__cause__ or wrong).split())
            raise NotReady(f"{slot.upper()}_TABLE={table} cannot be used: {reason}") from wrong
