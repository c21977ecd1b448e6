"""`make stack`: the template on this machine, built and deployed as it is for AWS.

`start`, with parameters of the template as `Name=value`, prints where it serves; `stop` ends it and
keeps what it holds; `env` prints what to export so that our commands work on it or, with a name, on
that stack in AWS.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.local import backends
from infra.local.after_deploy import complete_apis
from infra.local.backends import ROOT, Place
from infra.local.deployed import Deployed
from infra.local.edge import CALLERS_KEY_HEADER, HEALTH
from infra.local.processes import Daemon, NotStarted, one_at_a_time
from infra.local.sam import Sam
from infra.local.wake import wake

NAME = "footnote-local"  # not that of what `make backends` makes there
PORT = 3001
FOLDER = ROOT / ".aws-sam" / "stack"


@dataclass(frozen=True)
class Stack:
    """The template as it is deployed onto backends of its own, and served by an edge."""

    place: Place = field(default_factory=Place)
    port: int = PORT
    folder: Path = FOLDER  # where it is built
    parameters: Mapping[str, str] = field(default_factory=dict)  # of the template

    def start(self) -> str:
        """Build, deploy and serve it as it now is, and return where. Raises NotStarted."""
        with _step("started the cloud's parts"):
            environment = backends.serve(self.place, AUTH="true")
        sam = Sam(self.folder, backends.credentials(self.place))
        with _step("built"):
            sam.build()
        with _step("deployed"):
            sam.deploy(NAME, self._parameters(environment))
            complete_apis(self.deployed)
        authorizer = self.deployed.resource("AuthorizerFunction")
        gateways = ("--gateway", self.gateway("ApiId"), "--widget", self.gateway("WidgetApiId"))
        edge = self._edge(*gateways, "--authorizer", authorizer)
        edge.start()
        edge.wait()
        with _step("woke the functions"):
            wake(self.deployed)
        return self.url

    def stop(self) -> None:
        """End all of it."""
        self._edge().stop()
        backends.stop(self.place)

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"http://{self.place.host}:{self.port}"

    @property
    def deployed(self) -> Deployed:
        """What was deployed."""
        return Deployed(NAME, backends.administrator(self.place))

    def gateway(self, api: str) -> str:
        """Where the emulator serves the API of that output, without the edge."""
        outputs = self.deployed.outputs
        stage = f"restapis/{outputs[api]}/{outputs['StageName']}/_user_request_"
        return f"{backends.aws(self.place).url}/{stage}"

    @property
    def exports(self) -> dict[str, str]:
        """The environment by which our commands work on it."""
        credentials = backends.credentials(self.place)
        urls = {"STACK_URL": self.url, "WIDGET_URL": self.url}
        return {**credentials, **self.deployed.exports, **urls}

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
            **self.parameters,
        }

    def _edge(self, *behind: str) -> Daemon:
        address = ["--host", self.place.host, "--port", str(self.port)]
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


def _stack(environment: Mapping[str, str]) -> Stack:
    """As the environment says; a variable that is empty counts as not set."""
    port = environment.get("STACK_PORT") or str(PORT)
    if not port.isdecimal():
        raise NotStarted(f"STACK_PORT={port} is no port.")
    return Stack(
        Place.from_environment(environment),
        int(port),
        Path(environment.get("STACK_DIR") or FOLDER).absolute(),
    )


def main(arguments: Sequence[str]) -> int:
    """Start it, stop it or say what to export, after whoever is doing so now."""
    try:
        here = _stack(os.environ)
        match arguments:
            case ["env", name]:
                stack = Deployed(name, boto3.client) if name else here
                for variable, value in stack.exports.items():
                    print(f"export {variable}={shlex.quote(value)}")
            case ["stop"]:
                with one_at_a_time(here.place.folder):
                    here.stop()
            case ["start", *parameters]:
                given = dict(parameter.split("=", 1) for parameter in parameters)
                with one_at_a_time(here.place.folder), one_at_a_time(here.folder):
                    print(replace(here, parameters=given).start())
            case _:
                raise NotStarted("use start, stop, or env with the name of a stack in AWS or ''.")
        return 0
    except (NotStarted, BotoCoreError, ClientError) as wrong:
        print(f"stack: {wrong}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
