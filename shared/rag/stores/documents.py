"""Documents: a head that names the current version, and the chunks of that version.

A new version is written aside, under a note that has it swept away if it never goes live. One
transaction then moves the head, so that readers see the old version whole or the new one whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from rag.clock import Clock, iso, ulid
from rag.errors import ConditionFailed, Conflict, NotFound
from rag.model import (
    DEFAULT_SOURCE,
    Chunk,
    Chunking,
    ChunkRef,
    Document,
    Draft,
    EmbeddedChunk,
    Mark,
    Span,
    StoredChunk,
)
from rag.ports import Absent, Delete, Equals, Item, Items, Key, Present, Put, Update, Write
from rag.stores import layout
from rag.stores.garbage import Garbage, Litter

# Longer than any request or worker may take to put a version live.
STAGED_SECONDS = 3600
# Readers that found a chunk just before its version was replaced still get to read it.
REPLACED_SECONDS = 60
PAGE = 200
# What an index holds of a document, beside its vectors and words, has grown: this tells when.
FIELDS = 2


class HeadMoved(Exception):
    """Somebody else has put another version live."""


class Overtaken(Exception):
    """What was to be written with a change is no longer allowed, so the change was not made."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A version written aside, not live yet."""

    document: Document
    note: Key


def document_id(draft: Draft) -> str:
    """The same source and path in the same data source are the same document."""
    name = json.dumps([draft.data_source, draft.source, draft.path], ensure_ascii=True)
    return f"doc_{sha256(name.encode()).hexdigest()[:32]}"


def says_the_same(current: Document, draft: Draft) -> bool:
    """Whether the content is the same: by the sender's word (its hash), or in fact."""
    return draft.hash == current.hash or draft.digest == current.digest


