"""`make backends`: the cloud's parts on this machine, in the background.

`start` prints what to export; `stop` ends them and keeps what they hold.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from infra.local.processes import Daemon, NotStarted, one_at_a_time
from infra.local.resources import make_bucket, make_queues, make_table, send_notices

ROOT = Path(__file__).parents[2]
EMULATOR = ROOT / ".emulator" / "bin" / "python"
REGION = "eu-central-1"
KEY = "local"  # of every vendor: nobody checks, but all want one

VARIABLES = {
    "host": "BACKENDS_HOST",
    "folder": "BACKENDS_DIR",
    "aws_port": "AWS_PORT",
    "openai_port": "OPENAI_PORT",
    "pinecone_port": "PINECONE_PORT",
}


@dataclass(frozen=True)
class Place:
    """Where the backends serve, and the folder that keeps what they hold."""

    host: str = "127.0.0.1"
    folder: Path = ROOT / ".backends"
    aws_port: int = 4566
    openai_port: int = 3090
    pinecone_port: int = 5081

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Place:
        """As the environment says; a variable that is empty counts as not set."""
        given = {
            field: environment[name] for field, name in VARIABLES.items() if environment.get(name)
        }
        host = given.pop("host", cls.host)
        folder = Path(given.pop("folder", cls.folder)).absolute()
        try:
            return cls(host, folder, **{field: int(port) for field, port in given.items()})
        except ValueError as wrong:
            raise NotStarted(f"A port is a number: {wrong}.") from wrong


def aws(place: Place, **settings: str) -> Daemon:
    """The AWS emulator; `settings` are its own, such as AUTH="true", by which it enforces IAM."""
    data = place.folder / "aws"
    environment = {
        "BIND_HOST": place.host,
        "GATEWAY_PORT": str(place.aws_port),
        "PERSIST_STATE": "1",
        "STATE_DIR": str(data / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(data / "s3"),
        # Where it unpacks functions, and leaves them.
        "TMPDIR": str(_scratch(place)),
        # For the functions that it runs; and its administrator is who has our key.
        "AWS_ENDPOINT_URL": f"http://{place.host}:{place.aws_port}",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": KEY,
        "MINISTACK_REGION": REGION,
    }
    command = [str(EMULATOR), "-m", "ministack"]
    return _daemon(place, "aws", command, {**environment, **settings}, "/_ministack/health")


def openai(place: Place) -> Daemon:
    """OpenAI's API."""
    address = ["--host", place.host, "--port", str(place.openai_port)]
    return _daemon(place, "openai", _ours("openai_server", *address))


def pinecone(place: Place) -> Daemon:
    """Pinecone's data plane: one index."""
    address = ["--host", place.host, "--port", str(place.pinecone_port)]
    held = ["--api-key", KEY, "--data", str(place.folder / "pinecone.sqlite")]
    return _daemon(place, "pinecone", _ours("pinecone_server", *address, *held))


def start(place: Place) -> dict[str, str]:
    """Have all of them serve, and return the environment that leads to them."""
    environment = serve(place)
    return {**environment, **_resources(place)}


def serve(place: Place, **settings: str) -> dict[str, str]:
    """Have all of them serve, AWS by these settings, with nothing on it but what was there."""
    daemons = [aws(place, **settings), openai(place), pinecone(place)]
    _scratch(place).mkdir(parents=True, exist_ok=True)
    for daemon in daemons:
        daemon.start()
    for daemon in daemons:
        daemon.wait()
        print(f"backends: {daemon.name} serves on {daemon.url}", file=sys.stderr)
    _, to_openai, to_pinecone = (daemon.url for daemon in daemons)
    return {
        **credentials(place),
        "OPENAI_BASE_URL": f"{to_openai}/v1",
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "extractive",
        "EMBEDDING_MODEL": "all-MiniLM-L6-v2",
        "PINECONE_API_KEY": KEY,
        "PINECONE_HOST": to_pinecone,
    }


def credentials(place: Place) -> dict[str, str]:
    """What leads AWS's tools to this emulator, as its administrator."""
    return {
        "AWS_ENDPOINT_URL": aws(place).url,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": KEY,
    }


def administrator(place: Place) -> Callable[[str], Any]:
    """Makes clients of any of AWS's services, on this emulator."""
    import boto3

    session = boto3.Session(KEY, KEY, region_name=REGION)
    return partial(session.client, endpoint_url=aws(place).url)


def stop(place: Place) -> None:
    """End all of them."""
    for daemon in (aws(place), openai(place), pinecone(place)):
        daemon.stop()
    shutil.rmtree(_scratch(place), ignore_errors=True)


def _scratch(place: Place) -> Path:
    return place.folder / "aws" / "tmp"


def _resources(place: Place) -> dict[str, str]:
    """Make what a stack has, and return its names."""
    from rag.adapters.aws.clients import client

    os.environ.update(credentials(place))  # which is where boto3 looks for them
    where = {"region": REGION, "endpoint": aws(place).url}
    dynamodb, s3, sqs = (client(service, **where) for service in ("dynamodb", "s3", "sqs"))
    items, fleeting, uploads = "footnote-items", "footnote-fleeting", "footnote-uploads"
    make_table(dynamodb, items)
    make_table(dynamodb, fleeting)
    make_bucket(s3, uploads, REGION)
    queue, dead = make_queues(sqs, "footnote-ingest", "footnote-dead")
    send_notices(s3, sqs, uploads, queue)
    return {
        "ITEMS_TABLE": items,
        "FLEETING_TABLE": fleeting,
        "UPLOADS_BUCKET": uploads,
        "QUEUE_URL": queue,
        "DEAD_QUEUE_URL": dead,
    }


def _ours(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"infra.local.{module}", *arguments]


def _daemon(
    place: Place,
    name: str,
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    path: str = "/",
) -> Daemon:
    port: int = getattr(place, f"{name}_port")
    way_out = f": stop that, or set {name.upper()}_PORT to another"
    return Daemon(name, command, place.host, port, place.folder, environment or {}, path, way_out)


def main(arguments: Sequence[str]) -> int:
    """Start or stop, after whoever is doing so now."""
    try:
        place = Place.from_environment(os.environ)
        with one_at_a_time(place.folder):
            if arguments == ["stop"]:
                stop(place)
                return 0
            for name, value in start(place).items():
                print(f"export {name}={shlex.quote(value)}")
            return 0
    except NotStarted as sentence:
        print(f"backends: {sentence}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
