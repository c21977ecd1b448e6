"""A language model for tests and laptops: it quotes its context, the same way every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag import tokens
from rag.query.layouts import CLOSING, OPENING
from rag.sentences import sentences
from rag.terms import terms

NO_CONTEXT = "I was given no context to answer from."
NO_ANSWER = "The context does not say."
SOURCE = "[Source: "


@dataclass(frozen=True, slots=True)
class Written:
    """An answer, why it ended (`stop` or `length`), and what it took."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


def write(
    messages: Sequence[tuple[str, str]], most_tokens: int | None, stops: Sequence[str]
) -> Written:
    """Answer the last user message, given roles and contents, from the system messages' context."""
    text = _answer(messages)
    for stop in stops:
        text = text.partition(stop)[0]
    cut = text if most_tokens is None else tokens.truncate(text, most_tokens)
    return Written(
        cut,
        "stop" if cut == text else "length",
        sum(tokens.count(content) for _, content in messages),
        tokens.count(cut),
    )


def _answer(messages: Sequence[tuple[str, str]]) -> str:
    system = "\n".join(content for role, content in messages if role in ("system", "developer"))
    context = system.partition(OPENING)[2].partition(CLOSING)[0]
    if not context.strip():
        return NO_CONTEXT
    question = next((content for role, content in reversed(messages) if role == "user"), "")
    wanted = {term.text for term in terms(question)}
    # The first of the best: `max` keeps the order.
    shared, sentence, title = max(
        ((len(wanted & _terms(one)), one, title) for title, one in _sentences(context)),
        key=lambda candidate: candidate[0],
        default=(0, "", ""),
    )
    return f"{sentence} ({title})" if shared else NO_ANSWER


def _sentences(context: str) -> list[tuple[str, str]]:
    """Every sentence of the context, behind the title of its source."""
    found = []
    for block in context.split(SOURCE)[1:]:
        title, _, text = block.partition("]\n")
        found += [(title, text[span.start : span.end].strip()) for span in sentences(text)]
    return found


def _terms(sentence: str) -> set[str]:
    return {term.text for term in terms(sentence)}
