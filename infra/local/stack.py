"""`make stack`: the template on this machine, built and deployed as it is for AWS.

`start` prints where it serves; `stop` ends it and keeps what it holds; `env` prints what to export
so that our commands work on it or, with a name, on that stack in AWS.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.local import backends
from infra.local.after_deploy import complete_api
from infra.local.backends import ROOT, Place
from infra.local.deployed import Deployed
from infra.local.edge import CALLERS_KEY_HEADER, HEALTH
from infra.local.processes import Daemon, NotStarted, one_at_a_time
from infra.local.sam import Sam

NAME = "footnote-local"  # not that of what `make backends` makes there
PORT = 3001


@dataclass(frozen=True)
class Stack:
    """The template as it is deployed onto backends of its own, and served by an edge."""

    place: Place = field(default_factory=Place)
    port: int = PORT
    folder: Path = ROOT / ".aws-sam" / "stack"  # where it is built
    parameters: Mapping[str, str] = field(default_factory=dict)  # of the template

    def start(self) -> str:
        """Build, deploy and serve it as it now is, and return where. Raises NotStarted."""
        with _step("started the cloud's parts"):
            environment = backends.serve(self.place, AUTH="true")
        sam = Sam(self.folder, backends.credentials(self.place))
        with _step("built"):
            sam.build()
        with _step("deployed"):
            sam.deploy(NAME, {**self._parameters(environment), **self.parameters})
            self._complete()
        edge = self._edge()
        edge.start()
        edge.wait()
        return edge.url

    def stop(self) -> None:
        """End all of it."""
        self._door("", "").stop()
        backends.stop(self.place)

    @property
    def deployed(self) -> Deployed:
        """What was deployed."""
        return Deployed(NAME, backends.administrator(self.place))

    def _parameters(self, environment: Mapping[str, str]) -> dict[str, str]:
        return {
            "AwsEndpoint": environment["AWS_ENDPOINT_URL"],
            "OpenAIApiKey": environment["OPENAI_API_KEY"],
            "OpenAIBaseUrl": environment["OPENAI_BASE_URL"],
            "OpenAIModel": environment["OPENAI_MODEL"],
            "EmbeddingModel": environment["EMBEDDING_MODEL"],
            "PineconeApiKey": environment["PINECONE_API_KEY"],
            "PineconeHost": environment["PINECONE_HOST"],
            "ApiKeySource": "HEADER",
            "ApiKeyHeader": CALLERS_KEY_HEADER,
        }

    def _complete(self) -> None:
        outputs, client = self.deployed.outputs, self.deployed.client
        services = client("cloudformation"), client("apigateway")
        complete_api(*services, NAME, outputs["ApiId"], outputs["StageName"])

    def _edge(self) -> Daemon:
        outputs = self.deployed.outputs
        path = f"restapis/{outputs['ApiId']}/{outputs['StageName']}/_user_request_"
        return self._door(f"{backends.aws(self.place).url}/{path}", outputs["AuthorizerName"])

    def _door(self, gateway: str, authorizer: str) -> Daemon:
        address = ["--host", self.place.host, "--port", str(self.port)]
        behind = ["--gateway", gateway, "--authorizer", authorizer]
        return Daemon(
            "edge",
            [sys.executable, "-m", "infra.local.edge", *address, *behind],
            self.place.host,
            self.port,
            self.place.folder,
            backends.credentials(self.place),
            HEALTH,
            way_out=": stop that, or set STACK_PORT to another",
        )


@contextmanager
def _step(done: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    print(f"stack: {done} in {time.monotonic() - begun:.0f} s", file=sys.stderr)


def _environment(stack: Stack, name: str) -> dict[str, str]:
    """Of the stack on this machine, or of the one in AWS that has this name."""
    if name:
        return Deployed(name, boto3.client).settings
    return {
        **backends.credentials(stack.place),
        **stack.deployed.settings,
        "STACK_URL": f"http://{stack.place.host}:{stack.port}",
    }


def main(arguments: Sequence[str]) -> int:
    """Start it, stop it or say what to export, after whoever is doing so now."""
    try:
        place = Place.from_environment(os.environ)
        stack = Stack(place, int(os.environ.get("STACK_PORT") or PORT))
        match arguments:
            case ["env", name]:
                for variable, value in _environment(stack, name).items():
                    print(f"export {variable}={shlex.quote(value)}")
            case ["stop"]:
                with one_at_a_time(place.folder):
                    stack.stop()
            case _:
                with one_at_a_time(place.folder):
                    print(stack.start())
        return 0
    except (NotStarted, BotoCoreError, ClientError) as wrong:
        print(f"stack: {wrong}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
