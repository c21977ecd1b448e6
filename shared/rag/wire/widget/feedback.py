"""What visitors think of the answers, for those whose sites gave them."""

from __future__ import annotations

from rag.wire.widget.route import router

feedback = router("Widget")
