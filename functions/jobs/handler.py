"""What becomes of documents that are ingested in the background, and how much was used."""

from rag.runtime.functions import http_function
from rag.wire import platform

lambda_handler = http_function(platform.jobs, platform.usage)
