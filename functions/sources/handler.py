"""Data sources and sites, and who may query them."""

from rag.runtime.functions import http_function
from rag.wire import platform, widget

lambda_handler = http_function(platform.sources, widget.sites)
