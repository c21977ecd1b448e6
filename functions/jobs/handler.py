"""What becomes of documents that are ingested in the background."""

from rag.runtime.functions import http_function
from rag.wire import platform

lambda_handler = http_function(platform.jobs)
