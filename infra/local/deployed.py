"""A stack that was deployed, on AWS or on the emulator: where it is, and how to speak for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rag.runtime.settings import Settings

# These two know between them all that a command for the stack needs; secrets only by their names.
SPEAKERS = ("WorkerFunction", "AuthorizerFunction")


@dataclass(frozen=True, slots=True)
class Deployed:
    """A stack, by its name, in the account that clients of AWS lead to."""

    name: str
    client: Callable[[str], Any]

    @property
    def outputs(self) -> dict[str, str]:
        """What the template says about it."""
        told = self.client("cloudformation").describe_stacks(StackName=self.name)
        return {one["OutputKey"]: one["OutputValue"] for one in told["Stacks"][0]["Outputs"]}

    @property
    def exports(self) -> dict[str, str]:
        """The environment by which our commands work on what this stack holds."""
        functions = self.client("lambda")
        known = {name.upper() for name in Settings.model_fields}
        outputs, region = self.outputs, functions.meta.region_name
        found = {
            "STACK_URL": outputs["ApiUrl"],
            "WIDGET_URL": outputs["WidgetUrl"],
            "AWS_REGION": region,
        }
        for name in SPEAKERS:
            about = functions.get_function_configuration(FunctionName=self.resource(name))
            variables = about["Environment"]["Variables"].items()
            found |= {name: value for name, value in variables if name in known and value}
        return found

    def invoke(self, function: str, event: Mapping[str, Any]) -> Any:
        """What a function returns, or says of what went wrong in it."""
        answer = self.client("lambda").invoke(FunctionName=function, Payload=json.dumps(event))
        return json.loads(answer["Payload"].read())

    def resource(self, name: str) -> str:
        """How AWS calls what the template calls so."""
        which = {"StackName": self.name, "LogicalResourceId": name}
        told = self.client("cloudformation").describe_stack_resource(**which)
        id: str = told["StackResourceDetail"]["PhysicalResourceId"]
        return id
