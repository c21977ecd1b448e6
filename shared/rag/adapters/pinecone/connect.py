"""Handles of the SDK, made where they are first needed: importing it takes a third of a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rag.errors import IndexUnavailable

if TYPE_CHECKING:
    from pinecone import Index
    from pinecone.client.inference import Inference

# Seconds that one call may take where the request itself has more.
CALL_SECONDS = 10.0
RERANK_SECONDS = 5.0


def connect(api_key: str, host: str) -> Index:
    """The index that answers at this host, without a call. Raises IndexUnavailable."""
    from pinecone import Index, PineconeError

    try:
        handle = Index(host=host, api_key=api_key, timeout=CALL_SECONDS)
    except PineconeError as wrong:
        raise IndexUnavailable("No index can be at such a host.") from wrong
    # The SDK retries by itself, deaf to the request's deadline, and an index cannot be told not
    # to: `Calls` does it instead, over the transport inside.
    client: Any = handle._http._client
    client._transport = client._transport._transport
    return handle


def connect_inference(api_key: str, host: str | None = None) -> Inference:
    """The vendor's models; a host other than the vendor's is for tests."""
    from pinecone import Pinecone, RetryConfig

    no_retries = RetryConfig(max_retries=0)
    client = Pinecone(api_key, host=host, timeout=RERANK_SECONDS, retry_config=no_retries)
    return client.inference
