"""What a reader has selected on a page: the first context of an answer, and part of no search
result. It is judged by nobody, and quoted to nobody, who has it before their eyes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from rag.answering import Grounding, Piece
from rag.model import Chunk, ChunkRef, Document, Excerpt, Question, StoredChunk
from rag.query.layouts import Layout, Rendered
from rag.terms import terms

# How much of it steers the search.
STEERING = 1000

_TITLE = "Selected text"
# What readers say of a text that they have before them: it asks for nothing else.
_ABOUT_A_TEXT = """explain explanation simple simpler simply easy easier plain short shorter brief
    briefly summarize summarise summary rephrase paraphrase rewrite translate describe elaborate
    detail clarify clear define definition example illustrate understand mean meaning tell say help
    show please text passage paragraph sentence selection select section part quote word term phrase
    language english beginner child layman bullet point idea main key context"""


def selected(text: str) -> Excerpt:
    """The selection as what a prompt is made of."""
    name = "selection"
    document = Document(name, "0", "", "", "", "", "", _TITLE, (), "{}", 1, "", "")
    stored = StoredChunk(Chunk(0, 0, len(text), text), (), ())
    return Excerpt(ChunkRef(name, "0", 0), document, stored, 1.0)


def about(question: Question, message: str, selection: Excerpt) -> Question:
    """What a message asks beyond what is selected, where a search was for both, one after the
    other."""
    known = _about_a_text() | {term.text for term in terms(selection.text)}
    asked = (
        term for term in question.terms if term.span.end <= len(message) and term.text not in known
    )
    return replace(question, text=message, terms=tuple(asked))


def beside(grounding: Grounding) -> Grounding:
    """What documents support, where a selection may answer what they do not."""
    if grounding.is_groundable:
        return grounding
    return replace(grounding, outcome="partial", sentences=())


@dataclass(frozen=True, slots=True)
class Beside:
    """A layout with the selection before all else, under a number that stands for no document."""

    selection: Excerpt
    layout: Layout
    needs_context: bool = False

    def chosen(self, excerpts: Sequence[Excerpt]) -> list[Excerpt]:
        # A document that says the same as the selection is the source of it, and no repetition.
        return [self.selection, *self.layout.chosen(excerpts)]

    def pieces(self, excerpts: Sequence[Excerpt]) -> list[Piece]:
        return [replace(piece, n=piece.n - 1) for piece in self.layout.pieces(excerpts)]

    def rendered(self, query: str, pieces: Sequence[Piece]) -> Rendered:
        return self.layout.rendered(query, pieces)


@cache
def _about_a_text() -> frozenset[str]:
    return frozenset(term.text for term in terms(_ABOUT_A_TEXT))
