"""How AWS is reached: boto3 is imported at the first client, since that takes half a second."""

from __future__ import annotations

from typing import Any, Literal

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
    """A client of one service; without arguments, as the environment says."""
    import boto3
    from botocore.config import Config

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
    return boto3.client(
        service, region_name=region or None, endpoint_url=endpoint or None, config=config
    )
