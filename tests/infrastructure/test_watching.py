"""What an operator sees, and is told."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.infrastructure.stack import Stack

NEEDED = {
    "SlowWorkerAlarm": "Duration",
    "DeadLettersAlarm": "ApproximateNumberOfMessagesVisible",
    "OldestMessageAlarm": "ApproximateAgeOfOldestMessage",
    "SweeperAlarm": "Errors",
}


def alarm(stack: Stack, name: str) -> dict[str, Any]:
    return stack.of("AWS::CloudWatch::Alarm")[name]


@pytest.mark.parametrize("name", NEEDED)
def test_there_is_an_alarm(stack: Stack, name: str) -> None:
    assert alarm(stack, name)["MetricName"] == NEEDED[name]


@pytest.mark.parametrize(
    ("name", "metric", "stat"),
    [("ServerErrorsAlarm", "5XXError", "Sum"), ("SlowAnswersAlarm", "Latency", "p99")],
)
def test_both_apis_are_watched(stack: Stack, name: str, metric: str, stat: str) -> None:
    told, *watched = alarm(stack, name)["Metrics"]
    assert told["Expression"] in ("SUM(METRICS())", "MAX(METRICS())")
    assert all((one["MetricStat"]["Stat"], one["ReturnData"]) == (stat, False) for one in watched)
    metrics = [one["MetricStat"]["Metric"] for one in watched]
    assert {one["MetricName"] for one in metrics} == {metric}
    names = [one["Dimensions"][0]["Value"] for one in metrics]
    assert names == [api["Name"] for api in stack.of("AWS::ApiGateway::RestApi").values()]


def test_throttles_of_every_function_that_somebody_waits_for_are_an_alarm(stack: Stack) -> None:
    metrics = alarm(stack, "ThrottlesAlarm")["Metrics"]
    watched = {
        one["MetricStat"]["Metric"]["Dimensions"][0]["Value"]["Ref"]
        for one in metrics
        if "MetricStat" in one and one["MetricStat"]["Metric"]["MetricName"] == "Throttles"
    }
    names = {f"{one.capitalize()}Function" for one in stack.functions}
    assert watched == names - {"SweeperFunction"}


def test_every_alarm_and_the_dashboard_can_be_left_out(stack: Stack) -> None:
    for name in stack.of("AWS::CloudWatch::Alarm"):
        assert stack.resources[name]["Condition"] == "WithAlarms", name
    assert stack.resources["AlarmTopic"]["Condition"] == "WithEmail"
    assert stack.resources["Overview"]["Condition"] == "WithDashboard"


def test_every_alarm_tells_whoever_wants_to_know_and_is_silent_at_rest(stack: Stack) -> None:
    for name, one in stack.of("AWS::CloudWatch::Alarm").items():
        told = {"Fn::If": ["WithEmail", [{"Ref": "AlarmTopic"}], {"Ref": "AWS::NoValue"}]}
        assert one["AlarmActions"] == told, name
        assert one["TreatMissingData"] == "notBreaching", name
        assert one["AlarmDescription"], name


def test_slowness_is_told_before_the_time_is_over(stack: Stack) -> None:
    assert alarm(stack, "SlowWorkerAlarm")["ExtendedStatistic"] == "p99"
    for name, function in (("SlowAnswersAlarm", "chat"), ("SlowWorkerAlarm", "worker")):
        limit = stack.functions[function]["Timeout"] * 1000
        assert 0.7 * limit <= alarm(stack, name)["Threshold"] <= 0.9 * limit


def test_the_dashboard_is_json_and_shows_every_function(stack: Stack) -> None:
    body = stack.one("AWS::CloudWatch::Dashboard")["DashboardBody"]["Fn::Sub"]
    widgets = json.loads(body)["widgets"]
    assert all(one["properties"]["title"] for one in widgets)
    shown = set(re.findall(r"\$\{(\w+Function)\}", body))
    assert shown == {f"{one.capitalize()}Function" for one in stack.functions}


def test_the_outputs_say_where_everything_is(stack: Stack) -> None:
    assert {
        "ApiUrl",
        "ApiId",
        "WidgetUrl",
        "WidgetApiId",
        "BucketName",
        "QueueUrl",
        "DeadQueueUrl",
        "ItemsTableName",
        "FleetingTableName",
        "VendorSecretId",
        "TokenSecretId",
    } <= set(stack.template["Outputs"])


def test_a_chore_that_fails_whenever_it_is_done_is_told_of(stack: Stack) -> None:
    one = alarm(stack, "SweeperAlarm")
    assert (one["Period"], one["Threshold"]) == (3600, 1)  # some are done once an hour
