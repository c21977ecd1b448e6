"""SnapStart: what to have in memory before the snapshot, and what to do in every copy of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module

# What first answers would import: as modules they hold no connection, secret or time.
HEAVY = (
    "anyio._backends._asyncio",
    "boto3.dynamodb.conditions",
    "boto3.session",
    "botocore.httpsession",
    "httpcore",
    "httpcore2",
    "numpy",
    "openai.resources.chat.chat",
    "openai.resources.embeddings",
    "pinecone.index",
    "rag.adapters.aws.clients",
    "rag.adapters.aws.items",
    "rag.adapters.openai.answerer",
    "rag.adapters.openai.embedder",
    "rag.adapters.openai.judge",
    "rag.adapters.pinecone",
    "rag.ingest.pipeline",
    "rag.ingest.reembed",
    "rag.query.converse",
    "rag.query.lexical",
    "rag.query.pipeline",
    "rag.query.visit",
    "rag.runtime.http",
    "rag.stores.answers",
    "rag.stores.limits",
    "rag.stores.rankings",
    "rag.stores.sites",
    "rag.turns",
)


def when_restored(prepare: Callable[[], object]) -> None:
    """Import what is heavy now, and prepare each copy when it wakes up."""
    # Lambda's own Python has it.
    from snapshot_restore_py import register_after_restore

    from rag import cl100k
    from rag.adapters.openai import sdk

    sdk.prepare()
    for module in HEAVY:
        import_module(module)
    cl100k.encoding()  # a table, made of nothing but a file
    register_after_restore(random.seed)  # else all copies would wait in step between tries
    register_after_restore(prepare)
