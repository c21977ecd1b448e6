"""Every built function under the real Lambda runtime, with nothing but its own folder and the
layer on the path, against the cloud's parts on this machine."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import jwt
import pytest

from infra.local.lambda_runtime import (
    ROOT,
    Built,
    Function,
    NoRuntime,
    built_by_hand,
    emulator,
    started,
)
from rag.adapters.aws.items import DynamoItems
from rag.ingest.chunk import windows
from rag.ingest.messages import about_document, lease_name
from rag.stores.leases import SECONDS, Leases
from tests.integration.conftest import command, free_port

SECRET = "a secret of at least thirty-two bytes"
ANN = {"sub": "ann", "org": "acme", "tier": "full", "roles": "[]", "teams": "[]"}
DOCUMENT = {
    "source": "wiki",
    "path": "kettle.md",
    "title": "Kettle",
    "text": "The warranty of the kettle ends after twenty-four months.",
}
QUESTION = "When does the warranty of the kettle end?"
VISIT = {
    "message": QUESTION,
    "context": {"mode": "browse", "session_id": "550e8400-e29b-41d4-a716-446655440000"},
    "tier": "anonymous",
}
JOB = {"dataSourceId": "default", "documents": [{"id": "kettle", "text": DOCUMENT["text"]}]}

Start = Callable[[str], Function]
Aws = Callable[[str], Any]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    try:
        emulator()
    except NoRuntime as missing:
        pytest.skip(str(missing))
    return built_by_hand(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The cloud's parts, and what the template tells functions about them."""
    settings = {
        "BACKENDS_DIR": str(tmp_path_factory.mktemp("cloud")),
        **{name: str(free_port()) for name in ("AWS_PORT", "OPENAI_PORT", "PINECONE_PORT")},
    }
    said = command(tmp_path_factory.mktemp("none"), "backends", "start", **settings)
    assert said.returncode == 0, said.stderr
    exported = shlex.split(said.stdout.replace("export ", ""))
    environment = dict(one.split("=", 1) for one in exported)
    try:
        yield {
            **_with_secrets(environment, client_of(environment)("secretsmanager")),
            "AUTH": "required",
            "TIER_KEYS": "0123456789abcdef",
            "POWERTOOLS_SERVICE_NAME": "footnote",
            "POWERTOOLS_METRICS_NAMESPACE": "Footnote",
            "PYDANTIC_DISABLE_PLUGINS": "__all__",
        }
    finally:
        command(tmp_path_factory.mktemp("none"), "backends", "stop", **settings)


# As Lambda makes a snapshot of functions, wakes up a copy, and sends it the first events.
WAKING = """
import importlib, json, sys, types

restored = []
hooks = types.SimpleNamespace(register_after_restore=restored.append)
sys.modules["snapshot_restore_py"] = hooks
events = json.load(sys.stdin)
handlers = {name: importlib.import_module(f"functions.{name}.handler") for name, _ in events}
before = set(sys.modules)
for restore in restored:
    restore()
context = types.SimpleNamespace(
    function_name="f", invoked_function_arn="arn:aws:lambda:r:0:function:f",
    memory_limit_in_mb=1024, aws_request_id="r", get_remaining_time_in_millis=lambda: 28000,
)
answers = [handlers[name].lambda_handler(event, context) for name, event in events]
told = [[answer["statusCode"] for answer in answers], sorted(set(sys.modules) - before)]
print(json.dumps(told), file=sys.stderr)
"""


def client_of(environment: dict[str, str]) -> Aws:
    """Makes clients of AWS's services there."""
    import boto3

    session = boto3.Session("local", "local", region_name=environment["AWS_REGION"])
    return partial(session.client, endpoint_url=environment["AWS_ENDPOINT_URL"])


def _with_secrets(environment: dict[str, str], vault: Any) -> dict[str, str]:
    """The environment as the template writes it: with references in place of secrets."""
    names = ("OPENAI_API_KEY", "PINECONE_API_KEY")
    values = {**{name: environment[name] for name in names}, "JWT_SECRET": SECRET}
    vault.create_secret(Name="vendors", SecretString=json.dumps(values))
    return environment | {name: f"secretsmanager:vendors#{name}" for name in values}


