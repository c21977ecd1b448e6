"""The template as CloudFormation sees it, and questions to it."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SAM = ROOT / ".sam" / "bin"
TEMPLATE = ROOT / "template.yaml"

# What has no default.
REQUIRED = {
    "OpenAIApiKey": "sk-1",
    "PineconeApiKey": "pc-1",
    "PineconeHost": "https://index.example",
}
ENVIRONMENTS = ("default", "dev", "staging", "prod")
IN_A_SUB = re.compile(r"\$\{([^!}][^}]*)\}")


@cache
def set_up() -> None:
    """SAM's own environment; quick when it is there."""
    subprocess.run([ROOT / "infra/local/setup", "sam"], check=True, capture_output=True)


@cache
def samconfig() -> dict[str, Any]:
    return tomllib.loads((ROOT / "samconfig.toml").read_text())


def overrides(environment: str, command: str = "deploy") -> dict[str, str]:
    """The parameters that samconfig.toml gives."""
    text = samconfig()[environment][command]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in text.split())


def transform(
    *parameters: Mapping[str, str], replace: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], list[Stack]]:
    """The template as it is written, and as SAM makes it of each set of parameters."""
    set_up()
    asked = {
        "template": str(TEMPLATE),
        "parameters": [{**REQUIRED, **one} for one in parameters],
        "replace": dict(replace or {}),
    }
    answer = subprocess.run(
        [SAM / "python", Path(__file__).with_name("transform.py")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    said = json.loads(answer.stdout)
    return said["source"], [Stack(one) for one in said["results"]]


class Stack:
    """What CloudFormation is given."""

    def __init__(self, template: dict[str, Any]) -> None:
        self.template = template
        self.resources: dict[str, dict[str, Any]] = template["Resources"]

    def of(self, type: str) -> dict[str, dict[str, Any]]:
        """The properties of all resources of a type."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self.resources.items()
            if resource["Type"] == type
        }

    def one(self, type: str) -> dict[str, Any]:
        """The properties of the only resource of a type."""
        (properties,) = self.of(type).values()
        return properties

    @property
    def functions(self) -> dict[str, dict[str, Any]]:
        """By the name of their folder."""
        return {
            function["Handler"].split(".")[1]: function
            for function in self.of("AWS::Lambda::Function").values()
        }

    def api(self, name: str) -> dict[str, Any]:
        """An API in OpenAPI's words."""
        body: dict[str, Any] = self.of("AWS::ApiGateway::RestApi")[name]["Body"]
        return body

    def offered(self, api: str) -> dict[tuple[str, str], dict[str, Any]]:
        """What an API offers, by method and path."""
        return {
            (method.upper(), path): operation
            for path, item in self.api(api)["paths"].items()
            for method, operation in item.items()
        }

    @property
    def operations(self) -> dict[tuple[str, str], dict[str, Any]]:
        """What all of them offer."""
        apis = self.of("AWS::ApiGateway::RestApi")
        return {route: one for api in apis for route, one in self.offered(api).items()}

    def routes(self, function: str) -> set[tuple[str, str]]:
        """What the APIs send to a function."""
        wanted = f"${{{function.capitalize()}Function.Alias}}"
        wanted_after = f"${{{function.capitalize()}FunctionAliaslive}}"
        return {
            route
            for route, operation in self.operations.items()
            if any(
                one in json.dumps(operation.get("x-amazon-apigateway-integration"))
                for one in (wanted, wanted_after)
            )
        }

    def statements(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every statement that allows a role something, with the role's name."""
        for name, role in self.of("AWS::IAM::Role").items():
            for policy in role.get("Policies", []):
                for statement in policy["PolicyDocument"]["Statement"]:
                    yield name, statement

    def role_of(self, function: str) -> str:
        """The name of a function's role."""
        name: str = self.functions[function]["Role"]["Fn::GetAtt"][0]
        return name


def listed(value: Any) -> list[Any]:
    """A list of what may be one or many."""
    return value if isinstance(value, list) else [value]


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping inside."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from nodes(one)


def references(value: Any) -> Iterator[str]:
    """Every name that a Ref, GetAtt, Sub or DependsOn inside names."""
    for node in nodes(value):
        if "Ref" in node:
            yield node["Ref"]
        if "Fn::GetAtt" in node:
            target = node["Fn::GetAtt"]
            yield target[0] if isinstance(target, list) else target.split(".")[0]
        if "Fn::Sub" in node:
            text, own = node["Fn::Sub"], {}
            if isinstance(text, list):
                text, own = text
            for name in IN_A_SUB.findall(text):
                if name not in own:
                    yield name.split(".")[0]
        yield from (one for one in listed(node.get("DependsOn", [])) if isinstance(one, str))
