"""The nouns of the core: callers, documents, chunks, questions, hits."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:  # who only says who is calling, or lists jobs, has no vectors
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
Tier: TypeAlias = Literal["anonymous", "lightweight", "full", "premium"]
Visibility: TypeAlias = Literal["public", "role", "team", "private", "personal"]
IngestStatus: TypeAlias = Literal["created", "updated", "unchanged"]
CautionCode: TypeAlias = Literal["FORMAT_MISMATCH", "PARTLY_READ"]
FieldValue: TypeAlias = str | float | tuple[str, ...]

# The data source of every org that all members see and any member or key may write.
DEFAULT_SOURCE = "default"


@dataclass(frozen=True, slots=True)
class Access:
    """Who beside the owner may query a data source."""

    visibility: Visibility
    roles: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Source:
    """A data source: documents that the same people may query."""

    id: str
    name: str
    access: Access
    owner: str | None  # the default one is nobody's
    created_at: str | None


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling: every key and every query is inside `org`. A visitor of a site sees `only`
    what it lists."""

    sub: str
    org: str
    tier: Tier = "full"
    roles: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """A web site whose visitors may ask, and the data sources that they are answered from."""

    id: str
    org: str
    name: str
    origins: tuple[str, ...] | None  # None: pages of any origin
    data_sources: tuple[str, ...]
    look: Mapping[str, Any]
    owner: str | None
    created_at: str | None


class Span(NamedTuple):
    """A half-open range: of characters in a text, of bytes in an object."""

    start: int
    end: int


class Mark(NamedTuple):
    """From `start` on in a text: where that is in the file it was read from."""

    start: int
    page: int | None = None  # of slides, the slide
    section: tuple[str, ...] = ()  # the headings over it, outermost first
    header: Span | None = None  # where the header is of the table whose rows these are


def mark_at(marks: Sequence[Mark], position: int) -> Mark:
    """The mark that holds there; the first one also for what is before it."""
    return marks[max(0, bisect_right(marks, position, key=attrgetter("start")) - 1)]


class Caution(NamedTuple):
    """What its sender should know of a file that was read all the same."""

    code: CautionCode
    message: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file as text, in the manner of Markdown, and what the file says of itself."""

    text: str
    title: str = ""
    marks: tuple[Mark, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunking:
    """How a document is cut: chunks of at most `size` tokens, which share `overlap` of them."""

    size: int = 512
    overlap: int = 50


@dataclass(frozen=True, slots=True)
class Draft:
    """A document as it comes in, already text."""

    source: str
    path: str
    title: str
    text: str
    hash: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    data_source: str = DEFAULT_SOURCE
    url: str | None = None
    chunking: Chunking = Chunking()
    timestamp: str | None = None
    marks: tuple[Mark, ...] = ()  # ascending; the first, if there is any, at 0
    cautions: tuple[Caution, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of the text, which count for its org's quota."""
        return len(self.text.encode())

    @property
    def digest(self) -> str:
        """SHA-256 of the text: stands in for a hash that the sender did not give."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def places(self) -> str:
        """SHA-256 of the marks; "" where there are none, and the text itself tells its places."""
        return sha256(json.dumps(self.marks).encode()).hexdigest() if self.marks else ""


@dataclass(frozen=True, slots=True)
class Document:
    """The current state of a document: its head."""

    id: str
    version: str
    hash: str
    digest: str
    data_source: str
    source: str
    path: str
    title: str
    tags: tuple[str, ...]
    metadata_json: str  # read only when it is asked for: a search looks at hundreds of documents
    chunk_count: int
    created_at: str
    updated_at: str
    url: str | None = None
    size: int = 0
    chunking: Chunking = Chunking()
    places: str = ""  # by which it is seen whether the same text has moved in its file

    @property
    def metadata(self) -> dict[str, Any]:
        """What the sender wants to have kept."""
        read: dict[str, Any] = json.loads(self.metadata_json)
        return read


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: `text` is `document[start:end]`."""

    index: int
    start: int
    end: int
    text: str
    marks: tuple[Mark, ...] = ()  # those in force inside it, as places in the document
    context: str = ""  # the header of the table that it begins inside of


