"""The widget's chat."""

from __future__ import annotations

from rag.wire.widget.route import router

chat = router("Widget")
