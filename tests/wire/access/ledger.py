"""What the contract says about access, kept by hand beside the server: its word against ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

VISIBILITIES = ("public", "role", "team", "private", "personal")
# The same words name roles, teams and people: whoever confuses them lets the wrong ones in.
NAMES = ("admin", "hr", "blue", "ann", "bob")


@dataclass(eq=False)
class Source:
    """A data source. Its mark is part of its name, and of nothing else."""

    id: str
    mark: str
    owner: str | None
    visibility: str
    roles: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return f"Files {self.mark}" if self.mark else "Default"

    def change(self, body: dict[str, Any]) -> bool:
        """Be as a body says; what it does not name stays. False where it is to be refused."""
        visibility = body.get("visibility", self.visibility)
        roles, teams, users = (
            frozenset(body.get(name, getattr(self, name))) for name in ("roles", "teams", "users")
        )
        if (visibility == "role" and not roles) or (visibility == "team" and not teams):
            return False
        self.visibility, self.roles, self.teams, self.users = visibility, roles, teams, users
        self.mark = body["name"].split()[-1] if "name" in body else self.mark
        return True

    def described(self, count: int) -> dict[str, Any]:
        """As those are told of it who know it; when it was made aside."""
        lists = {name: sorted(getattr(self, name)) for name in ("roles", "teams", "users")}
        about = {"id": self.id, "name": self.name, "visibility": self.visibility}
        return {**about, **lists, "owner": self.owner, "documentCount": count}


@dataclass(eq=False)
class Document:
    """A document. One mark is in its path for as long as it lives, one in its text and title."""

    data_source: str
    source: str
    path: str
    path_mark: str
    mark: str
    text: str
    tags: tuple[str, ...] = ()
    id: str = ""  # not given yet
    citation: str = ""  # by which visitors know it, once they were shown it

    def passes(self, source: str | None, tags: Iterable[str]) -> bool:
        """Whether a search or a list with these filters has it: with any of the tags."""
        return source in (None, self.source) and (not tags or bool({*tags} & {*self.tags}))


@dataclass(eq=False)
class Job:
    """A job: queued, completed, failed or cancelled. One for a dropped file has no sender, and
    where that was dropped beside every source, it has no source either."""

    id: str
    data_source: str | None
    sender: str | None
    documents: list[Document]
    state: str = "queued"

    def names(self) -> Iterator[str]:
        """What may be told to those who watch it."""
        yield self.id
        for document in self.documents:
            yield from (document.id, document.path_mark, document.data_source)


@dataclass(eq=False)
class Upload:
    """A file that came by a form, to which documents may refer: they share its mark."""

    data_source: str
    sender: str
    text: str
    mark: str


@dataclass(eq=False)
class Site:
    """A site. Its mark is part of its name, and of nothing else."""

    id: str
    mark: str
    owner: str
    sources: list[str]

    @property
    def name(self) -> str:
        return f"Site {self.mark}"


@dataclass(eq=False)
class Answer:
    """What a visitor was answered: where, to whom, and all names in it and in its question.
    Owners are told of it once it is rated, or at once where it was none."""

    id: str
    site: str
    session: str
    names: set[str]
    noted: bool


@dataclass(eq=False)
class Org:
    """All that an org has."""

    name: str
    sources: dict[str, Source] = field(
        default_factory=lambda: {"default": Source("default", "", None, "public")}
    )
    documents: dict[str, Document] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)
    sites: dict[str, Site] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    used: Counter[str] = field(default_factory=Counter)  # searches, questions

    def within(self, source: str) -> list[Document]:
        return [one for one in self.documents.values() if one.data_source == source]


@dataclass(eq=False)
class Person:
    """A member of an org, with the roles and teams of the moment."""

    org: Org
    sub: str
    roles: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    # Conversations, and what was told in each: whoever may no longer see a document has read it.
    conversations: dict[str, set[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.sub}@{self.org.name} roles={[*self.roles]} teams={[*self.teams]}"

    __repr__ = __str__

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles

    def may_query(self, id: str) -> bool:
        """The owner always; beyond that, visibility alone decides."""
        source = self.org.sources.get(id)
        if source is None:
            return False
        insiders = {
            "public": True,
            "role": bool(self.roles & source.roles),
            "team": bool(self.teams & source.teams),
            "private": self.sub in source.users,
            "personal": False,
        }
        return self.sub == source.owner or insiders[source.visibility]

    def may_change(self, id: str) -> bool:
        """The owner, and members with the role admin; the default source is nobody's."""
        source = self.org.sources.get(id)
        if source is None or id == "default":
            return False
        return self.sub == source.owner or self.is_admin

    def may_write(self, id: str) -> bool:
        """Who may change it; and any member to the default source."""
        return id == "default" or self.may_change(id)

    def knows(self, id: str) -> bool:
        """To all others there is no such source."""
        return self.may_query(id) or self.may_change(id)

    def may_watch(self, job: Job) -> bool:
        """Its sender, and who may query what it is for; what is for nothing is for admins."""
        if job.data_source is None:
            return self.is_admin
        return job.sender == self.sub or self.may_query(job.data_source)

    def may_cancel(self, job: Job) -> bool:
        """Of those who watch it: its sender, the owner of what it is for, and admins."""
        source = self.org.sources.get(job.data_source or "")
        owns = source is not None and source.owner == self.sub
        return owns or self.is_admin or job.sender == self.sub

    def may_refer_to(self, id: str) -> bool:
        """To a file: who has sent it, and who may query what it was sent for."""
        upload = self.org.uploads.get(id)
        return upload is not None and (
            upload.sender == self.sub or self.may_query(upload.data_source)
        )

    def may_publish(self, id: str) -> bool:
        """Let visitors see it: who may change it; of the default source, admins."""
        return self.is_admin if id == "default" else self.may_change(id)

    def manages(self, id: str) -> bool:
        """To all others there is no such site, though anybody may visit it."""
        site = self.org.sites.get(id)
        return site is not None and (site.owner == self.sub or self.is_admin)

    def feedback(self) -> dict[str, Answer]:
        """What was noted of the person's sites, or for admins of all, those that are gone too."""
        return {
            id: one
            for id, one in self.org.answers.items()
            if one.noted and (self.is_admin or self.manages(one.site))
        }

    def sources(self) -> list[Source]:
        return [one for id, one in self.org.sources.items() if self.knows(id)]

    def documents(self) -> dict[str, Document]:
        everything = self.org.documents.items()
        return {id: one for id, one in everything if self.may_query(one.data_source)}

    def jobs(self) -> dict[str, Job]:
        return {id: one for id, one in self.org.jobs.items() if self.may_watch(one)}

    def may_be_told(self) -> set[str]:
        """Every name that may stand in an answer to this person."""
        return {*self._names(), *self.conversations}

    def _names(self) -> Iterator[str]:
        for source in self.sources():
            yield from (source.id, source.mark)
        for document in self.documents().values():
            yield from (document.id, document.path_mark, document.mark)
        for job in self.jobs().values():
            yield from job.names()
        for site in filter(lambda one: self.manages(one.id), self.org.sites.values()):
            yield from (site.id, site.mark, *site.sources)
        for answer in self.feedback().values():
            yield from (answer.id, answer.site, *answer.names)


@dataclass(eq=False)
class Visitor(Person):
    """Somebody on a site's pages: a member of whatever org sees what the site lists, as long as
    that is public, and is told no name by which members know it."""

    home: Org | None = None  # the site's
    site: Site | None = None

    def shown(self) -> list[Document]:
        if self.home is None or self.site is None:
            return []
        listed = [self.home.sources[id] for id in self.site.sources if id in self.home.sources]
        public = [one.id for one in listed if one.visibility == "public"]
        return [document for id in public for document in self.home.within(id)]

    def _names(self) -> Iterator[str]:
        if self.site is not None:
            yield from (self.site.id, self.site.mark)
        for document in self.shown():
            yield from (document.path_mark, document.mark, document.citation)
