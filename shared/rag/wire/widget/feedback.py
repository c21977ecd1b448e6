"""What visitors think of the answers, for those whose sites gave them."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from rag.access import ADMIN
from rag.answering import Outcome
from rag.errors import NotFound
from rag.stores.answers import Rated
from rag.wire.caller import App, Caller
from rag.wire.fields import Flag, between
from rag.wire.widget.route import LIMITED, router
from rag.wire.widget.schema import SessionId
from rag.wire.widget.sites import managed
from rag.wire.widget.visitors import admit, visited_site

feedback = router("Widget")


class FeedbackRequest(BaseModel):
    """Whether an answer helped whoever asked."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "answer_id": "ans_01JD0000000000000000000000",
                "session_id": "550e8400-e29b-41d4-a716-446655440000",
                "helpful": False,
                "comment": "It is out of date.",
            }
        }
    )

    answer_id: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    session_id: SessionId
    helpful: Flag
    comment: Annotated[str, StringConstraints(max_length=2000)] | None = None


class FeedbackReceived(BaseModel):
    """It is noted, in the place of what the same session said before."""

    status: Literal["received"] = "received"


class FeedbackSource(BaseModel):
    """A source that was shown beside the answer."""

    id: str
    title: str
    url: str


class Feedback(BaseModel):
    """An answer that was rated; or that nobody rated and the documents did not hold."""

    answer_id: str
    site: str
    question: str
    outcome: Outcome
    sources: list[FeedbackSource]
    helpful: bool | None = Field(description="`null`: nobody said")
    comment: str | None
    page_url: str | None
    created_at: str


class FeedbackPage(BaseModel):
    """Newest first."""

    feedback: list[Feedback]
    next: str | None = Field(description="`after` of the following page")


@feedback.post("/api/v1/feedback", responses=LIMITED)
def rate_answer(body: FeedbackRequest, app: App, request: Request) -> FeedbackReceived:
    """Say whether an answer helped: whoever was given it, on that site's pages, within a day."""
    site = visited_site(request, app)
    admit(request, app, "feedback")
    if not app.answers.rate(body.answer_id, site.id, body.session_id, body.helpful, body.comment):
        raise NotFound("There is no such answer, or none that this session may rate.")
    return FeedbackReceived()


@feedback.get("/api/v1/feedback")
def list_feedback(
    caller: Caller,
    app: App,
    limit: Annotated[int, between(1, 100)] = 20,
    after: Annotated[str, Query(max_length=128)] = "",
) -> FeedbackPage:
    """List what visitors of your sites thought, and what they were not answered; admins see that
    of the whole org. `next` of a page is `after` of the following one."""
    rows = app.answers.rated(caller.org, after)
    if ADMIN not in caller.roles:
        own = {site.id for site in managed(caller, app)}
        rows = (row for row in rows if row.site in own) if own else iter(())
    page = list(islice(rows, limit + 1))
    return FeedbackPage(
        feedback=[told(row) for row in page[:limit]],
        next=page[limit - 1].id if len(page) > limit else None,
    )


def told(row: Rated) -> Feedback:
    """The row as the site's owner sees it."""
    return Feedback(
        answer_id=row.id,
        site=row.site,
        question=row.question,
        outcome=row.outcome,
        sources=[FeedbackSource.model_validate(source) for source in row.sources],
        helpful=row.helpful,
        comment=row.comment,
        page_url=row.page,
        created_at=row.created_at,
    )
