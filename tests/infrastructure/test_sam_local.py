"""`sam local start-api` leads to `make backends`."""

from __future__ import annotations

import json
import os
import subprocess
from urllib.parse import urlsplit

import pytest

from infra.local.backends import KEY, REGION, Place
from tests.infrastructure.stack import (
    ROOT,
    SAM,
    TEMPLATE,
    Stack,
    overrides,
    samconfig,
    set_up,
)
from tests.infrastructure.test_api import is_page

HOST = "host.docker.internal"


@pytest.fixture
def given() -> dict[str, str]:
    settings = samconfig()["default"]["local_start_api"]["parameters"]
    variables: dict[str, str] = json.loads((ROOT / settings["env_vars"]).read_text())["Parameters"]
    return variables


def test_it_sets_only_what_the_template_declares(given: dict[str, str], stack: Stack) -> None:
    """SAM ignores everything else."""
    declared = {
        name
        for function in stack.functions.values()
        for name in function["Environment"]["Variables"]
    }
    assert set(given) <= declared


def test_no_secret_is_left_to_be_looked_up(given: dict[str, str], stack: Stack) -> None:
    referred = {
        name
        for function in stack.functions.values()
        for name, value in function["Environment"]["Variables"].items()
        if "secretsmanager:" in str(value)
    }
    assert referred
    assert referred <= set(given)


def test_it_finds_the_backends_where_they_are(given: dict[str, str]) -> None:
    place = Place()
    ports = {
        "AWS_ENDPOINT_URL": place.aws_port,
        "QUEUE_URL": place.aws_port,
        "DEAD_QUEUE_URL": place.aws_port,
        "OPENAI_BASE_URL": place.openai_port,
        "PINECONE_HOST": place.pinecone_port,
    }
    for name, port in ports.items():
        assert urlsplit(given[name]).netloc == f"{HOST}:{port}", name
    assert given["OPENAI_API_KEY"] == given["PINECONE_API_KEY"] == KEY


def test_containers_know_this_machine_by_that_name_and_its_region() -> None:
    settings = samconfig()["default"]["local_start_api"]["parameters"]
    assert settings["add_host"] == [f"{HOST}:host-gateway"]
    assert settings["region"] == REGION


def test_it_runs_where_most_machines_are() -> None:
    """On x86_64, containers for arm64 need an emulator; the other way round, Docker brings it."""
    assert overrides("default", "local_start_api")["Architecture"] == "x86_64"


def test_it_knows_every_route_and_whom_to_ask_who_calls(stack: Stack) -> None:
    """It passes over an authorizer that it cannot find, and then every answer would be 401."""
    set_up()
    given = [f"{name}={value}" for name, value in overrides("default", "local_start_api").items()]
    answer = subprocess.run(
        [SAM / "python", ROOT / "tests/infrastructure/sam_routes.py", TEMPLATE, *given],
        env={**os.environ, "AWS_DEFAULT_REGION": REGION, "SAM_CLI_TELEMETRY": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    routes = json.loads(answer.stdout.splitlines()[-1])
    assert {(method, path) for method, path, *_ in routes} == set(stack.operations)
    for _, path, _, authorizer in routes:
        assert authorizer == (None if is_page(path) else "AuthorizerFunction")