@dataclass(frozen=True, slots=True)
class Embedding:
    """What an embedder makes of one text: a unit vector and, where the model has them,
    opaque token states that a reranker of the same model understands."""

    vector: Vector
    states: bytes | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of a chunk with its embedding; its span is inside the chunk's text."""

    span: Span
    embedding: Embedding


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A chunk and the passages that cover it."""

    chunk: Chunk
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of a draft."""

    document_id: str
    version: str
    chunk_count: int
    status: IngestStatus


@dataclass(frozen=True, slots=True)
class Change:
    """Something happened to an object, as its store tells: maybe twice, maybe late."""

    key: str
    at: float  # seconds since 1970
    sequencer: str  # grows with every change of the same object


@dataclass(frozen=True, slots=True)
class Condition:
    """`field` is, or has among its values, one of `values`; or, if so told, none of them."""

    field: str
    values: frozenset[str]
    none: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """`field` is a number, and on this side of `value`."""

    field: str
    op: Literal["gt", "gte", "lt", "lte"]
    value: float


# All of them hold. Every search carries at least the data sources that its caller may see.
Where: TypeAlias = tuple[Condition | Bound, ...]


class Notice(NamedTuple):
    """What a caller should know of an answer that was given all the same."""

    code: Literal["NO_RESULTS", "RERANK_FAILED", "NOT_GROUNDED", "CONTEXT_IGNORED"]
    message: str


@dataclass(frozen=True, slots=True)
class ChunkRef:
    """Names one chunk of one version of a document; its string form is its id in the index."""

    document: str
    version: str
    index: int

    def __str__(self) -> str:
        return f"{self.document}.{self.version}.{self.index}"

    @classmethod
    def parse(cls, text: str) -> ChunkRef:
        document, version, index = text.split(".")
        return cls(document, version, int(index))


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index holds of a chunk: the vectors of its passages, its terms, its fields."""

    id: str
    vectors: tuple[Vector, ...]
    terms: tuple[str, ...]
    fields: Mapping[str, FieldValue]


class Hit(NamedTuple):
    """An entry that a search found, and its raw value there: a cosine, or a BM25 score."""

    id: str
    value: float


@dataclass(frozen=True, slots=True)
class Matches:
    """What a search by words found, and how much each term of the question weighs (its IDF)."""

    hits: list[Hit]
    weights: Mapping[str, float]
    total: int  # how many entries the filter admits


class Term(NamedTuple):
    """A word as the index knows it, and where it stands in its text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Question:
    """A query, understood: its terms, their weights in this corpus, and its embedding."""

    text: str
    terms: tuple[Term, ...]
    weights: Mapping[str, float]
    embedding: Embedding
    total: int  # of how many chunks it is asked


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as it was stored, with the token states of its passages, if the model had any."""

    chunk: Chunk
    passages: tuple[Span, ...]
    states: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A retrieved chunk: its document, its text, and its calibrated relevance from 0 to 1."""

    ref: ChunkRef
    document: Document
    stored: StoredChunk
    score: float
    place: Mark | None = None  # in its file, where that is known

    @property
    def text(self) -> str:
        return self.stored.chunk.text

    @property
    def text_in_context(self) -> str:
        """Rows of a table tell nothing without its header."""
        return "\n".join(filter(None, (self.stored.chunk.context, self.text)))

    @property
    def page(self) -> int | None:
        return self.place.page if self.place else None

    @property
    def section(self) -> str | None:
        """The headings over it, on one line."""
        return " › ".join(self.place.section) or None if self.place else None


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for, and how much of it to return."""

    query: str
    top_k: int = 5
    min_score: float = 0.0
    where: Where = ()
    rerank: bool = True
    data_sources: frozenset[str] | None = None  # where to look; None is wherever the caller may
    reranker: str | None = None  # by name; None is the deployment's own
    fresh: bool = False  # whether to look again even where the answer is remembered


@dataclass(frozen=True, slots=True)
class Found:
    """The excerpts that a search returns, best first."""

    question: Question
    excerpts: tuple[Excerpt, ...]
    whole: bool = True  # False if something found was gone before it could be read
    total: int = 0  # how many chunks were found, before the best of them were taken
    sources: tuple[str, ...] = ()  # the data sources that were looked into
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Everything that an answer may be made from. `system` already holds the context."""

    messages: tuple[Message, ...]
    system: str = ""
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a language model read and wrote."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer, who wrote it, and what it took."""

    text: str
    model: str
    usage: Usage = Usage()