class Documents:
    """All documents of all orgs; every call names the org."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock
        self._garbage = Garbage(items, clock)

    # Reading

    def get(self, org: str, id: str) -> Document | None:
        """The document as it is now."""
        item = self._items.get(layout.document(org, id))
        return None if item is None else _document(item)

    def get_many(self, org: str, ids: Iterable[str]) -> dict[str, Document]:
        """Those of the documents that are there, by id."""
        found = self._items.get_many(layout.document(org, id) for id in set(ids))
        return {item["id"]: _document(item) for item in found.values()}

    def all(self, org: str, after: str = "") -> Iterator[Document]:
        """Every document beyond `after`, in the order of ids."""
        last = layout.document(org, after).sk if after else ""
        while page := self._items.query(layout.org(org), "DOC#", after=last, limit=PAGE):
            yield from (_document(item) for _, item in page)
            last = page[-1][0]

    def orgs(self) -> list[str]:
        """Every org that has ever had a document."""
        return [item["org"] for _, item in self._items.query(layout.orgs())]

    def epoch(self, org: str) -> int:
        """Differs whenever anything in the org's corpus has changed."""
        item = self._items.get(layout.epoch(org))
        return 0 if item is None else int(item["n"])

    def stored(self, org: str) -> int:
        """How many bytes of text the org has stored."""
        item = self._items.get(layout.epoch(org))
        return 0 if item is None else int(item.get("bytes", 0))

    def outdated(self, org: str, after: str, most: int) -> tuple[list[Document], str | None]:
        """Of the next so many documents beyond `after`, those of which the index holds less than
        it would today, and up to which id that was: None where there are no more."""
        last = layout.document(org, after).sk if after else ""
        rows = self._items.query(layout.org(org), "DOC#", after=last, limit=most)
        old = [_document(item) for _, item in rows if item.get("fields") != FIELDS]
        return old, rows[-1][1]["id"] if len(rows) == most else None

    def chunks(self, org: str, refs: Iterable[ChunkRef]) -> dict[ChunkRef, StoredChunk]:
        """Those of the chunks that are there."""
        keys = {layout.chunk(org, ref): ref for ref in refs}
        found = self._items.get_many(keys)
        return {keys[key]: _stored_chunk(item) for key, item in found.items()}

    def version(self, org: str, id: str, version: str) -> list[StoredChunk]:
        """All chunks of one version, in their order."""
        rows = self._items.query(layout.version(org, id, version))
        return [_stored_chunk(item) for _, item in rows]

    def text(self, org: str, document: Document) -> str:
        """The whole text, put together from its overlapping chunks."""
        return self.content(org, document)[0]

    def content(self, org: str, document: Document) -> tuple[str, tuple[Mark, ...]]:
        """The whole text, and where each part of it was in its file."""
        text, marks = "", dict[Mark, None]()
        for one in self.version(org, document.id, document.version):
            text += one.chunk.text[len(text) - one.chunk.start :]
            marks |= dict.fromkeys(one.chunk.marks)
        return text, tuple(marks)

    # Writing

    def stage(self, org: str, draft: Draft, chunks: Sequence[EmbeddedChunk]) -> Staged:
        """Write a version aside."""
        now = self._clock()
        document = Document(
            id=document_id(draft),
            version=ulid(now),
            hash=draft.hash or draft.digest,
            digest=draft.digest,
            data_source=draft.data_source,
            source=draft.source,
            path=draft.path,
            title=draft.title,
            tags=draft.tags,
            metadata_json=json.dumps(draft.metadata),
            chunk_count=len(chunks),
            created_at=draft.timestamp or iso(now),
            updated_at=draft.timestamp or iso(now),
            url=draft.url,
            size=draft.size,
            chunking=draft.chunking,
            places=draft.places,
        )
        note = self._garbage.note(org, document.id, document.version, STAGED_SECONDS)
        self._items.write_lightly(note)  # it is as lasting as the chunks, which come after it
        self.restate(org, document, chunks)
        return Staged(document, note.key)

    def restate(self, org: str, document: Document, chunks: Sequence[EmbeddedChunk]) -> None:
        """Write the chunks of the document's version, over those that it may have."""
        self._items.write_many(
            Put(
                layout.chunk(org, ChunkRef(document.id, document.version, one.chunk.index)),
                _chunk_item(one),
            )
            for one in chunks
        )

    def publish(
        self, org: str, staged: Staged, current: Document | None, also: Sequence[Write] = ()
    ) -> Document:
        """Make a staged version the current one, and write `also` with it.

        Raises HeadMoved if `current` no longer is, Overtaken if `also` is refused, NotFound if
        its data source is gone."""
        document = staged.document
        if current is not None:
            document = replace(document, created_at=current.created_at)
        writes: list[Write] = [
            Put(layout.document(org, document.id), _head_item(document), when=_is(current)),
            self._garbage.withdraw(staged.note),
            _news(org, document.size - (current.size if current else 0)),
        ]
        if current is None:
            writes.append(Put(layout.org_entry(org), {"org": org}))
            writes.append(_count(org, document, 1))
        else:
            writes.append(self._forget(org, current))
        source = _source_is_there(org, document.data_source)
        try:
            self._items.write(*writes, *source, *also)
        except ConditionFailed as refused:
            if source and len(writes) in refused.failed:
                raise NotFound(f"There is no data source {document.data_source}.") from refused
            if max(refused.failed) >= len(writes) + len(source):
                raise Overtaken from refused
            if 0 in refused.failed:
                raise HeadMoved from refused
            raise Conflict("The document took too long to prepare; send it again.") from refused
        return document

    def updated(self, org: str, document: Document) -> bool:
        """The index now holds of it what it would today, so answers may be others. False if this
        is no longer its version."""
        now = Update(layout.document(org, document.id), set={"fields": FIELDS}, when=_is(document))
        try:
            self._items.write(now, _news(org, 0))
        except ConditionFailed:
            return False
        return True

    def confirm(self, org: str, current: Document, also: Sequence[Write]) -> None:
        """Write `also`, as long as the document stays as it is.

        Raises HeadMoved if `current` no longer is, Overtaken if `also` is refused."""
        if not also:
            return
        try:
            same = Update(layout.document(org, current.id), when=_is(current))
            self._items.write(same, *also)
        except ConditionFailed as refused:
            raise (Overtaken if max(refused.failed) else HeadMoved) from refused

    def remove(self, org: str, current: Document, also: Sequence[Write] = ()) -> None:
        """Leave the document without any version, and write `also` with that.

        Raises HeadMoved if `current` no longer is, Overtaken if `also` is refused."""
        writes: list[Write] = [
            Delete(layout.document(org, current.id), when=_is(current)),
            _news(org, -current.size),
            self._forget(org, current),
            _count(org, current, -1),
        ]
        try:
            self._items.write(*writes, *also)
        except ConditionFailed as refused:
            if max(refused.failed) >= len(writes):
                raise Overtaken from refused
            raise HeadMoved from refused

    def abandoned(self) -> Iterator[Litter]:
        """Versions that are due to be removed and are not live."""
        for litter in self._garbage.due():
            current = self.get(litter.org, litter.document)
            if current is not None and current.version == litter.version:
                self._garbage.done(litter)
            else:
                yield litter

    def erase(self, litter: Litter) -> None:
        """Remove the chunks of a version, and the note about it last."""
        pk = layout.version(litter.org, litter.document, litter.version)
        self._items.write_many([Delete(Key(pk, sk)) for sk, _ in self._items.query(pk)])
        self._garbage.done(litter)

    def _forget(self, org: str, replaced: Document) -> Put:
        return self._garbage.note(org, replaced.id, replaced.version, REPLACED_SECONDS)


