"""The widget contract: a chat on public web pages, and the sites that these are of."""

from rag.wire.widget.feedback import feedback
from rag.wire.widget.routes import chat
from rag.wire.widget.sites import sites

__all__ = ["chat", "feedback", "sites"]
