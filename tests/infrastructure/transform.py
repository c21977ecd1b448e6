"""Prints the template as CloudFormation gets it from SAM, once for each set of parameters.

Runs on SAM's own environment. Standard input: {"template": path, "parameters": [{…}, …],
"replace": {resource: {property: value}}}.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import boto3
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

logging.disable(logging.CRITICAL)


def transformed(text: str, replace: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    template = yaml_parse(text)
    for resource in template["Resources"].values():
        for name in ("CodeUri", "ContentUri"):
            if name in resource.get("Properties", {}):
                uploaded = f"s3://bucket/{resource['Properties'][name]}"
                resource["Properties"][name] = uploaded
    for name, properties in replace.items():
        template["Resources"][name]["Properties"].update(properties)
    translator = Translator({}, Parser(), boto_session=boto3.Session(region_name="eu-central-1"))
    result: dict[str, Any] = translator.translate(template, parameters)
    return result


def main() -> None:
    asked = json.load(sys.stdin)
    text = Path(asked["template"]).read_text()
    print(
        json.dumps(
            {
                "source": yaml_parse(text),
                "results": [
                    transformed(text, asked["replace"], parameters)
                    for parameters in asked["parameters"]
                ],
            }
        )
    )


if __name__ == "__main__":
    main()
