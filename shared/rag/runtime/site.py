"""What pages are told of where they run."""

from __future__ import annotations

from rag.runtime.settings import Settings


def form_origins(settings: Settings) -> tuple[str, ...]:
    """Where forms with files may lead to, beside the server itself. S3 has two names for a bucket,
    and which of them a form has is its client's choice."""
    bucket, region = settings.uploads_bucket, settings.aws_region
    if not bucket:
        return ()
    if settings.aws_endpoint_url:
        return (settings.aws_endpoint_url.rstrip("/"),)
    return tuple(f"https://{bucket}.{host}" for host in _hosts(region))


def _hosts(region: str | None) -> tuple[str, ...]:
    ending = "amazonaws.com.cn" if (region or "").startswith("cn-") else "amazonaws.com"
    return (f"s3.{ending}", f"s3.{region}.{ending}")
