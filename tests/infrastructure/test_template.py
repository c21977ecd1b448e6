"""The template is sound, before anything is deployed."""

from __future__ import annotations

import os
import subprocess
from graphlib import TopologicalSorter
from typing import Any

import pytest

from tests.infrastructure.stack import (
    ENVIRONMENTS,
    ROOT,
    SAM,
    Stack,
    nodes,
    overrides,
    references,
    samconfig,
    set_up,
    transform,
)


@pytest.mark.parametrize("more", [[], ["--lint"]], ids=["validate", "lint"])
def test_sam_finds_nothing_wrong(more: list[str]) -> None:
    set_up()
    environment = {**os.environ, "SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "us-east-1"}
    command = [SAM / "sam", "validate", *more]
    answer = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("name", ["as written", *ENVIRONMENTS])
def test_every_name_that_is_referred_to_exists(stacks: dict[str, Stack], name: str) -> None:
    template = stacks[name].template
    there = {*template["Resources"], *template["Parameters"]}
    named = {one for one in references(template) if not one.startswith("AWS::")}
    assert named - there == set()


def test_every_condition_that_is_named_exists(source: dict[str, Any]) -> None:
    named = {
        one
        for node in nodes(source)
        for one in (node.get("Condition"), *node.get("Fn::If", [])[:1])
        if isinstance(one, str)
    }
    assert named
    assert named <= set(source["Conditions"])


def test_every_parameter_and_condition_is_used(source: dict[str, Any]) -> None:
    text = {key: value for key, value in source.items() if key not in ("Parameters", "Metadata")}
    assert set(source["Parameters"]) - set(references(text)) == set()
    used = {
        one
        for node in nodes(source)
        for one in (node.get("Condition"), *node.get("Fn::If", [])[:1])
        if isinstance(one, str)
    }
    assert set(source["Conditions"]) - used == set()


def test_every_parameter_is_explained_and_has_its_place_in_the_console(
    source: dict[str, Any],
) -> None:
    groups = source["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    shown = [name for group in groups for name in group["Parameters"]]
    assert sorted(shown) == sorted(source["Parameters"])
    assert all(one["Description"] for one in source["Parameters"].values())


@pytest.mark.parametrize("name", ["as written", *ENVIRONMENTS])
def test_no_resource_waits_for_itself(stacks: dict[str, Stack], name: str) -> None:
    resources = stacks[name].resources
    waits = {
        one: {other for other in references(resource) if other in resources}
        for one, resource in resources.items()
    }
    assert len(list(TopologicalSorter(waits).static_order())) == len(resources)  # or CycleError


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_samconfig_gives_parameters_that_exist(source: dict[str, Any], environment: str) -> None:
    for command in ("build", "deploy"):
        for name, value in overrides(environment, command).items():
            parameter = source["Parameters"][name]
            assert value in map(str, parameter.get("AllowedValues", [value]))
            assert not parameter.get("NoEcho"), "no secrets in files"


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_what_is_built_is_what_is_deployed(environment: str) -> None:
    built = overrides(environment, "build")
    assert set(built) == {"Runtime", "Architecture"}
    assert built.items() <= overrides(environment, "deploy").items()


def test_what_runs_under_sam_local_is_what_was_built() -> None:
    assert overrides("default", "local_start_api") == overrides("default", "build")


def test_a_deployment_does_not_inherit_the_release_of_an_earlier_one() -> None:
    """A stack keeps parameters that are not named, and an old Release would hide new code."""
    assert {overrides(one)["Release"] for one in ENVIRONMENTS} == {""}


def test_snapshots_are_for_production_not_for_dev(stacks: dict[str, Stack]) -> None:
    assert "SnapStart" not in overrides("dev")
    assert stacks["dev"].template["Parameters"]["SnapStart"]["Default"] == "disabled"
    assert overrides("prod")["SnapStart"] == "enabled"


def test_new_code_in_the_layer_publishes_new_versions(stack: Stack) -> None:
    """The gateway calls published versions, and nearly all code is in the layer."""
    _, (changed,) = transform({}, replace={"Layer": {"ContentUri": "s3://bucket/another"}})
    before, after = (set(one.of("AWS::Lambda::Version")) for one in (stack, changed))
    assert len(before) == len(after) > 0
    assert not before & after


def test_a_release_publishes_new_versions(stack: Stack) -> None:
    _, (released,) = transform({"Release": "1800000000"})
    assert not set(stack.of("AWS::Lambda::Version")) & set(released.of("AWS::Lambda::Version"))


def test_stacks_have_names_that_a_bucket_may_have(source: dict[str, Any]) -> None:
    names = {samconfig()[one]["global"]["parameters"]["stack_name"] for one in ENVIRONMENTS}
    assert len(names) == len(ENVIRONMENTS)
    for name in names:
        longest = f"{name}-uploads-123456789012-ap-southeast-1"
        assert name == name.lower()
        assert len(longest) <= 63
