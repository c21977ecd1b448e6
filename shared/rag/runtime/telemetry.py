"""What a Lambda function tells its operator: log lines, metrics in them, and traces.

| metric | counts |
|---|---|
| Ingested, Failed | documents that became findable, or did not |
| Searches | for passages of documents |
| Questions, Abstained | to documents, and those that they did not answer |
| Unsupported | sentences of answers that no source holds |
| Tokens | of vendors' models |
| RetrieveMilliseconds, … | how long each stage of the work took |
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from rag import timing, usage

Handler = Callable[[dict[str, Any], Any], Any]


class Telemetry:
    """Of one function. Lines hold no text of documents and no credentials."""

    def __init__(self, level: str) -> None:
        self._logger = Logger(level=level, location=None)
        self._metrics = Metrics()

    def around(self, handler: Handler) -> Handler:
        """Lines know their invocation; metrics are written once; a sampled call is traced."""

        def invoked(event: dict[str, Any], context: Any) -> Any:
            gateway = event.get("requestContext") or {}
            if "requestId" in gateway:
                self._logger.append_keys(gateway_request_id=gateway["requestId"])
            try:
                return self._traced(handler)(event, context)
            finally:
                if self._metrics.metric_set:
                    self._metrics.add_dimension("function", context.function_name)
                    self._metrics.flush_metrics()

        with_context: Handler = self._logger.inject_lambda_context(invoked, clear_state=True)
        return with_context

    def measured(self, handler: Handler) -> Handler:
        """What the handler counts and how long its stages take become metrics."""

        def counting(event: dict[str, Any], context: Any) -> Any:
            with timing.measured() as stages, usage.counted() as used:
                try:
                    return handler(event, context)
                finally:
                    self.measure(stages, used)

        return counting

    def request(self, line: dict[str, Any]) -> None:
        """Tell of one HTTP request; failures of ours are errors."""
        severity = self._logger.error if line.get("status", 500) >= 500 else self._logger.info
        severity("request", **line)
        self.measure(line["stages"], line.get("usage", {}))

    def tell(self, message: str, **more: Any) -> None:
        """Write a line."""
        self._logger.info(message, **more)

    def warn(self, message: str, **more: Any) -> None:
        """Write a line about something that an operator should look at."""
        self._logger.error(message, **more)

    def measure(self, stages: Mapping[str, float], used: Mapping[str, int]) -> None:
        """Add to the metrics of this invocation."""
        for name in usage.COUNTS:
            if used.get(name):
                self._metrics.add_metric(name.capitalize(), MetricUnit.Count, used[name])
        if tokens := usage.tokens(used):
            self._metrics.add_metric("Tokens", MetricUnit.Count, tokens)
        for stage, milliseconds in stages.items():
            name = f"{stage.capitalize()}Milliseconds"
            self._metrics.add_metric(name, MetricUnit.Milliseconds, milliseconds)

    def _traced(self, handler: Handler) -> Handler:
        """X-Ray's SDK costs a cold start, so only an invocation that is traced imports it."""
        sampled = "Sampled=1" in os.environ.get("_X_AMZN_TRACE_ID", "")
        if not sampled or "AWS_XRAY_DAEMON_ADDRESS" not in os.environ:
            return handler
        # Answers quote documents, and so may the messages of errors.
        traced: Handler = self._tracer.capture_lambda_handler(
            handler, capture_response=False, capture_error=False
        )
        return traced

    @cached_property
    def _tracer(self) -> Any:
        from aws_lambda_powertools import Tracer

        return Tracer(patch_modules=["botocore"])
