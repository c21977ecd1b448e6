"""What the emulator leaves out of an API that SAM describes: done once after every deployment.

The gateway's own answers, and the headers of its answers to browsers that ask before they call
(OPTIONS), are in the template that SAM has made of ours; the emulator reads neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.local.deployed import Deployed

API = "Api"  # the resource in the template
RESPONSES = "x-amazon-apigateway-gateway-responses"
INTEGRATION = "x-amazon-apigateway-integration"


def complete_api(stack: Deployed) -> None:
    """Give the deployed API what its description says, and serve it so."""
    gateway, outputs = stack.client("apigateway"), stack.outputs
    api = {"restApiId": outputs["ApiId"]}
    body = _description(stack)
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
    gateway.create_deployment(**api, stageName=outputs["StageName"])


def _description(stack: Deployed) -> Mapping[str, Any]:
    """The API in OpenAPI's words."""
    which = {"StackName": stack.name, "TemplateStage": "Processed"}
    template = stack.client("cloudformation").get_template(**which)["TemplateBody"]
    body: Mapping[str, Any] = template["Resources"][API]["Properties"]["Body"]
    return body


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
