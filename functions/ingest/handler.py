"""Documents: ingest, upload, list, read, delete."""

from rag.runtime.functions import http_function
from rag.wire import platform, v3
from rag.wire.ingest import ingest

lambda_handler = http_function(ingest, v3.documents, platform.uploads)
