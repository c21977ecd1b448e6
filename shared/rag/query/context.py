"""v3's context, until v3 runs on the stages that all contracts share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag import tokens
from rag.model import Excerpt
from rag.query.join import apart
from rag.query.layouts import CLOSING, OPENING, V3, block


@dataclass(frozen=True, slots=True)
class Context:
    """The context block of a prompt and the excerpts that are in it."""

    text: str
    excerpts: tuple[Excerpt, ...]

    def before(self, system: str) -> str:
        """The system prompt with the context in front of it."""
        return "\n\n".join(part for part in (self.text, system) if part)


def assemble(excerpts: Sequence[Excerpt], max_tokens: int) -> Context:
    """As many excerpts as fit, in their order; nothing at all where none is left."""
    whole = _context(excerpts)
    if tokens.most(whole.text) <= max_tokens:
        return whole
    included: list[Excerpt] = []
    left = max_tokens - tokens.count(f"{OPENING}\n{CLOSING}")
    for excerpt in excerpts:
        # Two more for the empty line between blocks.
        left -= tokens.count(_block(excerpt)) + 2
        if left < 0:
            break
        included.append(excerpt)
    return _context(included)


def _context(excerpts: Sequence[Excerpt]) -> Context:
    return Context(V3.rendered("", apart(excerpts)).prompt, tuple(excerpts))


def _block(excerpt: Excerpt) -> str:
    return block(apart([excerpt])[0])
