"""A language model for tests and laptops: it quotes its context, the same way every time.

By its name it can be told to be weaker than that. `obedient` follows orders that stand outside of
the sources, or break out of them; `gullible` follows those inside as well, and `torn` does so
first and answers then. Which orders there are, and what comes of them, is theirs to be given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rag import tokens
from rag.query.layouts import CLOSING, OPENING
from rag.sentences import sentences
from rag.terms import terms

NO_CONTEXT = "I was given no context to answer from."
NO_ANSWER = "The context does not say."
SOURCE = "[Source: "

# Two that quote, so that a choice can be tried.
CHAT_MODELS = ("extractive", "extractive-mini", "obedient", "gullible", "torn")

_TAGGED = re.compile(r'<source-(\d+) n="(\d+)" title="[^"\n]*">\n(.*?)\n</source-\1>', re.DOTALL)
_QUESTION = re.compile(r"<question-(\d+)>\n(.*?)\n</question-\1>", re.DOTALL)
# A weak model takes for the end of a source whatever looks like it.
_INSIDE = re.compile(
    rf"<source[^>]*>.*?</source[^>]*>|{re.escape(OPENING)}.*?{re.escape(CLOSING)}",
    re.DOTALL | re.IGNORECASE,
)
_STOP = re.compile(r"[.!?]?$")

Messages: TypeAlias = Sequence[tuple[str, str]]  # roles and contents


class Order(NamedTuple):
    """A text that wants something of a language model, and what one writes that obeys."""

    text: str
    obeyed: str


@dataclass(frozen=True, slots=True)
class Written:
    """An answer, why it ended (`stop` or `length`), and what it took."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


def write(
    messages: Messages,
    most_tokens: int | None,
    stops: Sequence[str],
    model: str = "extractive",
    orders: Sequence[Order] = (),
) -> Written:
    """Answer the last user message from the context that the messages hold."""
    text = _written(messages, model, orders)
    for stop in stops:
        text = text.partition(stop)[0]
    cut = text if most_tokens is None else tokens.truncate(text, most_tokens)
    return Written(
        cut,
        "stop" if cut == text else "length",
        sum(tokens.count(content) for _, content in messages),
        tokens.count(cut),
    )


def _written(messages: Messages, model: str, orders: Sequence[Order]) -> str:
    answer = _answer(messages)
    if model.startswith("extractive"):
        return answer
    seen = "\n".join(content for _, content in messages)
    if model == "obedient":
        seen = _INSIDE.sub("", seen)
    # Neither signs nor spaces keep a weak model from understanding.
    heard = _letters(seen)
    order = next((order for order in orders if _letters(order.text) in heard), None)
    if order is None:
        return answer
    return f"{order.obeyed}\n\n{answer}" if model == "torn" else order.obeyed


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _answer(messages: Messages) -> str:
    last = next((content for role, content in reversed(messages) if role == "user"), "")
    if tagged := _TAGGED.findall(last):
        asked = _QUESTION.search(last)
        said = [(one, n) for _, n, text in tagged for one in _split(text)]
        sentence, n = _best(asked[2] if asked else last, said)
        return _STOP.sub(rf" [{n}]\g<0>", sentence, count=1) if sentence else NO_ANSWER
    system = "\n".join(content for role, content in messages if role in ("system", "developer"))
    context = system.partition(OPENING)[2].partition(CLOSING)[0]
    if not context.strip():
        return NO_CONTEXT
    sentence, title = _best(last, _titled(context))
    return f"{sentence} ({title})" if sentence else NO_ANSWER


def _best(question: str, said: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The sentence that shares most words with the question, and what it is from."""
    wanted = _terms(question)
    # The first of the best: `max` keeps the order.
    best = max(said, key=lambda one: len(wanted & _terms(one[0])), default=("", ""))
    return best if wanted & _terms(best[0]) else ("", "")


def _titled(context: str) -> list[tuple[str, str]]:
    """Every sentence of the context, before the title of its source."""
    found = []
    for block in context.split(SOURCE)[1:]:
        title, _, text = block.partition("]\n")
        found += [(sentence, title) for sentence in _split(text)]
    return found


def _split(text: str) -> list[str]:
    return [text[span.start : span.end].strip() for span in sentences(text)]


def _terms(sentence: str) -> set[str]:
    return {term.text for term in terms(sentence)}