def _news(org: str, growth: int) -> Write:
    """The corpus is another one, by so many bytes of text larger."""
    return Update(layout.epoch(org), add={"n": 1, "bytes": growth})


def _count(org: str, document: Document, by: int) -> Write:
    return Update(layout.document_count(org, document.data_source), add={"n": by})


def _source_is_there(org: str, id: str) -> tuple[Write, ...]:
    """A write that changes nothing, and fails once the data source is deleted."""
    return () if id == DEFAULT_SOURCE else (Update(layout.source(org, id), when=Present()),)


def _is(current: Document | None) -> Absent | Equals:
    return Absent() if current is None else Equals("version", current.version)


def _head_item(document: Document) -> Item:
    return {
        "id": document.id,
        "version": document.version,
        "hash": document.hash,
        "digest": document.digest,
        "dataSource": document.data_source,
        "source": document.source,
        "path": document.path,
        "title": document.title,
        "tags": list(document.tags),
        # As text: callers get back what they sent, whatever numbers a table can hold.
        "metadata": document.metadata_json,
        "chunkCount": document.chunk_count,
        "createdAt": document.created_at,
        "updatedAt": document.updated_at,
        "url": document.url,
        "size": document.size,
        "chunking": [document.chunking.size, document.chunking.overlap],
        "places": document.places,
        "fields": FIELDS,
    }


def _document(item: Item) -> Document:
    return Document(
        id=item["id"],
        version=item["version"],
        hash=item["hash"],
        digest=item["digest"],
        data_source=item["dataSource"],
        source=item["source"],
        path=item["path"],
        title=item["title"],
        tags=tuple(item["tags"]),
        metadata_json=item["metadata"],
        chunk_count=int(item["chunkCount"]),
        created_at=item["createdAt"],
        updated_at=item["updatedAt"],
        url=item.get("url"),
        size=int(item.get("size", 0)),
        chunking=Chunking(*map(int, item.get("chunking", ()))),
        places=item.get("places", ""),
    )


def _chunk_item(embedded: EmbeddedChunk) -> Item:
    states = [passage.embedding.states for passage in embedded.passages]
    return {
        "index": embedded.chunk.index,
        "start": embedded.chunk.start,
        "end": embedded.chunk.end,
        "text": embedded.chunk.text,
        "marks": [_told(mark) for mark in embedded.chunk.marks],
        "context": embedded.chunk.context,
        "passages": [list(passage.span) for passage in embedded.passages],
        "states": [one for one in states if one is not None],
    }


def _stored_chunk(item: Item) -> StoredChunk:
    return StoredChunk(
        chunk=Chunk(
            index=int(item["index"]),
            start=int(item["start"]),
            end=int(item["end"]),
            text=item["text"],
            marks=tuple(_mark(told) for told in item.get("marks", ())),
            context=item.get("context", ""),
        ),
        passages=tuple(Span(int(start), int(end)) for start, end in item["passages"]),
        states=tuple(item["states"]),
    )


def _told(mark: Mark) -> list[Any]:
    header = None if mark.header is None else list(mark.header)
    return [mark.start, mark.page, list(mark.section), header]


def _mark(told: list[Any]) -> Mark:
    start, page, section, header = told
    return Mark(
        start=int(start),
        page=None if page is None else int(page),
        section=tuple(section),
        header=None if header is None else Span(*map(int, header)),
    )
