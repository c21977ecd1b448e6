"""What people look at: the documentation, the console, the widget's script."""

from pathlib import Path

from rag.runtime.functions import http_function, settings
from rag.runtime.site import form_origins
from rag.wire.site import WebSite

site = WebSite(
    Path(__file__).parent,
    about=lambda: {"runtime": "aws"},
    uploads=lambda: form_origins(settings()),
)
lambda_handler = http_function(site.router)
