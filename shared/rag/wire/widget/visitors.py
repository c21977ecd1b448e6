"""Who visits, by which site, and how often yet: the same for everything that visitors may do."""

from __future__ import annotations

from fastapi import Request

from rag.errors import NotFound, OriginRefused
from rag.footnote import Footnote
from rag.limits import visitor
from rag.model import Site


def visited_site(request: Request, app: Footnote) -> Site:
    """The site that the page says, or the deployment's own. Raises NotFound, or OriginRefused."""
    site = app.sites.get(request.headers.get("x-site") or app.policy.default_site)
    if site is None:
        raise NotFound("There is no such site.")
    origin = request.headers.get("origin")
    if origin is not None and site.origins is not None and origin not in site.origins:
        request.state.refused_origin = True  # so that its pages cannot read even this
        raise OriginRefused("Pages of this origin may not call for this site.")
    request.state.org = site.org  # whose usage it is, whoever asks
    return site


def admit(request: Request, app: Footnote, what: str) -> None:
    """Count the visitor's call, and tell it in headers. Raises RateLimited."""
    state = request.state
    admission = app.limits.admit(visitor(state.principal, state.address), what)
    if admission.limit is not None:
        state.limits = {
            "X-RateLimit-Limit": str(admission.limit),
            "X-RateLimit-Remaining": str(admission.remaining),
        }
