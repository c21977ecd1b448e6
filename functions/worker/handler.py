"""Ingestion in the background: messages of the queue, which the bucket sends."""

from rag.runtime.functions import event_function
from rag.runtime.worker import work

lambda_handler = event_function(work)
