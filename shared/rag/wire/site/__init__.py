"""What people look at: the documentation, the console, the widget's script, the API's own."""

from rag.wire.site.routes import WebSite

__all__ = ["WebSite"]
