"""What is kept: tables, bucket, queues, secrets."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rag.adapters.aws.attributes import EXPIRES, PK, SK
from rag.adapters.aws.clients import READ_SECONDS
from tests.infrastructure.stack import Stack

DAY = 86_400


def table(stack: Stack, name: str) -> dict[str, Any]:
    return stack.of("AWS::DynamoDB::Table")[name]


def bucket(stack: Stack) -> dict[str, Any]:
    return stack.one("AWS::S3::Bucket")


def test_both_tables_have_the_keys_that_items_have(stack: Stack) -> None:
    assert set(stack.of("AWS::DynamoDB::Table")) == {"ItemsTable", "FleetingTable"}
    for one in stack.of("AWS::DynamoDB::Table").values():
        assert [(key["AttributeName"], key["KeyType"]) for key in one["KeySchema"]] == [
            (PK, "HASH"),
            (SK, "RANGE"),
        ]
        assert one["BillingMode"] == "PAY_PER_REQUEST"


def test_what_has_expired_goes_in_both_tables(stack: Stack) -> None:
    for one in stack.of("AWS::DynamoDB::Table").values():
        assert one["TimeToLiveSpecification"] == {"AttributeName": EXPIRES, "Enabled": True}


def test_both_tables_are_encrypted(stack: Stack) -> None:
    for one in stack.of("AWS::DynamoDB::Table").values():
        assert one["SSESpecification"]["SSEEnabled"] is True


def test_documents_can_be_brought_back_and_caches_cost_nothing_more(stack: Stack) -> None:
    recovery = table(stack, "ItemsTable")["PointInTimeRecoverySpecification"]
    assert recovery == {"PointInTimeRecoveryEnabled": True}
    assert "PointInTimeRecoverySpecification" not in table(stack, "FleetingTable")


def test_documents_outlive_the_stack_and_production_more_than_that(stack: Stack) -> None:
    items = stack.resources["ItemsTable"]
    assert items["DeletionPolicy"] == "RetainExceptOnCreate"
    assert items["UpdateReplacePolicy"] == "Retain"
    assert items["Properties"]["DeletionProtectionEnabled"] == {
        "Fn::If": ["InProduction", True, False]
    }


def test_the_bucket_is_encrypted_versioned_and_closed(stack: Stack) -> None:
    (rule,) = bucket(stack)["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    assert bucket(stack)["VersioningConfiguration"] == {"Status": "Enabled"}
    blocked = bucket(stack)["PublicAccessBlockConfiguration"]
    assert set(blocked) == {
        "BlockPublicAcls",
        "BlockPublicPolicy",
        "IgnorePublicAcls",
        "RestrictPublicBuckets",
    }
    assert all(value is True for value in blocked.values())


def test_nobody_reads_the_bucket_in_clear(stack: Stack) -> None:
    (statement,) = stack.one("AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert statement["Resource"] == [
        {"Fn::GetAtt": ["Uploads", "Arn"]},
        {"Fn::Sub": "${Uploads.Arn}/*"},
    ]


def test_versions_outlast_the_messages_that_name_them(stack: Stack) -> None:
    rules = bucket(stack)["LifecycleConfiguration"]["Rules"]
    (days,) = (
        rule["NoncurrentVersionExpiration"]["NoncurrentDays"]
        for rule in rules
        if "NoncurrentVersionExpiration" in rule and "Prefix" not in rule
    )
    kept = stack.of("AWS::SQS::Queue")["DeadQueue"]["MessageRetentionPeriod"]
    assert days * DAY >= 2 * kept
    assert all(rule["Status"] == "Enabled" for rule in rules)


def test_what_is_there_for_a_while_goes_by_itself(stack: Stack) -> None:
    rules = bucket(stack)["LifecycleConfiguration"]["Rules"]
    kept = {
        rule["Prefix"]: (
            rule["ExpirationInDays"],
            rule["NoncurrentVersionExpiration"]["NoncurrentDays"],
        )
        for rule in rules
        if "ExpirationInDays" in rule
    }
    assert kept == {"incoming/": (7, 1), "jobs/": (7, 1)}


def test_uploads_and_removals_reach_the_queue(stack: Stack) -> None:
    sent = bucket(stack)["NotificationConfiguration"]["QueueConfigurations"]
    told = []
    for one in sent:
        assert one["Queue"] == {"Fn::GetAtt": ["Queue", "Arn"]}
        (rule,) = one["Filter"]["S3Key"]["Rules"]
        assert rule["Name"] == "prefix"
        told.append((rule["Value"], one["Event"]))
    assert sorted(told) == [
        ("incoming/", "s3:ObjectCreated:*"),
        ("uploads/", "s3:ObjectCreated:*"),
        ("uploads/", "s3:ObjectRemoved:*"),
    ]
    assert stack.resources["Uploads"]["DependsOn"] == "QueuePolicy"


def test_any_page_may_send_a_form_that_is_signed_to_the_bucket(stack: Stack) -> None:
    (rule,) = bucket(stack)["CorsConfiguration"]["CorsRules"]
    assert (rule["AllowedOrigins"], rule["AllowedMethods"]) == (["*"], ["POST"])


@pytest.mark.parametrize(
    ("origins", "fine"),
    [
        ("", True),
        ("https://a.example", True),
        ("https://a.example,http://localhost:3000", True),
        ("https://a.example , http://localhost:3000", True),
        (" ", False),
        (",", False),
        ("https://a.example,", False),
        ("https://a.example http://localhost:3000", False),
    ],
)
def test_s3_gets_no_empty_origin(stack: Stack, origins: str, fine: bool) -> None:
    pattern = stack.template["Parameters"]["CorsOrigins"]["AllowedPattern"]
    assert bool(re.fullmatch(pattern, origins)) is fine


def test_only_our_bucket_may_send_to_the_queue(stack: Stack) -> None:
    (statement,) = stack.one("AWS::SQS::QueuePolicy")["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "s3.amazonaws.com"}
    assert statement["Action"] == "sqs:SendMessage"
    assert statement["Resource"] == {"Fn::GetAtt": ["Queue", "Arn"]}
    name = bucket(stack)["BucketName"]["Fn::Sub"]
    assert statement["Condition"] == {
        "ArnEquals": {"aws:SourceArn": {"Fn::Sub": f"arn:${{AWS::Partition}}:s3:::{name}"}},
        "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}},
    }


def test_a_message_is_hidden_for_longer_than_a_worker_may_take(stack: Stack) -> None:
    queue = stack.of("AWS::SQS::Queue")["Queue"]
    assert queue["VisibilityTimeout"] >= 6 * stack.functions["worker"]["Timeout"]


def test_what_fails_too_often_goes_to_the_dead_queue_and_stays(stack: Stack) -> None:
    queues = stack.of("AWS::SQS::Queue")
    assert queues["Queue"]["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": ["DeadQueue", "Arn"]},
        "maxReceiveCount": 8,
    }
    assert queues["DeadQueue"]["MessageRetentionPeriod"] == 14 * DAY
    # Looked for on all of SQS's servers, and for less long than a client waits for an answer.
    assert 0 < queues["DeadQueue"]["ReceiveMessageWaitTimeSeconds"] < READ_SECONDS
    assert all(queue["SqsManagedSseEnabled"] is True for queue in queues.values())


def test_one_bad_upload_does_not_take_others_with_it(stack: Stack) -> None:
    mapping = stack.one("AWS::Lambda::EventSourceMapping")
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["Queue", "Arn"]}
    assert mapping["BatchSize"] == 1  # a slow one takes no time from others, either
    limit = {"MaximumConcurrency": {"Ref": "WorkerConcurrency"}}
    assert mapping["ScalingConfig"] == {"Fn::If": ["OnAws", limit, {"Ref": "AWS::NoValue"}]}


def test_the_secrets_hold_what_is_referred_to(stack: Stack) -> None:
    secrets = stack.of("AWS::SecretsManager::Secret")
    assert set(secrets) == {"VendorSecret", "TokenSecret"}
    text = secrets["VendorSecret"]["SecretString"]["Fn::Sub"]
    assert text == (
        '{"OPENAI_API_KEY": "${OpenAIApiKey}", "PINECONE_API_KEY": "${PineconeApiKey}"}'
    )
    made = secrets["TokenSecret"]["GenerateSecretString"]
    assert (made["GenerateStringKey"], made["PasswordLength"]) == ("JWT_SECRET", 64)
