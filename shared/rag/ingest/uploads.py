"""Uploads: whatever happens to an object, its document comes to agree with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from rag.clock import iso, ulid
from rag.errors import Invalid, NotFound, ParseError, TooLarge
from rag.identity import ORG
from rag.ingest.describe import SIDECAR, describe
from rag.ingest.parse import Parser
from rag.ingest.pipeline import Ingestion
from rag.job import Failure, Job, Result
from rag.model import Change, Draft, Ingested
from rag.ports import ObjectHead, Objects, Write
from rag.stores.documents import Overtaken, document_id
from rag.stores.jobs import Jobs
from rag.stores.sources import Sources
from rag.stores.uploads import Claim, Uploads
from rag.usage import counting_failures

PREFIX = "uploads/"
# What v3 shows as the source of documents that were uploaded.
SOURCE = "uploads"
LARGEST_SIDECAR = 1_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where an upload belongs, as its key says."""

    key: str
    org: str
    data_source: str
    path: str

    @property
    def draft(self) -> Draft:
        """The document that it is, with nothing in it yet."""
        return Draft(SOURCE, f"/{self.path}", "", "", data_source=self.data_source)


def place(key: str) -> Place:
    """`uploads/<org>/<data source>/<any/path.ext>`. Raises Invalid for any other key."""
    org, source, path = (*key.removeprefix(PREFIX).split("/", 2), "", "")[:3]
    if not (key.startswith(PREFIX) and ORG.fullmatch(org) and source and path):
        raise Invalid("key", f"{key[:200]!r} is not {PREFIX}<org>/<data source>/<path>")
    return Place(key, org, source, path)


@dataclass(frozen=True, slots=True)
class Following:
    """Follows what happens to uploaded objects."""

    objects: Objects
    sources: Sources
    uploads: Uploads
    jobs: Jobs
    parser: Parser
    largest_file: int  # bytes
    # Made when it is needed: where the index does not answer, that is one message's failure, which
    # comes again soon, and not the worker's.
    ingestion: Callable[[], Ingestion]

    def follow(self, change: Change) -> None:
        """Look at the object as it is now, and have its document agree. Raises FootnoteError."""
        about_sidecar = change.key.endswith(SIDECAR)
        key = change.key.removesuffix(SIDECAR)
        if key.endswith(("/", SIDECAR)):
            return  # what consoles show as a folder, or a sidecar: neither is a document
        upload = place(key)
        before = self.jobs.get(upload.org, _job_id(change))
        if before is not None and before.status == "completed":
            # Delivered twice: to be opened again, it could fail though its document is there.
            return
        sequencer = "" if about_sidecar else change.sequencer
        while True:
            claim = self.uploads.claim(upload.org, upload.key, sequencer)
            found = self.objects.head(upload.key) if claim else None
            if claim is None or found is None:
                if claim is not None:
                    self._remove(upload, claim)
                # Nobody will finish what an earlier try may have begun.
                self.jobs.end(upload.org, _job_id(change), 0, "superseded")
                return
            begun = Result(upload.path, "processing", fence=str(claim.number))
            job = self._job(upload, change)
            with suppress(Overtaken):
                if self.jobs.restart(upload.org, job, begun, self.uploads.held(claim)):
                    self._ingest(upload, found, claim, job.id, begun)
                return

    def give_up(self, change: Change, failure: Failure) -> None:
        """Say in the upload's job why nothing came of it. Raises Invalid where it has no place."""
        upload = place(change.key.removesuffix(SIDECAR))
        failed = Result(upload.path, "failed", failure=failure)
        self.jobs.restart(upload.org, self._job(upload, change), failed)

    def _remove(self, upload: Place, claim: Claim) -> None:
        gone = self.uploads.gone(claim)
        with suppress(Overtaken):
            if not self.ingestion().delete(upload.org, document_id(upload.draft), also=[gone]):
                self.uploads.forget(claim)

    def _ingest(
        self, upload: Place, found: ObjectHead, claim: Claim, job: str, begun: Result
    ) -> None:
        def settle(done: Ingested) -> Sequence[Write]:
            result = begun.indexed(done, draft.cautions)
            return self.uploads.settled(claim), *self.jobs.finish(upload.org, job, 0, result)

        try:
            with counting_failures():
                draft = self._read(upload, found)
            self.ingestion().ingest(upload.org, draft, also=settle)
        except Overtaken:
            # By something newer; or by the same event, delivered twice, whose job says more.
            self.jobs.close(upload.org, job, 0, replace(begun, status="superseded"))

    def _read(self, upload: Place, found: ObjectHead) -> Draft:
        if not self._has_source(upload):
            raise NotFound(f"There is no data source {upload.data_source[:100]}.")
        if found.size > self.largest_file:
            raise TooLarge(
                f"{upload.path} has {found.size} bytes, more than {self.largest_file}"
                " (the limit is LARGEST_FILE)."
            )
        sidecar = self.objects.head(upload.key + SIDECAR)
        if sidecar is not None and sidecar.size > LARGEST_SIDECAR:
            raise ParseError(f"{upload.path}{SIDECAR} has more than {LARGEST_SIDECAR} bytes.")
        about = describe(
            upload.path,
            self.objects.get(upload.key + SIDECAR) if sidecar else None,
            found.metadata,
        )
        data = self.objects.get(upload.key)
        if data is None:
            raise Overtaken  # it is gone since, and there will be word of that
        parsed = self.parser.parse(upload.path, found.media_type, data)
        return replace(
            upload.draft,
            title=about.title or parsed.title,
            text=parsed.text,
            tags=about.tags,
            metadata={**parsed.properties, **about.metadata},
            marks=parsed.marks,
            cautions=parsed.cautions,
        )

    def _has_source(self, upload: Place) -> bool:
        return self.sources.get(upload.org, upload.data_source) is not None

    def _job(self, upload: Place, change: Change) -> Job:
        """The same event has the same job, however often it comes."""
        id = _job_id(change)
        source: str | None = upload.data_source
        if not self._has_source(upload):
            # Deleted meanwhile? Then it does not become a job of no source, which others may see.
            known = self.jobs.get(upload.org, id)
            source = known.data_source if known else None
        return Job(
            id=id,
            data_source=source,
            created_at=iso(change.at),
            updated_at=iso(change.at),
            name=upload.path,
            total=1,
        )


def _job_id(change: Change) -> str:
    return f"job_{ulid(change.at, of=f'{change.key} {change.sequencer}')}"
