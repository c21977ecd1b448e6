"""Excerpts into the context of a prompt, most relevant first, within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag import tokens
from rag.model import Excerpt

OPENING = "=== Retrieved Context ==="
CLOSING = "=== End Context ==="
# Both look at each character once: a chunk may be nothing but these signs, and very many of them.
_FRAME = re.compile(
    r"(?<!=)={2,}+\s*+(retrieved\s++context|end\s++context)\s*+={2,}+", re.IGNORECASE
)
_SOURCE = re.compile(r"^([^\S\n]*+)\[(source\s*+:)", re.IGNORECASE | re.MULTILINE)


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
    if not excerpts:
        return Context("", ())
    blocks = "\n\n".join(map(_block, excerpts))
    return Context(f"{OPENING}\n{blocks}\n{CLOSING}", tuple(excerpts))


def _block(excerpt: Excerpt) -> str:
    return f"[Source: {_inline(excerpt.document.title)}]\n{_inert(excerpt.text_in_context)}"


def _inline(title: str) -> str:
    return _inert(" ".join(title.split()))


def _inert(text: str) -> str:
    """A document that imitates the frame must not be able to close it, nor to name a source."""
    while (defused := _FRAME.sub(r"\1", text)) != text:
        text = defused
    return _SOURCE.sub(r"\1(\2", text)
