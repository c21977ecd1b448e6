"""Data sources, and who may query them."""

from rag.runtime.functions import http_function
from rag.wire import platform

lambda_handler = http_function(platform.sources)
