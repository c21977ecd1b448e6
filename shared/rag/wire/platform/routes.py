"""Platform's routes, in one router per function that serves them."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from fastapi import Query

from rag.access import visible_sources
from rag.errors import NotFound
from rag.model import Principal
from rag.stores.jobs import Job
from rag.wire.caller import App, Caller
from rag.wire.fields import between
from rag.wire.platform import schema, translate
from rag.wire.router import router

jobs = router("Jobs")


@jobs.get("/api/rag/ingest")
def list_jobs(
    caller: Caller,
    app: App,
    limit: Annotated[int, between(1, 100)] = 20,
    after: Annotated[str, Query(max_length=128)] = "",
) -> schema.JobsResponse:
    """List the jobs, newest first; `next` of a page is `after` of the following one."""
    seen = (job for job in app.jobs.latest(caller.org, after) if _may_see(caller, job))
    page = list(islice(seen, limit + 1))
    return schema.JobsResponse(
        jobs=[translate.job(one) for one in page[:limit]],
        next=page[limit - 1].id if len(page) > limit else None,
    )


@jobs.get("/api/rag/ingest/{jobId}")
def read_job(jobId: str, caller: Caller, app: App) -> schema.JobResponse:
    """Tell how far a job is, and what became of each of its documents."""
    job = app.jobs.get(caller.org, jobId)
    if job is None or not _may_see(caller, job):
        raise NotFound(f"There is no job {jobId[:100]}.")
    return translate.job(job)


def _may_see(caller: Principal, job: Job) -> bool:
    return job.data_source is None or job.data_source in visible_sources(caller)
