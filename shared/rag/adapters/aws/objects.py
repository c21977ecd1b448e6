"""`Objects` in an S3 bucket, and what uploads need beyond that: forms, versions, metadata."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from rag.adapters.aws.retry import code, patiently
from rag.adapters.object_key import names
from rag.model import Span
from rag.ports import ObjectHead, UploadForm

ABSENT = frozenset({"404", "NoSuchKey", "NoSuchVersion", "NotFound"})
BEYOND_THE_END = "InvalidRange"


class S3Objects:
    """Objects in a bucket. What others have put there can be read under any key."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, data: bytes) -> None:
        names(key)
        patiently(lambda: self._client.put_object(Bucket=self._bucket, Key=key, Body=data))

    def get(
        self, key: str, span: Span | None = None, *, version: str | None = None
    ) -> bytes | None:
        """The object's data, or only the span of it: of the version named, or the current one."""
        request = self._which(key, version)
        if span is not None:
            request["Range"] = f"bytes={span.start}-{span.end - 1}"

        def read() -> bytes | None:
            try:
                answer = self._client.get_object(**request)
            except ClientError as error:
                if code(error) in ABSENT:
                    return None
                if code(error) == BEYOND_THE_END:
                    return b""
                raise
            data: bytes = answer["Body"].read()
            return data

        return patiently(read)

    def delete(self, key: str) -> None:
        patiently(lambda: self._client.delete_object(Bucket=self._bucket, Key=key))

    def keys(self, prefix: str = "") -> list[str]:
        found: list[str] = []
        request = {"Bucket": self._bucket, "Prefix": prefix}
        while True:
            page = patiently(lambda: self._client.list_objects_v2(**request))
            found += [one["Key"] for one in page.get("Contents", [])]
            if not page.get("IsTruncated"):
                return found
            request["ContinuationToken"] = page["NextContinuationToken"]

    def head(self, key: str, version: str | None = None) -> ObjectHead | None:
        """What is known of the object, if it is there."""

        def look() -> ObjectHead | None:
            try:
                answer = self._client.head_object(**self._which(key, version))
            except ClientError as error:
                if code(error) in ABSENT:
                    return None
                raise
            return ObjectHead(
                size=answer["ContentLength"],
                version=answer.get("VersionId") or answer["ETag"],
                media_type=answer.get("ContentType", ""),
                metadata=answer.get("Metadata", {}),
            )

        return patiently(look)

    def upload_form(self, key: str, media_type: str, largest: int, seconds: int) -> UploadForm:
        """A form that lets its bearer upload one file of this type and size, for a while."""
        names(key)
        answer = self._client.generate_presigned_post(
            self._bucket,
            key,
            Fields={"Content-Type": media_type},
            Conditions=[
                {"Content-Type": media_type},
                ["content-length-range", 1, largest],
            ],
            ExpiresIn=seconds,
        )
        return UploadForm(answer["url"], answer["fields"])

    def _which(self, key: str, version: str | None) -> dict[str, str]:
        which = {"Bucket": self._bucket, "Key": key}
        return which if version is None else {**which, "VersionId": version}
