"""The answer: written by a language model and held against its sources, or quoted from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag import tokens
from rag.answering import Answered, Assembled, Citation, Grounding, Said
from rag.model import Ask, Message, Reply
from rag.ports import Answerer
from rag.query.check import Checked
from rag.query.inquiry import Inquiry
from rag.query.quote import written

PARTIAL = "The sources seem not to answer all of the question. Say what they do not tell:"


def asking(assembled: Assembled, grounding: Grounding, inquiry: Inquiry) -> Ask:
    """A prompt as it is put before a language model, which is told what is missing, if there is
    room for that."""
    system = assembled.system
    if grounding.outcome == "partial":
        told = "\n\n".join(filter(None, (system, f"{PARTIAL} {' '.join(grounding.gaps)}")))
        if tokens.count(told) + tokens.count(assembled.prompt) <= inquiry.max_tokens:
            system = told
    message = Message("user", assembled.prompt)
    return Ask((message,), system, model=inquiry.model, options=inquiry.options)


def answer(
    answerer: Answerer | None,
    ask: Ask,
    query: str,
    assembled: Assembled,
    grounding: Grounding,
    quoted: Sequence[Citation],
    strict: bool = False,
) -> Iterator[Said | Answered]:
    """The answer in sentences as they can be vouched for, and at the end the whole of it.

    What is kept of the sentences is the whole answer's text. Where the sources cannot support an
    answer, nobody is asked for one.
    """
    if answerer is None or not grounding.is_groundable:
        whole = written(quoted, grounding)
        yield Said(whole.text, True, whole.citations)
        yield whole
        return
    checked = Checked(query, assembled.pieces, grounding, quoted, strict)
    replies: list[Reply] = []

    def pieces() -> Iterator[str]:
        replies.append((yield from answerer.stream(ask)))

    for piece in pieces():
        yield from checked.feed(piece)
    yield from checked.rest()
    whole = checked.answered(replies[0].model, replies[0].usage)
    if not checked.text:
        yield Said(whole.text, True, whole.citations)
    yield whole
