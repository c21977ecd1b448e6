"""Prints the routes as `sam local start-api` reads them: method, path, function, authorizer.

Runs on SAM's own environment. Arguments: the template, and then parameters as name=value.
"""

from __future__ import annotations

import json
import logging
import sys

from samcli.lib.providers.api_provider import ApiProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider

logging.disable(logging.CRITICAL)

parameters = dict(pair.split("=", 1) for pair in sys.argv[2:])
stacks, _ = SamLocalStackProvider.get_stacks(sys.argv[1], parameter_overrides=parameters)
print(
    json.dumps(
        [
            [
                method,
                route.path,
                route.function_name,
                getattr(route.authorizer_object, "lambda_name", None),
            ]
            for route in ApiProvider(stacks).routes
            for method in route.methods
        ]
    )
)
