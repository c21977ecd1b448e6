"""Documents: ingest, list, read, delete."""

from rag.runtime.functions import http_function
from rag.wire import v3

lambda_handler = http_function(v3.ingest, v3.documents)
