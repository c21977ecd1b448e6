"""How long a function's first answer takes in a new container: `python -m bench.coldstart`.

Each HTTP function, byte-compiled as it is deployed, runs under the real Lambda runtime. Its first
event is one that it turns away (400), or one for which it does all its work against the cloud's
parts on this machine: storage, embedding, index, language model. Beside it, in every round: a
function that imports the same libraries at its top, as plain source, and then does nothing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.served import free_port
from infra.local import backends
from infra.local.lambda_runtime import (
    LAYER,
    Built,
    NoRuntime,
    built_by_hand,
    built_by_sam,
    installed,
    started,
)
from infra.local.processes import NotStarted

GOAL = 0.35
BASELINE = """
import boto3
import openai
import pinecone
from fastapi import FastAPI
from mangum import Mangum

app = FastAPI()


@app.post("/api/rag/search")
def search() -> dict[str, str]:
    return {"found": "nothing"}


lambda_handler = Mangum(app, lifespan="off")
"""
SENTENCE = "The warranty of the kettle ends after twenty-four months."
# What the template sets besides.
TEMPLATE = {
    "AUTH": "required",
    "POWERTOOLS_METRICS_NAMESPACE": "Footnote",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}
CALLER = {"sub": "ann", "org": "bench", "tier": "full", "roles": "[]", "teams": "[]"}


@dataclass(frozen=True, slots=True)
class Work:
    """What a function is asked first."""

    function: str
    path: str
    body: Mapping[str, Any]

    @property
    def name(self) -> str:
        """By what it is asked."""
        return self.path.rpartition("/")[2]

    @property
    def event(self) -> dict[str, Any]:
        """As API Gateway sends it."""
        return {
            "resource": self.path,
            "path": self.path,
            "httpMethod": "POST",
            "headers": {"Content-Type": "application/json"},
            "multiValueHeaders": {"Content-Type": ["application/json"]},
            "requestContext": {"requestId": "bench", "stage": "v1", "authorizer": CALLER},
            "body": json.dumps(self.body),
            "isBase64Encoded": False,
        }


DOCUMENT = {"source": "bench", "path": "kettle", "title": "Kettle", "text": SENTENCE}
QUESTION = "When does the warranty of the kettle end?"
SEARCH = Work("search", "/api/rag/search", {"query": QUESTION})


def works(number: int) -> Iterator[Work]:
    """What is asked in one round. What was found in the last is not remembered, because there is
    another document; nor within a round, since each asks for another number of results."""
    yield Work("ingest", "/api/rag/ingest", {**DOCUMENT, "text": f"{SENTENCE} {number}."})
    yield SEARCH
    yield Work("search", "/api/rag/retrieve", {"query": QUESTION, "topK": 11})
    messages = [{"role": "user", "content": QUESTION}]
    yield Work("chat", "/api/chat", {"messages": messages, "useRag": True, "ragTopK": 12})
    yield Work("chat", "/api/rag/query", {"query": QUESTION, "topK": 13})


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and fail where the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.coldstart", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--built", type=Path, help="folder of `sam build`, instead of our own")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder, cloud(Path(folder) / "cloud") as environment:
            target = Path(folder) / "built"
            built = built_by_sam(options.built) if options.built else built_by_hand(target)
            plain = plain_source(Path(folder) / "plain")
            return report(measure(built, plain, environment, options.rounds))
    except (NoRuntime, NotStarted) as missing:
        print(missing, file=sys.stderr)
        return 2


@contextmanager
def cloud(folder: Path) -> Iterator[dict[str, str]]:
    """The cloud's parts, and the environment that leads a function to them."""
    ports = free_port(), free_port(), free_port()
    place = backends.Place("127.0.0.1", folder, *ports)
    environment = backends.start(place)
    try:
        yield {**environment, **TEMPLATE}
    finally:
        backends.stop(place)


def plain_source(folder: Path) -> list[Path]:
    """The baseline and the same libraries, none of it compiled."""
    shutil.copytree(installed(LAYER), folder / "layer")
    (folder / "baseline.py").write_text(BASELINE)
    return [folder, folder / "layer"]


def measure(
    built: Built, plain: list[Path], environment: Mapping[str, str], rounds: int
) -> dict[str, list[float]]:
    """Milliseconds to the first answer, of the baseline and of each function, in turns."""
    found: dict[str, list[float]] = {}
    as_source = {**environment, "PYTHONDONTWRITEBYTECODE": "1"}
    for number in range(rounds + 1):  # the first reads files that the later ones find in memory
        results = {"baseline": first(plain, "baseline.lambda_handler", SEARCH, as_source)}
        for work in works(number):
            handler = f"functions.{work.function}.handler.lambda_handler"
            path, refused = built.path(work.function), Work(work.function, work.path, {})
            results[f"{work.name}, 400"] = first(path, handler, refused, environment, 400)
            results[work.name] = first(path, handler, work, environment)
        for name, milliseconds in results.items():
            if number:
                found.setdefault(name, []).append(milliseconds)
    return found


def first(
    path: list[Path], handler: str, work: Work, environment: Mapping[str, str], status: int = 200
) -> float:
    """Milliseconds to the first answer of a new container."""
    with started(handler, path, environment) as function:
        milliseconds, answer = function.timed(work.event)
        if answer.get("statusCode") != status:
            raise NoRuntime(f"{handler} answers {str(answer)[:500]}:\n{function.log.read_text()}")
    return milliseconds


def report(found: Mapping[str, Sequence[float]]) -> int:
    """Print what was measured; 1 where a function is too slow.

    The fastest of each is compared: whatever else this machine does can only add to it."""
    baseline = min(found["baseline"])
    print(f"{'first answer of':<20}{'median, ms':>12}{'slowest':>10}{'fastest':>10}{'ratio':>8}")
    slow = False
    for name, times in found.items():
        ratio = min(times) / baseline
        slow |= name != "baseline" and ratio >= GOAL
        print(
            f"{name:<20}{median(times):>12.0f}{max(times):>10.0f}{min(times):>10.0f}{ratio:>8.2f}"
        )
    print(f"goal: below {GOAL} of the baseline: {'missed' if slow else 'met'}")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
