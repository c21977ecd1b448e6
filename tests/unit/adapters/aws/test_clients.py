from __future__ import annotations

from zlib import crc32

import pytest
from botocore.exceptions import HTTPClientError

from rag.adapters.aws.clients import check_whole

BODY = b'{"Item": {}}'


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (BODY, {}),
        (b"", {"content-length": "0"}),
        (BODY, {"content-length": str(len(BODY)), "x-amz-crc32": str(crc32(BODY))}),
    ],
)
def test_a_whole_answer_is_taken(body: bytes, headers: dict[str, str]) -> None:
    check_whole({"body": body, "headers": headers, "status_code": 200})


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"<html></html>", {}),
        (BODY[:-2], {}),
        (BODY, {"content-length": "13"}),
        (BODY, {"x-amz-crc32": "7"}),
    ],
)
def test_an_answer_that_is_not_whole_is_refused(body: bytes, headers: dict[str, str]) -> None:
    with pytest.raises(HTTPClientError):
        check_whole({"body": body, "headers": headers, "status_code": 200})
