"""How AWS is reached: boto3 is imported at the first client, since that takes half a second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from zlib import crc32

from rag.errors import Unavailable

# Long enough for a slow answer, short enough for another try before a gateway's 29 s are over.
CONNECT_SECONDS = 2
READ_SECONDS = 8
POOL = 32


def client(
    service: Literal["dynamodb", "s3", "sqs"],
    *,
    region: str | None = None,
    endpoint: str | None = None,
) -> Any:
    """A client of one service; without arguments, as the environment says. Raises Unavailable."""
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        max_pool_connections=POOL,
        # `patiently` repeats calls, because it knows how much time a request has left.
        retries={"mode": "standard", "total_max_attempts": 1},
        # An upload form signed for the global host of S3 is redirected, which loses the body.
        s3={"addressing_style": "path" if endpoint else "virtual"},
        signature_version="s3v4" if service == "s3" else None,
    )
    try:
        made = boto3.client(
            service, region_name=region or None, endpoint_url=endpoint or None, config=config
        )
    except (BotoCoreError, ValueError) as wrong:
        raise Unavailable("The storage cannot be reached as it is configured.") from wrong
    if service != "s3":
        made.meta.events.register(f"before-parse.{service}", check_whole)
    return made


def check_whole(response_dict: Mapping[str, Any], **_: object) -> None:
    """Refuse an answer that was cut off or garbled: botocore reads it as one without anything in
    it, so that an item that is there would seem to be absent. Raises HTTPClientError."""
    from botocore.exceptions import HTTPClientError

    body, headers = response_dict["body"], response_dict["headers"]
    length, checksum = headers.get("content-length"), headers.get("x-amz-crc32")
    whole = (
        (length is None or int(length) == len(body))
        and (checksum is None or int(checksum) == crc32(body))
        and (response_dict["status_code"] >= 300 or not body or body[:1] + body[-1:] == b"{}")
    )
    if not whole:
        raise HTTPClientError(error="the answer is not whole")
