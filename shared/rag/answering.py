"""The nouns of an answer that is checked against its sources: evidence → grounding → answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from rag.model import ChunkRef, Document, Mark, Notice, Span, Usage, mark_at

Outcome: TypeAlias = Literal["answer", "partial", "abstain"]

# The number of the piece that the asker has selected: answers are held against it, as against all
# others, but no reader needs to be pointed to it.
SELECTED = 0


@dataclass(frozen=True, slots=True)
class Closeness:
    """The sentences of an excerpt, and how close each comes to the question."""

    spans: tuple[Span, ...]
    values: tuple[float, ...]  # of each sentence, with the heading that it stands under
    near: tuple[Mapping[str, float], ...]  # of each sentence: see `Sentence.near`
    by_states: bool  # False where only the words themselves could be compared


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may hold the answer, with what speaks for it."""

    excerpt: int  # which of the excerpts
    span: Span  # inside the excerpt's text
    text: str
    closeness: float
    own: float  # the share of what the question's terms tell that is in it
    around: float  # the same with its neighbours and the title
    alone: float | None  # the cosine of the sentence by itself, where it was embedded
    value: float  # what decides their order
    # Of each of the question's terms, how near a word of it, its heading or its title comes.
    near: Mapping[str, float] = field(default_factory=dict, compare=False)


class Evidence(NamedTuple):
    """The best sentences, best first, and how near anything read comes to each of the terms."""

    sentences: tuple[Sentence, ...]
    near: Mapping[str, float]
    by_states: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A numbered part of a prompt: one slice of a document, of one chunk or of neighbours."""

    n: int
    document: Document
    refs: tuple[ChunkRef, ...]
    span: Span  # in the document's text
    text: str
    score: float
    marks: tuple[Mark, ...] = ()
    context: str = ""  # the header of the table that it begins inside of

    def cited(self, span: Span, answer: Span | None = None) -> Citation:
        """The words at `span` of its text, as a reference into the document."""
        start = self.span.start + span.start
        place = mark_at(self.marks, start) if self.marks else Mark(0)
        return Citation(
            n=self.n,
            document=self.document,
            span=Span(start, self.span.start + span.end),
            quote=self.text[span.start : span.end],
            page=place.page,
            section=place.section,
            answer=answer,
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference to the very words: `quote` is the document's text at `span`."""

    n: int
    document: Document
    span: Span
    quote: str
    page: int | None = None
    section: tuple[str, ...] = ()
    answer: Span | None = None  # where in the answer it is used


@dataclass(frozen=True, slots=True)
class Assembled:
    """A prompt that holds as much of what was found as fits."""

    prompt: str
    pieces: tuple[Piece, ...]
    system: str = ""  # the rules that go before it, counted with it

    @property
    def token_count(self) -> int:
        """How many tokens it has. Two messages: neither joins the other."""
        from rag import tokens  # not all who know of prompts count them

        return tokens.count(self.system) + tokens.count(self.prompt)

    @property
    def included(self) -> int:
        """How many documents are in it."""
        return len({piece.document.id for piece in self.pieces})

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What its numbers stand for."""
        return tuple(piece.cited(Span(0, len(piece.text))) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a language model says of whether texts answer a question."""

    answerable: Literal["yes", "partly", "no"]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounding:
    """Whether what was found can support an answer."""

    outcome: Outcome
    score: float  # calibrated: of those with .7, 70 % are answered by what was found
    relevant: tuple[int, ...]  # which of the excerpts support it
    gaps: tuple[str, ...]  # what is missing, in words
    sentences: tuple[Sentence, ...] = ()
    judged_by: tuple[str, ...] = ()

    @property
    def is_groundable(self) -> bool:
        return self.outcome != "abstain"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of an answer as it is sent, and whether its sources hold it."""

    text: str  # with the white space before it
    kept: bool
    citations: tuple[Citation, ...] = ()
    reasons: tuple[str, ...] = ()  # what speaks against it


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole answer."""

    text: str
    citations: tuple[Citation, ...]
    confidence: float
    model: str
    usage: Usage = field(default_factory=Usage)
    notices: tuple[Notice, ...] = ()
