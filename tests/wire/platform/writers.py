"""Language models that write what a test wants."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from rag.answering import Verdict
from rag.errors import GenerationFailed
from rag.model import Ask, Reply, Usage


class Writer:
    """Writes these pieces, then breaks off if it is told to; and keeps what it was asked."""

    name = "writer"

    def __init__(self, *pieces: str, breaks_off: bool = False) -> None:
        self.pieces, self.breaks_off = pieces, breaks_off
        self.asked: list[Ask] = []

    def answer(self, ask: Ask) -> Reply:
        writing = self.stream(ask)
        while True:
            try:
                next(writing)
            except StopIteration as end:
                reply: Reply = end.value
                return reply

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        self.asked.append(ask)
        yield from self.pieces
        if self.breaks_off:
            raise GenerationFailed("The language model broke off.")
        return Reply("".join(self.pieces), "writer-1", Usage(40, 8))


class Arbiter:
    """A second judge that says this, or fails."""

    name = "arbiter"

    def __init__(self, verdict: Verdict | None) -> None:
        self.verdict = verdict

    def judge(self, question: str, texts: Sequence[str]) -> Verdict:
        if self.verdict is None:
            raise GenerationFailed("The judge does not answer.")
        return self.verdict
