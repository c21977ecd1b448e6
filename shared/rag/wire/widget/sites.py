"""Sites: whose pages may ask, and of what."""

from __future__ import annotations

from rag.wire.widget.route import router

sites = router("Widget")
