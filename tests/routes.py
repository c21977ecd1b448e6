"""Every route that a server serves, so that no test over all of them forgets a new one."""

from __future__ import annotations

from fastapi.routing import iter_route_contexts

from tests.conftest import Server


def routes(server: Server) -> set[tuple[str, str]]:
    """Method and path, of mounted files too; HEAD aside: it is GET without the body."""
    return {
        (method, route.path or "")
        for route in iter_route_contexts(server.app.routes)
        for method in route.methods or ["GET"]
        if method != "HEAD"
    }