@pytest.fixture(scope="module")
def start(built: Built, cloud: dict[str, str]) -> Iterator[Start]:
    """Starts a container of a function."""
    with ExitStack() as containers:

        def begin(name: str) -> Function:
            handler = f"functions.{name}.handler.lambda_handler"
            return containers.enter_context(started(handler, built.path(name), cloud))

        yield begin


def request(method: str, path: str, body: Any = None, context: Any = ANN) -> dict[str, Any]:
    """A request as API Gateway sends it to a function."""
    return {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": {"Content-Type": "application/json", "Origin": "https://app.example"},
        "multiValueHeaders": {"Content-Type": ["application/json"]},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {"requestId": "gateway-1", "stage": "v1", "authorizer": context},
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }


def body(function: Function, answer: dict[str, Any], status: int = 200) -> Any:
    assert answer.get("statusCode") == status, (answer, function.log.read_text())
    return json.loads(answer["body"])


def test_a_copy_of_a_snapshot_has_imported_what_it_answers_with(cloud: dict[str, str]) -> None:
    question = {"query": QUESTION}
    events = [
        ("ingest", request("POST", "/api/rag/ingest", DOCUMENT)),
        ("search", request("POST", "/api/rag/retrieve", question)),
        ("chat", request("POST", "/api/rag/query", question)),
        ("chat", request("POST", "/api/v1/chat", VISIT)),
        ("sources", request("GET", "/api/v1/sites")),
    ]
    done = subprocess.run(
        [sys.executable, "-c", WAKING],
        env={**cloud, "GROUNDING_MODEL": "extractive", "AWS_LAMBDA_FUNCTION_NAME": "f",
             "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"},
        input=json.dumps(events),
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    statuses, imported = json.loads(done.stderr.splitlines()[-1])
    assert statuses == [200] * len(events), done.stdout
    ours_and_heavy = {
        "rag", "anyio", "boto3", "fastapi", "httpcore", "httpcore2", "httpx", "mangum", "numpy",
        "openai", "starlette", "tiktoken",
    }  # fmt: skip
    assert [name for name in imported if name.partition(".")[0] in ours_and_heavy] == []


def test_documents_are_ingested_searched_and_asked_about(start: Start) -> None:
    ingest, search, chat = start("ingest"), start("search"), start("chat")
    document = {**DOCUMENT, "path": "asked.md"}  # others have ingested the same before
    created = body(ingest, ingest.invoke(request("POST", "/api/rag/ingest", document)))
    assert created["status"] == "created"
    found = body(search, search.invoke(request("POST", "/api/rag/search", {"query": QUESTION})))
    assert found["results"][0]["text"] == DOCUMENT["text"]
    asked = {"messages": [{"role": "user", "content": QUESTION}], "useRag": True}
    assert "twenty-four" in chat.invoke(request("POST", "/api/chat", asked))["body"]
    question = {"query": QUESTION}
    passages = body(search, search.invoke(request("POST", "/api/rag/retrieve", question)))
    assert passages["documents"][0]["text"] == DOCUMENT["text"]
    told = body(chat, chat.invoke(request("POST", "/api/rag/query", question)))
    assert "twenty-four" in told["answer"]
    streamed = chat.invoke(request("POST", "/api/rag/query", {**question, "stream": True}))
    last = streamed["body"].rstrip().rpartition("\n")[2]
    done = json.loads(last.removeprefix("data: "))
    assert (done.pop("type"), done["answer"]) == ("done", told["answer"])
    other = request("GET", "/api/rag/documents", context={**ANN, "org": "other"})
    assert body(ingest, ingest.invoke(other))["documents"] == []

    line = next(line for line in search.lines if line.get("message") == "request")
    assert (line["cold_start"], line["status"]) == (True, 200)
    assert any(line.get("Searches") == [1.0] for line in search.lines)
    assert any(line.get("Questions") == [1.0] for line in chat.lines)


def test_a_text_that_must_be_counted_is_counted_by_what_the_layer_has(start: Start) -> None:
    ingest = start("ingest")
    document = {**DOCUMENT, "path": "long.md", "text": f"{DOCUMENT['text']} " * 100 + "a" * 1000}
    created = body(ingest, ingest.invoke(request("POST", "/api/rag/ingest", document)))
    assert created["chunkCount"] == len(windows(document["text"])) > 1


@pytest.mark.parametrize("name", ["ingest", "search", "chat"])
def test_nobody_gets_in_without_the_authorizer(start: Start, name: str) -> None:
    function = start(name)
    paths = {"ingest": "/api/rag/ingest", "search": "/api/rag/search", "chat": "/api/chat"}
    answer = function.invoke(request("POST", paths[name], {}, context=None))
    assert body(function, answer, 401)["error"] == "Unauthorized"


def test_the_authorizer_knows_tokens_and_keys(start: Start) -> None:
    authorizer = start("authorizer")
    token = jwt.encode({"sub": "ann", "org": "acme", "tier": "premium"}, SECRET, "HS256")
    event = {
        "type": "REQUEST",
        "methodArn": "arn:aws:execute-api:eu-central-1:123456789012:abc/v1/POST/api/rag/search",
        "headers": {"Authorization": f"Bearer {token}"},
        "requestContext": {"requestId": "gateway-1"},
    }
    anybodys = event["methodArn"].replace("rag/search", "v1/chat")
    visitor = authorizer.invoke({**event, "methodArn": anybodys, "headers": {}})
    assert visitor["usageIdentifierKey"] == "0123456789abcdef-anonymous"
    answer = authorizer.invoke(event)
    assert answer["context"]["org"] == "acme", authorizer.log.read_text()
    assert answer["usageIdentifierKey"] == "0123456789abcdef-premium"
    for headers in ({}, {"Authorization": "Bearer x.y.z"}, {"x-api-key": "fn_unknown"}):
        refused = authorizer.invoke({**event, "headers": headers})
        assert refused["errorMessage"] == "Unauthorized"


def received(cloud: dict[str, str]) -> dict[str, Any]:
    """All that waits in the queue, taken off it, as the event that a worker gets."""
    sqs, url = client_of(cloud)("sqs"), cloud["QUEUE_URL"]
    records: list[dict[str, Any]] = []
    while found := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        records += [record(one["Body"], one["ReceiptHandle"]) for one in found]
        for one in found:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
    return {"Records": records}


def record(text: str, receipt: str = "handle") -> dict[str, Any]:
    """A message as SQS hands it to a function."""
    return {
        "messageId": receipt,
        "receiptHandle": receipt,
        "body": text,
        "attributes": {"ApproximateReceiveCount": "1"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:1:queue",
        "awsRegion": "eu-central-1",
    }


def bodies(event: dict[str, Any]) -> list[Any]:
    return [json.loads(one["body"]) for one in event["Records"]]


def test_a_job_goes_from_function_to_function(start: Start, cloud: dict[str, str]) -> None:
    ingest, worker, jobs = start("ingest"), start("worker"), start("jobs")
    received(cloud)
    job = body(ingest, ingest.invoke(request("POST", "/api/rag/ingest", JOB)), 202)
    assert (job["status"], job["progress"]) == ("queued", {"total": 1, "finished": 0})
    messages = received(cloud)
    assert bodies(messages) == [about_document("acme", job["jobId"], 0)]
    assert worker.invoke(messages) == {"batchItemFailures": []}, worker.log.read_text()
    read = request("GET", f"/api/rag/ingest/{job['jobId']}")
    told = body(jobs, jobs.invoke(read))
    assert (told["status"], told["indexed"], told["chunks"]) == ("completed", 1, 1), told
    listed = body(jobs, jobs.invoke(request("GET", "/api/rag/ingest")))
    assert [one["jobId"] for one in listed["jobs"]] == [job["jobId"]]


def test_a_job_that_is_cancelled_is_left_alone_by_the_worker(
    start: Start, cloud: dict[str, str]
) -> None:
    ingest, worker, jobs = start("ingest"), start("worker"), start("jobs")
    received(cloud)
    sent = {**JOB, "documents": [{"id": "toaster", "text": "The toaster has two slots."}]}
    job = body(ingest, ingest.invoke(request("POST", "/api/rag/ingest", sent)), 202)
    cancel = request("DELETE", f"/api/rag/ingest/{job['jobId']}")
    cancelled = body(jobs, jobs.invoke(cancel))
    assert (cancelled["status"], cancelled["failure"]["code"]) == ("failed", "CANCELLED")
    messages = received(cloud)
    assert worker.invoke(messages) == {"batchItemFailures": []}, worker.log.read_text()
    assert body(jobs, jobs.invoke(cancel)) == cancelled
    found = body(ingest, ingest.invoke(request("GET", "/api/rag/documents")))
    assert "toaster" not in [one["path"] for one in found["documents"]]


def test_the_sweeper_queues_again_what_a_worker_has_died_at(
    start: Start, cloud: dict[str, str]
) -> None:
    message = about_document("acme", "job_0", 0)
    dynamodb = client_of(cloud)("dynamodb")
    before = Leases(
        DynamoItems(dynamodb, cloud["ITEMS_TABLE"], time.time), lambda: time.time() - 2 * SECONDS
    )
    before.take(lease_name(message), "acme", message)
    sweeper = start("sweeper")
    received(cloud)
    assert sweeper.invoke({"every": 60}) == {"done": 4}, sweeper.log.read_text()
    assert bodies(received(cloud)) == [message]
    assert sweeper.invoke({"every": 60}) == {"done": 4}
    assert bodies(received(cloud)) == []  # it waits for a worker, and has its time to


def test_the_sweeper_sweeps(start: Start) -> None:
    sweeper = start("sweeper")
    assert sweeper.invoke({"every": 60}) == {"done": 4}, sweeper.log.read_text()
    assert sweeper.invoke({"every": 3600}) == {"done": 2}


def test_sources_are_listed(start: Start) -> None:
    sources = start("sources")
    listed = body(sources, sources.invoke(request("GET", "/api/rag/sources")))
    assert [one["id"] for one in listed["sources"]] == ["default"]


def test_visitors_of_a_site_are_answered_as_often_as_they_may(start: Start) -> None:
    ingest, sources, chat = start("ingest"), start("sources"), start("chat")
    body(ingest, ingest.invoke(request("POST", "/api/rag/ingest", DOCUMENT)))
    wanted = {"name": "Docs", "origins": ["https://app.example"], "data_sources": ["default"]}
    making = request("POST", "/api/v1/sites", wanted, {**ANN, "roles": '["admin"]'})
    site = body(sources, sources.invoke(making), 201)["id"]
    visit = request("POST", "/api/v1/chat", VISIT, context={})
    visit["multiValueHeaders"]["X-Site"] = [site]
    visit["requestContext"]["identity"] = {"sourceIp": "192.0.2.1"}
    for left in reversed(range(10)):
        visit["multiValueHeaders"]["X-Forwarded-For"] = [f"203.0.113.{left}"]
        answer = chat.invoke(visit)
        assert "twenty-four" in body(chat, answer)["answer"]
        assert answer["headers"]["x-ratelimit-remaining"] == str(left)
    refused = body(chat, chat.invoke(visit), 429)
    assert refused["error"]["code"] == "RATE_LIMIT_EXCEEDED"
    rated = {"answer_id": body(chat, answer)["answer_id"], "helpful": True}
    feedback = {**visit, "path": "/api/v1/feedback"}
    feedback["body"] = json.dumps({**rated, "session_id": VISIT["context"]["session_id"]})
    body(chat, chat.invoke(feedback))
    [row] = body(chat, chat.invoke(request("GET", "/api/v1/feedback")))["feedback"]
    assert (row["question"], row["helpful"]) == (QUESTION, True)


def test_pages_are_made_of_what_the_function_and_the_layer_have(start: Start) -> None:
    site = start("site")
    for path, part in {
        "/": "Answers that carry their sources",
        "/guide/formats": "<h1",
        "/console": "console/main.js",
        "/console/main.js": "const $main",
        "/widget.js": "Footnote",
        "/docs/swagger-ui.css": ".swagger-ui",
        "/openapi.json": "/api/v1/chat",
    }.items():
        answer = site.invoke(request("GET", path))
        assert answer["statusCode"] == 200, site.log.read_text()
        assert part in answer["body"]


def test_the_worker_takes_what_s3_says_at_first(start: Start) -> None:
    worker = start("worker")
    first = record(json.dumps({"Service": "Amazon S3", "Event": "s3:TestEvent"}))
    answer = worker.invoke({"Records": [first]})
    assert answer == {"batchItemFailures": []}, worker.log.read_text()


def test_every_function_of_ours_is_tried_here() -> None:
    """A new function gets its test: the names that are started above."""
    tried = set(re.findall(r'start\("(\w+)"\)', Path(__file__).read_text()))
    there = {path.parent.name for path in (ROOT / "functions").glob("*/handler.py")}
    assert there <= tried
