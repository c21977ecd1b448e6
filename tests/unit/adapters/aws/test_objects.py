"""What is special about objects in S3."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest

from rag.adapters.aws.clients import client
from rag.adapters.aws.objects import S3Objects
from rag.errors import Unavailable
from tests.conftest import Clients, new_bucket


@pytest.fixture
def objects(bucket: tuple[Any, str]) -> S3Objects:
    return S3Objects(*bucket)


def test_an_older_version_can_still_be_read(objects: S3Objects) -> None:
    objects.put("a", b"old")
    head = objects.head("a")
    assert head is not None
    objects.put("a", b"newer")
    assert objects.get("a") == b"newer"
    assert objects.get("a", version=head.version) == b"old"
    newer = objects.head("a")
    assert newer is not None
    assert (newer.size, newer.version == head.version) == (5, False)


def test_a_head_tells_type_and_metadata(objects: S3Objects, bucket: tuple[Any, str]) -> None:
    client, name = bucket
    client.put_object(
        Bucket=name, Key="a//b", Body=b"x", ContentType="text/markdown", Metadata={"title": "T"}
    )
    head = objects.head("a//b")
    assert head is not None
    assert (head.media_type, head.metadata, head.size) == ("text/markdown", {"title": "T"}, 1)
    assert objects.get("a//b") == b"x"
    assert objects.head("b") is None


def test_keys_go_on_beyond_a_page(objects: S3Objects) -> None:
    for number in range(1003):
        objects.put(f"k/{number:04d}", b"")
    assert objects.keys("k/") == [f"k/{number:04d}" for number in range(1003)]


def test_a_form_is_sent_to_the_bucket_in_its_own_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    s3 = client("s3", region="eu-central-1", endpoint="")
    url = S3Objects(s3, "uploads").upload_form("a", "text/plain", 1, 60).url
    assert url == "https://uploads.s3.eu-central-1.amazonaws.com/"
    emulator = client("s3", region="eu-central-1", endpoint="http://localhost:4566")
    url = S3Objects(emulator, "uploads").upload_form("a", "text/plain", 1, 60).url
    assert url == "http://localhost:4566/uploads"


def test_a_form_holds_to_key_type_size_and_time(objects: S3Objects) -> None:
    form = objects.upload_form("uploads/o/d/a.pdf", "application/pdf", 5_000_000, 60)
    policy = json.loads(base64.b64decode(form.fields["policy"]))
    assert {"key": "uploads/o/d/a.pdf"} in policy["conditions"]
    assert {"Content-Type": "application/pdf"} in policy["conditions"]
    assert ["content-length-range", 1, 5_000_000] in policy["conditions"]
    assert form.fields["Content-Type"] == "application/pdf"


def test_what_the_bucket_refuses_is_an_error_of_ours(bucket: tuple[Any, str]) -> None:
    nowhere = S3Objects(bucket[0], "no-such-bucket-anywhere")
    with pytest.raises(Unavailable):
        nowhere.get("a")


@pytest.mark.integration
def test_a_file_has_the_type_of_its_form_whatever_was_sent_with_it(ministack: Clients) -> None:
    objects = S3Objects(*new_bucket(ministack))
    form = objects.upload_form("uploads/o/d/a.pdf", "application/pdf", 5, 60)
    files = {"file": ("any", b"12345", "text/html")}
    assert httpx.post(form.url, data=dict(form.fields), files=files).status_code == 204
    head = objects.head("uploads/o/d/a.pdf")
    assert head is not None
    assert (head.media_type, head.size) == ("application/pdf", 5)
