"""`POST /api/rag/ingest`, which belongs to two contracts: the body says to which."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Response
from pydantic import Discriminator, Tag

from rag.wire.caller import App, Caller
from rag.wire.platform import schema as platform
from rag.wire.platform.routes import described
from rag.wire.platform.translate import batch, repeat
from rag.wire.router import failures, router
from rag.wire.v3 import schema as v3
from rag.wire.v3.translate import draft, ingested
from rag.wire.validation import MANY, ONE
from rag.wire.workers import AppWorkers

ingest = router("Documents")


def _contract(body: Any) -> str:
    """Platform's has `documents` or `dataSourceId`; anything else is v3's."""
    told = body if isinstance(body, dict) else {}
    return ONE if told.get("documents") is None and told.get("dataSourceId") is None else MANY


Body = Annotated[
    Annotated[v3.IngestRequest, Tag(ONE)] | Annotated[platform.JobRequest, Tag(MANY)],
    Discriminator(_contract),
]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=256,
        description="Of `documents`: sent again with the same key, they are the same job",
    ),
]


@ingest.post(
    "/api/rag/ingest",
    response_model=None,  # one for each status, below
    responses={
        200: {"model": v3.IngestResponse, "description": "The document can be found"},
        202: {"model": platform.JobResponse, "description": "The documents are being ingested"},
        **failures(
            {
                403: "The data source is not yours to write to",
                409: "The Idempotency-Key was used for another request",
                415: "The body is not JSON, or no document is in a format that can be read",
                422: "No document is what it says it is",
                507: "The storage quota is used up",
            }
        ),
    },
)
async def ingest_documents(
    body: Body,
    caller: Caller,
    app: App,
    workers: AppWorkers,
    response: Response,
    idempotency_key: Key = None,
) -> v3.IngestResponse | platform.JobResponse:
    """Create or replace the document with this source and path; when it answers, it is found.

    With `documents` and `dataSourceId`, ingest all of them in the background, as a job."""
    if isinstance(body, platform.JobRequest):
        wanted, key = batch(body), repeat(idempotency_key, body)
        response.status_code = 202
        return await workers.run(
            lambda: described(app, caller, app.intake.accept(caller, wanted, key))
        )
    one = draft(body)
    return ingested(await workers.run(lambda: app.ingestion.ingest(caller.org, one)))
