"""Ingestion: chunk → embed → index → publish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from rag import timing, tokens
from rag.errors import Conflict, DeadlineExceeded, TooLarge, Unavailable
from rag.ingest.chunk import windows
from rag.ingest.embed import embed
from rag.ingest.formats import markdown
from rag.ingest.index import known_embeddings, stage
from rag.ingest.locate import located
from rag.ingest.quota import Quota
from rag.model import ChunkRef, Document, Draft, Ingested, IngestStatus
from rag.ports import Embedder, Index, Write
from rag.stores.documents import (
    Documents,
    HeadMoved,
    Overtaken,
    Staged,
    document_id,
    says_the_same,
)
from rag.timing import stage as timed
from rag.usage import count, counting_failures

CHARACTERS_PER_TOKEN = 8
# Every lost race means that another writer of the same document has won one.
MOST_RACES = 100

# What is to be written with a result.
Also: TypeAlias = Callable[[Ingested], Sequence[Write]]


def nothing_else(_: Ingested) -> Sequence[Write]:
    """The result alone."""
    return ()


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Turns drafts into documents that can be found."""

    documents: Documents
    index: Index
    embedder: Embedder
    longest_text: int  # tokens
    quota: Quota

    def ingest(self, org: str, draft: Draft, also: Also = nothing_else) -> Ingested:
        """Create or replace a document: found whole from now on or, on failure, not at all.

        What `also` makes of the result is written with it, or nothing is. Raises Overtaken."""
        with counting_failures():
            result = self._checked(org, draft, also)
        count(ingested=int(result.status != "unchanged"))
        return result

    def _checked(self, org: str, draft: Draft, also: Also) -> Ingested:
        # A token of prose has four characters. One of dashes has 64, but each dash is embedded.
        too_many = len(draft.text) > CHARACTERS_PER_TOKEN * self.longest_text
        if too_many or not tokens.fits(draft.text, self.longest_text):
            raise TooLarge(
                f"The text has more than {self.longest_text} tokens, the most that is taken at"
                " once: split it. Of an uploaded file more is taken (LONGEST_UPLOAD) than of a"
                " request (LONGEST_TEXT)."
            )
        for _ in range(MOST_RACES):
            try:
                return self._ingest(org, draft, also)
            except HeadMoved:
                continue
        raise _too_many_races()

    def _ingest(self, org: str, draft: Draft, also: Also) -> Ingested:
        current = self.documents.get(org, document_id(draft))
        if current is not None and _is_settled(current, draft):
            settled = _ingested(current, "unchanged")
            self.documents.confirm(org, current, also(settled))
            return settled
        keeps_content = current is not None and says_the_same(current, draft)
        if current is not None and keeps_content:
            # Only what describes the content is new: by the sender's word, the content stays.
            text, marks = self.documents.content(org, current)
            if draft.text == text:
                marks = draft.marks or marks
            draft = replace(draft, text=text, marks=marks)
        self.quota.check(org, draft.size - (current.size if current else 0))
        with timed("chunk"):
            cut = windows(draft.text, draft.chunking.size, draft.chunking.overlap)
            # Text that was sent as it is has headings, too.
            chunks = located(cut, draft.text, draft.marks or markdown.marks(draft.text))
        with timed("embed"):
            known = known_embeddings(self.documents, self.index, org, current)
            embedded = embed(self.embedder, draft.title, chunks, known)
        with timed("index"):
            staged = stage(self.documents, self.index, org, draft, embedded)
        try:
            with timed("publish"):
                return self._publish(org, staged, draft, current, keeps_content, also)
        except (HeadMoved, Overtaken, Conflict, DeadlineExceeded):
            self._retire(org, staged.document)
            raise
        # After any other failure it may be live all the same, and only the sweep can tell.

    def delete(self, org: str, id: str, also: Sequence[Write] = ()) -> bool:
        """Remove a document: no search finds it from now on. False if there was none.

        `also` is written with that, or it is not done. Raises Overtaken."""
        for _ in range(MOST_RACES):
            current = self.documents.get(org, id)
            if current is None:
                return False
            try:
                self.documents.remove(org, current, also)
            except HeadMoved:
                continue
            self._retire(org, current)
            return True
        raise _too_many_races()

    def sweep(self) -> int:
        """Remove for good what was replaced, deleted, or never went live."""
        swept = 0
        for litter in self.documents.abandoned():
            chunks = self.documents.version(litter.org, litter.document, litter.version)
            self.index.delete(litter.org, _entries(litter.document, litter.version, len(chunks)))
            self.documents.erase(litter)
            swept += 1
        return swept

    def _retire(self, org: str, document: Document) -> None:
        """Take a version that is not current out of the index at once: it would still count in
        the statistics of words. If that fails, nobody finds it anyway, and a sweep will do it."""
        with suppress(Unavailable):
            self.index.delete(org, _entries(document.id, document.version, document.chunk_count))

    def _publish(
        self,
        org: str,
        staged: Staged,
        draft: Draft,
        current: Document | None,
        keeps_content: bool,
        also: Also,
    ) -> Ingested:
        """Make the staged version current, over whatever others have made current meanwhile.

        Raises HeadMoved where that would change what the draft means for the content."""
        while True:
            result = _ingested(staged.document, _status(current, draft))
            try:
                self.documents.publish(org, staged, current, also(result))
                break
            except (HeadMoved, Overtaken) as refused:
                moved_to = self.documents.get(org, staged.document.id)
                if moved_to is not None and moved_to.version == staged.document.version:
                    break  # we have moved it ourselves, by a write that was sent again
                if isinstance(refused, Overtaken):
                    raise
                timing.check()
                current = moved_to
                if keeps_content or (current is not None and says_the_same(current, draft)):
                    raise
        if current is not None:
            self._retire(org, current)
        return result


def _too_many_races() -> Conflict:
    return Conflict("The document is being changed by others; try again.")


def _ingested(document: Document, status: IngestStatus) -> Ingested:
    return Ingested(document.id, document.version, document.chunk_count, status)


def _entries(document: str, version: str, chunks: int) -> list[str]:
    return [str(ChunkRef(document, version, index)) for index in range(chunks)]


def _status(current: Document | None, draft: Draft) -> IngestStatus:
    """`status` speaks of the content alone."""
    if current is None:
        return "created"
    return "unchanged" if says_the_same(current, draft) else "updated"


def _is_settled(current: Document, draft: Draft) -> bool:
    """Nothing that the draft says is new."""
    return (
        says_the_same(current, draft)
        and draft.hash in (None, current.hash)
        and (current.title, current.tags) == (draft.title, draft.tags)
        and (current.url, current.chunking) == (draft.url, draft.chunking)
        and current.metadata == dict(draft.metadata)
        and not _has_moved(current, draft)
    )


def _has_moved(current: Document, draft: Draft) -> bool:
    """Whether the very same text is told to be on other pages, or in other sections."""
    return current.digest == draft.digest and draft.places not in ("", current.places)
