"""Search."""

from rag.runtime.functions import http_function
from rag.wire import platform, v3

lambda_handler = http_function(v3.search, platform.retrieval)
