"""What was found into a prompt, most relevant first, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rag import tokens
from rag.answering import Assembled, Piece
from rag.errors import ContextOverflow
from rag.model import ChunkRef, Excerpt
from rag.query.layouts import Layout


def assemble(query: str, excerpts: Sequence[Excerpt], max_tokens: int, layout: Layout) -> Assembled:
    """As much of what was found as fits. Raises ContextOverflow where nothing does."""
    candidates = layout.chosen(excerpts)

    def made(count: int) -> Assembled:
        return _made(query, layout.pieces(candidates[:count]), layout)

    def fits(count: int) -> bool:
        prompt = made(count)
        # To load the encoding takes a while, and bytes tell it of a small prompt.
        most = tokens.most(prompt.system) + tokens.most(prompt.prompt)
        return most <= max_tokens or prompt.token_count <= max_tokens

    least = min(1, len(candidates)) if layout.needs_context else 0
    # Always the whole prompt is counted: the tokens of its parts do not add up.
    most = _most(least, len(candidates), fits)
    if most is None:
        needed = made(least).token_count
        what = "no more than the most relevant piece" if least else "no piece at all"
        raise ContextOverflow(
            f"With {what}, the prompt has {needed} tokens; it may have {max_tokens}.",
            {"maxTokens": max_tokens, "needed": needed},
        )
    return made(most)


def without(
    assembled: Assembled, dropped: Collection[ChunkRef], query: str, layout: Layout
) -> Assembled:
    """The same prompt without the pieces of which every chunk is dropped. Numbers stay."""
    pieces = [piece for piece in assembled.pieces if not set(piece.refs) <= set(dropped)]
    return _made(query, pieces, layout)


def _made(query: str, pieces: Sequence[Piece], layout: Layout) -> Assembled:
    system, prompt = layout.rendered(query, pieces)
    return Assembled(prompt, tuple(pieces), system)


def _most(least: int, most: int, fits: Callable[[int], bool]) -> int | None:
    """How many of the first candidates fit. More of them take more tokens, unless a very short
    chunk joins its neighbours: then these may be fewer than would fit, but never too many."""
    if fits(most):
        return most
    if not fits(least):
        return None
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    return least
