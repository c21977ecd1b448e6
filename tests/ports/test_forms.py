"""What every `Forms` adapter, and whoever takes its files, holds to.

The emulation in this process takes any form; ministack looks at all but the signature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from rag.adapters.aws.objects import S3Objects
from rag.ports import Forms, Objects
from tests.conftest import Server, new_bucket
from tests.multipart import TYPE, body, joined, part

KEY, MEDIA_TYPE, LARGEST = "incoming/acme/up_1/a b ü.pdf", "application/pdf", 5


@dataclass
class Place:
    """Where forms are made, and where their files end up."""

    forms: Forms
    objects: Objects
    base: str = ""

    def form(self, seconds: int = 60) -> dict[str, str]:
        return dict(self.forms.upload_form(KEY, MEDIA_TYPE, LARGEST, seconds).fields)

    def send(self, **request: Any) -> int:
        """POST to where forms are to be sent, and return the status."""
        url = self.forms.upload_form(KEY, MEDIA_TYPE, LARGEST, 60).url
        return httpx.post(urljoin(self.base, url), **request).status_code

    def upload(self, fields: dict[str, str], data: bytes) -> int:
        """As a client does who knows nothing of the fields."""
        return self.send(data=fields, files={"file": ("any name.txt", data, "text/plain")})


@pytest.fixture(params=["embedded", pytest.param("ministack", marks=pytest.mark.integration)])
def place(request: pytest.FixtureRequest) -> Place:
    if request.param == "embedded":
        server: Server = request.getfixturevalue("server")
        parts = server.footnote.parts
        return Place(parts.forms, parts.objects, server.url)
    bucket = S3Objects(*new_bucket(request.getfixturevalue("ministack")))
    return Place(bucket, bucket)


def test_a_file_comes_to_where_the_form_says(place: Place) -> None:
    assert place.upload(place.form(), b"\0\xff\r\n-") == 204
    assert place.objects.get(KEY) == b"\0\xff\r\n-"
    assert place.objects.keys("incoming/") == [KEY]


def test_a_form_may_be_sent_again_while_it_is_good(place: Place) -> None:
    form = place.form()
    assert [place.upload(form, b"one"), place.upload(form, b"two")] == [204, 204]
    assert place.objects.get(KEY) == b"two"


@pytest.mark.parametrize(
    ("changed", "data", "statuses"),
    [
        ({}, b"123456", {400, 413}),  # S3's own answer is 400
        ({}, b"", {400}),
        ({"key": "incoming/rival/up_1/a.pdf"}, b"1", {403}),
        ({"Content-Type": "text/html"}, b"1", {403}),
        ({"acl": "public-read"}, b"1", {403}),
        ({"x-amz-meta-title": "T"}, b"1", {403}),
    ],
)
def test_what_the_form_was_not_made_for_is_refused(
    place: Place, changed: dict[str, str], data: bytes, statuses: set[int]
) -> None:
    assert place.upload({**place.form(), **changed}, data) in statuses
    assert place.objects.keys("incoming/") == []


def test_a_form_that_has_expired_is_refused(place: Place) -> None:
    assert place.upload(place.form(seconds=-1), b"1") == 403
    assert place.objects.keys("incoming/") == []


@pytest.mark.parametrize("name", ["key", "policy", "x-amz-date", "x-amz-signature"])
def test_a_form_without_one_of_its_fields_is_refused(place: Place, name: str) -> None:
    form = place.form()
    del form[name]
    assert place.upload(form, b"1") == 400
    assert place.objects.keys("incoming/") == []


def test_a_body_that_is_no_whole_form_is_refused(place: Place) -> None:
    whole = body(place.form(), part("file", b"123"))
    other = {"Content-Type": "multipart/form-data; boundary=other"}
    assert place.send(content=whole, headers=other) == 400
    assert place.send(content=body(place.form()), headers=TYPE) == 400
    assert place.send(content=joined([]), headers=TYPE) == 400
    assert place.send(content=b"", headers=TYPE) == 400
    assert place.objects.keys("incoming/") == []
    assert place.send(content=whole, headers=TYPE) == 204


@pytest.mark.parametrize("key", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a\\..\\b"])
def test_no_form_is_made_for_what_is_no_key(place: Place, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        place.forms.upload_form(key, MEDIA_TYPE, LARGEST, 60)
