"""What the emulator leaves out of the APIs that SAM describes: done once after every deployment.

The gateway's own answers, and the headers of its answers to browsers that ask before they call
(OPTIONS), are in the template that SAM has made of ours; the emulator reads neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.local.deployed import Deployed

APIS = {"Api": "ApiId", "WidgetApi": "WidgetApiId"}  # resources of the template, and its outputs
RESPONSES = "x-amazon-apigateway-gateway-responses"
INTEGRATION = "x-amazon-apigateway-integration"


def complete_apis(stack: Deployed) -> None:
    """Give the deployed APIs what their descriptions say, and serve them so."""
    gateway, outputs = stack.client("apigateway"), stack.outputs
    which = {"StackName": stack.name, "TemplateStage": "Processed"}
    template = stack.client("cloudformation").get_template(**which)["TemplateBody"]
    for name, output in APIS.items():
        api = {"restApiId": outputs[output]}
        _complete(gateway, api, template["Resources"][name]["Properties"]["Body"])
        gateway.create_deployment(**api, stageName=outputs["StageName"])


def _complete(gateway: Any, api: Mapping[str, str], body: Mapping[str, Any]) -> None:
    """`body` is the API in OpenAPI's words."""
    for kind, response in body[RESPONSES].items():
        gateway.put_gateway_response(**api, responseType=kind, **response)
    ids = {
        resource["path"]: resource["id"]
        for page in gateway.get_paginator("get_resources").paginate(**api)
        for resource in page["items"]
    }
    for path, methods in body["paths"].items():
        if "options" in methods:
            method = {**api, "resourceId": ids[path], "httpMethod": "OPTIONS"}
            _answer_preflights(gateway, method, methods["options"][INTEGRATION]["responses"])


def _answer_preflights(
    gateway: Any, method: Mapping[str, str], responses: Mapping[str, Any]
) -> None:
    for response in responses.values():
        named = {**method, "statusCode": response["statusCode"]}
        headers = response["responseParameters"]
        gateway.put_method_response(**named, responseParameters=dict.fromkeys(headers, False))
        gateway.put_integration_response(
            **named,
            responseParameters=headers,
            responseTemplates=response["responseTemplates"],
        )
