"""What the core needs from outside, as Protocols that the core owns."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from rag.answering import Closeness, Verdict
from rag.calibration import Calibration
from rag.model import (
    Ask,
    Embedding,
    Entry,
    Excerpt,
    Hit,
    Matches,
    Parsed,
    Question,
    Reply,
    Span,
    Vector,
    Where,
)

# Items ------------------------------------------------------------------------------------------

Item: TypeAlias = dict[str, Any]  # str, int, float, bool, None, bytes, and lists and dicts of them


@dataclass(frozen=True, slots=True)
class Key:
    """Where an item lives: queries run inside one `pk`, ordered by `sk`."""

    pk: str
    sk: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Holds when there is no such item (an expired one counts as gone)."""


@dataclass(frozen=True, slots=True)
class Present:
    """Holds when the item is there."""


@dataclass(frozen=True, slots=True)
class Equals:
    """Holds when the item is there and its `field` has this value."""

    field: str
    value: Any


Guard: TypeAlias = Absent | Present | Equals


@dataclass(frozen=True, slots=True)
class Put:
    """Write the whole item; `expires` is in seconds since 1970."""

    key: Key
    item: Item
    when: Guard | None = None
    expires: int | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Set some fields and add to counters, making the item if it is absent. `expires` moves its
    end, which only items without large values may have moved further away; without it, the end
    stays as it is."""

    key: Key
    set: Mapping[str, Any] = field(default_factory=dict)
    add: Mapping[str, int] = field(default_factory=dict)
    when: Guard | None = None
    expires: int | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the item; absent is fine unless `when` says otherwise."""

    key: Key
    when: Guard | None = None


Write: TypeAlias = Put | Update | Delete


class Items(Protocol):
    """Small records under two-part keys, with conditional and all-or-nothing writes."""

    def get(self, key: Key) -> Item | None: ...

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        """Those of the items that are there."""
        ...

    def query(
        self,
        pk: str,
        prefix: str = "",
        *,
        after: str = "",
        limit: int | None = None,
        descending: bool = False,
    ) -> list[tuple[str, Item]]:
        """Items of `pk` whose `sk` has the prefix and lies beyond `after`, in the order of `sk`."""
        ...

    def write(self, *writes: Write) -> None:
        """All of it or nothing, at most 100. Raises ConditionFailed with the failed positions."""
        ...

    def write_lightly(self, *writes: Write) -> None:
        """The same for what others can see to anew: a power cut may undo it, though never without
        all that was written after it."""
        ...

    def write_many(self, writes: Iterable[Put | Delete]) -> None:
        """Unconditional writes in any number: each is atomic, the whole is not."""
        ...

    def purge(self) -> int:
        """Make room where what nobody can read any more is kept; now and then is enough."""
        ...


# Index ------------------------------------------------------------------------------------------


class Index(Protocol):
    """Finds chunks by meaning and by words, inside a namespace and a filter."""

    def maker(self) -> tuple[str, int] | None:
        """The model that made this index and its dimension, if any has."""
        ...

    def claim(self, model: str, dimension: int) -> None:
        """Write down which model makes this index."""
        ...

    def clear(self) -> None:
        """Forget every entry of every namespace."""
        ...

    def upsert(self, namespace: str, entries: Sequence[Entry]) -> None:
        """Write the entries; on return, searches find them. Raises IndexUnavailable."""
        ...

    def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, tuple[Vector, ...]]:
        """The vectors of those entries that are there."""
        ...

    def delete(self, namespace: str, ids: Sequence[str]) -> None: ...

    def nearest(self, namespace: str, vector: Vector, where: Where, limit: int) -> list[Hit]:
        """The entries with the highest cosine (of their best vector), filtered before ranking."""
        ...

    def matching(self, namespace: str, terms: Sequence[str], where: Where, limit: int) -> Matches:
        """The entries with the highest BM25, whose statistics count only what `where` admits."""
        ...


