"""Language models in this process: one says what it is told to, one writes from its prompt."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from infra.local.openai_writer import Order, write
from rag.model import Ask, Reply, Usage

ORDERS = [
    Order(**json.loads(line))
    for line in Path(__file__).with_name("injections.jsonl").read_text("utf-8").splitlines()
]


@dataclass
class Saying:
    """Says this, in these pieces."""

    pieces: Sequence[str]
    name: str = "saying"
    asked: list[Ask] = field(default_factory=list)

    def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        return Reply("".join(self.pieces), self.name, Usage(10, 5))

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        yield from self.pieces
        return self.answer(ask)


@dataclass
class Writing:
    """Writes as the loopback's model of this name does."""

    name: str

    def answer(self, ask: Ask) -> Reply:
        messages = [("system", ask.system), *((one.role, one.content) for one in ask.messages)]
        return Reply(write(messages, None, (), self.name, ORDERS).text, self.name)

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        reply = self.answer(ask)
        yield from reply.text
        return reply
