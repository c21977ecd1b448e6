"""`python -m bench.chat`: what a crowd of visitors gets of the widget, and what their limits cost.

The embedded server, in a process of its own, answers from our own documentation. All callers ask
at once, and again as soon as they are answered: at first questions that others ask too, then such
as nobody has asked before. A limit's cost is what the server itself takes to admit or refuse.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from uuid import uuid4

import jwt

from bench.served import Caller, Server, served
from bench.sla import percentile, print_facts, print_table
from eval.answers import QUESTIONS, ROOT, documentation, load
from rag.identity import LOCAL_OWNER
from rag.limits import PER_MINUTE
from rag.model import Access, Draft, Tier
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings

CHAT = "/api/v1/chat"
SECRET = "not a secret: this server is gone in a minute"
ORG = LOCAL_OWNER.org
LIMIT_SECONDS = 10.0

Questions = Callable[[], str]
Subject = Callable[[int], str]  # of a caller's token


@dataclass(frozen=True, slots=True)
class Sites:
    """Whose visitors ask: of the documentation, and of nothing, which costs nothing to answer."""

    documentation: str
    empty: str


class Call(NamedTuple):
    """How a call was answered, and after how long."""

    status: int  # 0: not at all, or without an answer
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """What became of a crowd's calls."""

    calls: list[Call]
    seconds: float

    @property
    def lost(self) -> int:
        return self.count(0, 1)

    @property
    def failed(self) -> int:
        return self.count(500, 600)

    def count(self, low: int, high: int) -> int:
        """Calls whose status is between these."""
        return sum(low <= call.status < high for call in self.calls)

    def at(self, percent: int) -> float:
        """Milliseconds that so many of a hundred calls stay within."""
        return percentile([call.milliseconds for call in self.calls], percent)


def main(arguments: Sequence[str]) -> int:
    """Print the tables; fail where a visitor got no answer."""
    parser = argparse.ArgumentParser(prog="python -m bench.chat", description=__doc__)
    parser.add_argument("--callers", type=int, default=200, help="at once (default 200)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each run (default 60)")
    options = parser.parse_args(arguments)
    print_facts()
    asked = [one.question for one in load(QUESTIONS)]
    new = count()
    ways: dict[str, Questions] = {
        "as others ask": lambda: random.choice(asked),
        "all different": lambda: f"As of day {next(new)}: {random.choice(asked)}",
    }
    with tempfile.TemporaryDirectory() as folder:
        data_dir, log = Path(folder) / "data", Path(folder) / "log"
        sites = prepared(data_dir)
        with served(data_dir, log, JWT_SECRET=SECRET) as server:
            crowd = Crowd(server, options.callers)
            runs = {
                name: crowd.asks(options.seconds, sites.documentation, "premium", questions)
                for name, questions in ways.items()
            }
            print_runs(options.callers, runs)
            print_limits(crowd, sites.empty, log)
    return any(run.failed or run.lost for run in runs.values())


def prepared(data_dir: Path) -> Sites:
    """Put the documentation where every visitor may ask of it."""
    footnote = bootstrap(Settings(data_dir=data_dir))
    source = footnote.sources.create(ORG, LOCAL_OWNER.sub, "Documentation", Access("public"))
    for path in documentation():
        text, name = path.read_text("utf-8"), path.relative_to(ROOT).as_posix()
        title = text.partition("\n")[0].lstrip("# ")
        draft = Draft("documentation", name, title, text, data_source=source.id)
        footnote.ingestion.ingest(ORG, draft)
    create, origins = footnote.sites.create, ["https://docs.example"]
    return Sites(
        create(ORG, LOCAL_OWNER.sub, "Documentation", origins, [source.id], {}).id,
        create(ORG, LOCAL_OWNER.sub, "Nothing", origins, [], {}).id,
    )


# Asking


class Crowd:
    """Callers who ask at once, and again as soon as they are answered."""

    def __init__(self, server: Server, callers: int) -> None:
        self._server = server
        self._callers = callers

    def asks(
        self, seconds: float, site: str, tier: Tier, questions: Questions, subject: Subject = str
    ) -> Run:
        """What all of them get for some time."""
        begun = perf_counter()

        def one(number: int) -> list[Call]:
            claims = {"sub": subject(number), "org": ORG, "tier": tier}
            token = jwt.encode(claims, SECRET, "HS256")
            caller = self._server.caller(**{"X-Site": site, "Authorization": f"Bearer {token}"})
            context = {"mode": "browse", "session_id": str(uuid4())}
            calls = []
            while perf_counter() - begun < seconds:
                body = {"message": questions(), "context": context, "tier": tier}
                calls.append(timed(caller, body))
            return calls

        with ThreadPoolExecutor(self._callers) as threads:
            calls = [call for own in threads.map(one, range(self._callers)) for call in own]
        return Run(calls, perf_counter() - begun)


def timed(caller: Caller, body: dict[str, Any]) -> Call:
    """Ask once."""
    sent, status, answer = perf_counter(), 0, b""
    with suppress(OSError):
        status, answer = caller.send("POST", CHAT, json.dumps(body).encode())
    took = (perf_counter() - sent) * 1000
    return Call(0 if status == 200 and not json.loads(answer)["answer"] else status, took)


def admissions(log: Path) -> list[float]:
    """Milliseconds that the server took for each decision whether to let somebody in."""
    with log.open() as lines:
        stages = (json.loads(line).get("stages", {}) for line in lines if line.startswith("{"))
        return [stage["admit"] for stage in stages if "admit" in stage]


# Printing


def print_runs(callers: int, runs: dict[str, Run]) -> None:
    """What premium visitors got."""
    rows = [
        [
            name,
            "",
            str(run.count(200, 201)),
            f"{run.count(200, 201) / run.seconds:.1f}",
            f"{run.at(50):.0f}",
            f"{run.at(95):.0f}",
            str(run.failed),
            str(run.lost),
        ]
        for name, run in runs.items()
    ]
    print_table([f"{callers} callers", "", "answers", "per s", "p50", "p95", "5xx", "lost"], rows)


def print_limits(crowd: Crowd, site: str, log: Path) -> None:
    """What it costs to let in or to refuse visitors who are somebody each, or all the same."""
    rows = []
    ways: dict[str, tuple[Tier, Subject]] = {
        "each a visitor": ("lightweight", str),
        "all one visitor": ("full", lambda _: "ann"),
    }
    for name, (tier, subject) in ways.items():
        before = len(admissions(log))
        run = crowd.asks(LIMIT_SECONDS, site, tier, lambda: "Who?", subject)
        took = admissions(log)[before:]
        rows.append(
            [
                name,
                f"{PER_MINUTE[tier]} a minute",
                str(run.count(200, 201)),
                str(run.count(429, 430)),
                *(f"{percentile(took, at):.1f}" for at in (50, 95)),
            ]
        )
    print_table(["limits", "", "let in", "refused", "p50", "p95"], rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