# Models -----------------------------------------------------------------------------------------


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def model(self) -> str:
        """The model's id, stored with every index made by it."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def calibration(self) -> Calibration:
        """What this model's values mean as relevance; it belongs to the model."""
        ...

    def windows(self, text: str, header: str = "") -> list[Span]:
        """Pieces that cover `text`, each short enough for the model with `header` before it."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding per text, in order. Raises EmbeddingFailed."""
        ...


class Reranker(Protocol):
    """Judges how well excerpts answer a question, more closely than the index can."""

    @property
    def name(self) -> str: ...

    def rerank(self, question: Question, excerpts: Sequence[Excerpt]) -> list[float]:
        """One value per excerpt, higher is better. Raises RerankFailed."""
        ...

    def read(self, question: Question, excerpts: Sequence[Excerpt]) -> list[Closeness]:
        """How close each sentence of each excerpt comes to the question. Raises RerankFailed."""
        ...


class Answerer(Protocol):
    """A language model that writes answers."""

    @property
    def name(self) -> str: ...

    def answer(self, ask: Ask) -> Reply:
        """Raises GenerationFailed."""
        ...

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        """The same answer in pieces, as they are written, and at the end the whole. Raises as
        `answer` does, either at once or, when the answer breaks off, between two pieces."""
        ...


class Judge(Protocol):
    """A second opinion on whether texts answer a question."""

    @property
    def name(self) -> str: ...

    def judge(self, question: str, texts: Sequence[str]) -> Verdict:
        """Raises GenerationFailed."""
        ...


# Files ------------------------------------------------------------------------------------------


class Reader(Protocol):
    """Reads files that nobody vouches for: in bounded time and memory, without a network."""

    def read(self, kind: str, charset: str, data: bytes) -> Parsed:
        """The file's text; `charset` is what its sender claims. Raises Unreadable."""
        ...


class Ocr(Protocol):
    """The place for whoever reads pictures of text; nobody does yet."""

    def pages(self, pdf: bytes) -> Sequence[str]:
        """The text of each page of a PDF that has none of its own."""
        ...


# Objects ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ObjectHead:
    """What is known of an object without reading it."""

    size: int
    version: str  # another one whenever the content is
    media_type: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


class Objects(Protocol):
    """Whole files under string keys."""

    def head(self, key: str) -> ObjectHead | None: ...

    def put(self, key: str, data: bytes) -> None: ...

    def get(self, key: str, span: Span | None = None) -> bytes | None:
        """The object's bytes: those of the span, as far as there are any, or all of them."""
        ...

    def delete(self, key: str) -> None: ...

    def keys(self, prefix: str = "") -> list[str]: ...


# Forms ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UploadForm:
    """Where to POST a file and the form's fields, which the file must follow."""

    url: str  # relative where it is this server that takes the file
    fields: Mapping[str, str]


class Forms(Protocol):
    """Lets callers bring a file to where objects are kept, past whoever answers requests."""

    def upload_form(self, key: str, media_type: str, largest: int, seconds: int) -> UploadForm:
        """A form that lets its bearer put one file under this key, of this type and of at most so
        many bytes, for so many seconds."""
        ...


# Queue ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message in the hands of one receiver, until it is done or its time is over."""

    id: str
    body: dict[str, Any]
    attempt: int  # 1 at the first delivery
    receipt: str  # says which delivery: one that came too late changes nothing


class Queue(Protocol):
    """Messages delivered at least once, in no certain order, until a receiver is done with them.

    Each is of a group, the org whose work it is: those that wait are served in turn, so that one's
    ten thousand do not keep another's one waiting.
    What has failed too often moves to another queue, for people to look at and send back.
    """

    def send(self, *bodies: Mapping[str, Any], group: str = "", delay: int = 0) -> None:
        """Queue messages of JSON's types, to be delivered after `delay` seconds (at most 900).

        Where it raises, some of them may have been queued."""
        ...

    def receive(self, limit: int = 10, *, seconds: int) -> list[Delivery]:
        """At most 10 messages, hidden from others for so many seconds."""
        ...

    def done(self, delivery: Delivery) -> None:
        """The message need not come again."""
        ...

    def again(self, delivery: Delivery, *, delay: int = 0) -> None:
        """Let the message come again after so many seconds, whatever was left of its time."""
        ...
