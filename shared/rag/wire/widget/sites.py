"""Sites: whose pages may ask, and of what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import AddressValueError, IPv6Address
from typing import Annotated, Any

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from rag.access import may_know, may_manage, may_publish
from rag.errors import Invalid, NotFound, PermissionDenied
from rag.footnote import Footnote
from rag.model import Principal, Site
from rag.wire.caller import App, Caller
from rag.wire.fields import Name, small_json
from rag.wire.router import failures
from rag.wire.validation import Broken
from rag.wire.widget.errors import WidgetErrorResponse
from rag.wire.widget.route import router

sites = router("Widget")

LARGEST_LOOK = 4096
ORIGIN = re.compile(
    r"(https?)://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[([0-9a-f:]+)\])(?::([1-9][0-9]{0,4}))?"
)
DEFAULT_PORTS = {"http": 80, "https": 443}
MAKING = failures({409: "The org has as many sites as it can"}, WidgetErrorResponse)


def as_browsers_write(text: str) -> str:
    """An origin in the one way in which it comes with a page's calls."""
    match = ORIGIN.fullmatch(text)
    port = int(match[3] or 0) if match else 0
    if match is None or port == DEFAULT_PORTS[match[1]] or port > 65535 or not _is_host(match[2]):
        raise Broken(
            "origin",
            "must be an origin such as https://docs.example: lower case, with neither a path"
            " nor the scheme's own port",
        )
    return text


def _is_host(address: str | None) -> bool:
    """Whether the address, where one is in place of a name, is one, and as short as it can be."""
    try:
        return address is None or str(IPv6Address(address)) == address
    except AddressValueError:
        return False


Origin = Annotated[str, StringConstraints(max_length=300), AfterValidator(as_browsers_write)]
SourceId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
SiteId = Annotated[str, Path(alias="siteId")]


class SiteRequest(BaseModel):
    """A site to make."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "name": "Handbook",
                "origins": ["https://docs.example"],
                "data_sources": ["src_01JD0000000000000000000000"],
                "look": {"accent": "#205080"},
            }
        }
    )

    name: Name
    origins: Annotated[list[Origin], Field(min_length=1, max_length=50)] = Field(
        description="Whose pages may call, as browsers write it"
    )
    data_sources: Annotated[list[SourceId], Field(max_length=50)] = Field(
        description="What its visitors are answered from, as long as it is public"
    )
    look: Annotated[dict[str, Any], small_json(LARGEST_LOOK)] | None = None


class SiteResponse(BaseModel):
    """A site; its id is no secret."""

    id: str
    name: str
    origins: list[str]
    data_sources: list[str]
    look: dict[str, Any]
    owner: str | None
    created_at: str | None


class SitesResponse(BaseModel):
    """The sites that the caller may delete."""

    sites: list[SiteResponse]


class SiteDeletedResponse(BaseModel):
    """Its visitors are answered no more."""

    id: str


class LookResponse(BaseModel):
    """How a site's widget shall look."""

    id: str
    name: str
    look: dict[str, Any]


@sites.post("/api/v1/sites", status_code=201, responses=MAKING)
def create_site(body: SiteRequest, caller: Caller, app: App) -> SiteResponse:
    """Register a site: visitors of its pages may ask, and are answered from what it lists."""
    listed = tuple(dict.fromkeys(body.data_sources))
    _check_may_be_published(body.data_sources, caller, app)
    origins = tuple(dict.fromkeys(body.origins))
    look = body.look or {}
    return told(app.sites.create(caller.org, caller.sub, body.name, origins, listed, look))


@sites.get("/api/v1/sites")
def list_sites(caller: Caller, app: App) -> SitesResponse:
    """List your sites; admins see all of the org."""
    return SitesResponse(sites=[told(site) for site in managed(caller, app)])


@sites.delete("/api/v1/sites/{siteId}")
def delete_site(id: SiteId, caller: Caller, app: App) -> SiteDeletedResponse:
    """Delete a site: from now on its pages may not call."""
    site = app.sites.get(id)
    there = site is not None and may_manage(caller, site) and app.sites.delete(site.org, site.id)
    if not there:
        raise _unknown(id)
    return SiteDeletedResponse(id=id)


@sites.get("/api/v1/sites/{siteId}/look")
def read_look(id: SiteId, app: App) -> LookResponse:
    """Tell anybody how a site's widget shall look."""
    site = app.sites.get(id)
    if site is None:
        raise _unknown(id)
    return LookResponse(id=site.id, name=site.name, look=dict(site.look))


def managed(caller: Principal, app: Footnote) -> list[Site]:
    """The sites that are the caller's matter."""
    return [site for site in app.sites.all(caller.org) if may_manage(caller, site)]


def told(site: Site) -> SiteResponse:
    """The site as its owner sees it."""
    return SiteResponse(
        id=site.id,
        name=site.name,
        origins=list(site.origins or ()),
        data_sources=list(site.data_sources),
        look=dict(site.look),
        owner=site.owner,
        created_at=site.created_at,
    )


def _check_may_be_published(ids: Sequence[str], caller: Principal, app: Footnote) -> None:
    sources = {source.id: source for source in app.sources.all(caller.org)}
    for position, id in enumerate(ids):
        source = sources.get(id)
        if source is None or not may_know(caller, source):
            raise NotFound(f"There is no data source {id[:100]}.")
        if not may_publish(caller, source):
            raise PermissionDenied("Only its owner and admins may publish this data source.")
        if source.access.visibility != "public":
            field = f"data_sources.{position}"
            raise Invalid(field, f"{field} must be a public data source", "public_source")


def _unknown(id: str) -> NotFound:
    return NotFound(f"There is no site {id[:100]}.")
