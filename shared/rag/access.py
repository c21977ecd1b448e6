"""Who may see what: pure functions of the caller and the data source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from rag.errors import NoAccessibleSources, NotFound
from rag.model import DEFAULT_SOURCE, Condition, Principal, Site, Source, Where

ADMIN = "admin"


def may_query(principal: Principal, source: Source) -> bool:
    """The owner always may; beyond that, the source's visibility alone decides. Visitors of a site
    see what it lists, as long as it is public."""
    if principal.only is not None:
        return source.id in principal.only and source.access.visibility == "public"
    if source.owner == principal.sub:
        return True
    match source.access.visibility:
        case "public":
            return True
        case "role":
            return not principal.roles.isdisjoint(source.access.roles)
        case "team":
            return not principal.teams.isdisjoint(source.access.teams)
        case "private":
            return principal.sub in source.access.users
        case "personal":
            return False
        case _:
            assert_never(source.access.visibility)


def may_write(principal: Principal, source: Source) -> bool:
    """Ingest to it: the owner and admins; to the default source, every member."""
    if source.id == DEFAULT_SOURCE:
        return principal.only is None
    return may_change(principal, source)


def may_change(principal: Principal, source: Source) -> bool:
    """Rename it, open it to others, delete it. The default source stays as it is, and visitors
    change nothing, whatever they are called."""
    if source.id == DEFAULT_SOURCE or principal.only is not None:
        return False
    return source.owner == principal.sub or ADMIN in principal.roles


def may_know(principal: Principal, source: Source) -> bool:
    """For everyone else, there is no such source; visitors are told of none by its name."""
    seen = may_query(principal, source) or may_change(principal, source)
    return seen and principal.only is None


def may_watch(
    principal: Principal, sender: str | None, source: str | None, visible: frozenset[str]
) -> bool:
    """See a job: whoever may query what it is for, and its sender. The name of a file that was
    dropped beside every source, or into one that is gone by now, is for admins alone."""
    if source is None:
        return ADMIN in principal.roles
    return source in visible or sender == principal.sub


def may_cancel(principal: Principal, sender: str | None, source: Source | None) -> bool:
    """Stop a job that one sees: its sender, the owner of what it is for, and admins."""
    owns = source is not None and source.owner == principal.sub
    return owns or sender == principal.sub or ADMIN in principal.roles


def queryable(principal: Principal, sources: Iterable[Source]) -> frozenset[str]:
    """The data sources whose documents the caller may see."""
    return frozenset(source.id for source in sources if may_query(principal, source))


def narrowed(visible: frozenset[str], wanted: frozenset[str] | None) -> frozenset[str]:
    """Those of the visible data sources that a caller asks for; all of them if it names none.

    Raises NotFound for one that there is not, or not for this caller's eyes."""
    if not visible:
        raise NoAccessibleSources("There is no data source that you may query.")
    if hidden := sorted((wanted or frozenset()) - visible):
        raise NotFound(f"There is no data source {hidden[0][:100]}.")
    return wanted or visible


def may_publish(principal: Principal, source: Source) -> bool:
    """Let a site's visitors see it: whoever may change it; of the default source, admins."""
    if source.id == DEFAULT_SOURCE:
        return ADMIN in principal.roles and principal.only is None
    return may_change(principal, source)


def may_manage(principal: Principal, site: Site) -> bool:
    """See a site in the list, read what its visitors thought, delete it: its owner and admins."""
    owns = site.owner == principal.sub or ADMIN in principal.roles
    return owns and site.org == principal.org


def visitor_of(site: Site) -> Principal:
    """Whoever asks on a site's pages."""
    return Principal(f"site:{site.id}", site.org, only=frozenset(site.data_sources))


def within(sources: frozenset[str], where: Where) -> Where:
    """The filter, narrowed to those data sources."""
    return (Condition("data_source", sources), *where)
