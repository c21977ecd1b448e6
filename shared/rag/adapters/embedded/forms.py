"""`Forms` that this server takes back itself: S3's own fields, signed with our secret.

A form is checked without anything being stored: what it allows stands in its policy, and the policy
is signed.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from rag.adapters.object_key import names
from rag.clock import Clock, iso
from rag.errors import Invalid, PermissionDenied
from rag.ports import UploadForm

URL = "/uploads"
SCOPE = ("local", "s3", "aws4_request")
# The secret signs tokens, too. What signs forms is derived from it under this name, which no token
# can begin with: neither's signature is ever the other's.
PURPOSE = "footnote upload forms"

KEY, MEDIA_TYPE, DATE = "key", "Content-Type", "x-amz-date"
POLICY, SIGNATURE = "policy", "x-amz-signature"


@dataclass(frozen=True, slots=True)
class Admitted:
    """What a form allows its bearer."""

    key: str
    media_type: str
    largest: int


class SignedForms:
    """Signs forms and admits those that it has signed."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._secret = _sign(secret.encode(), PURPOSE)
        self._clock = clock

    def upload_form(self, key: str, media_type: str, largest: int, seconds: int) -> UploadForm:
        """A form that `admit` admits for so many seconds."""
        names(key)
        now = self._clock()
        date = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
        fields = {
            KEY: key,
            MEDIA_TYPE: media_type,
            "x-amz-algorithm": "AWS4-HMAC-SHA256",
            "x-amz-credential": "/".join(("footnote", date[:8], *SCOPE)),
            DATE: date,
        }
        exactly = [{name: value} for name, value in fields.items()]
        promise = {
            "expiration": iso(now + seconds),
            "conditions": [*exactly, ["content-length-range", 1, largest]],
        }
        policy = base64.b64encode(json.dumps(promise).encode()).decode()
        return UploadForm(URL, {**fields, POLICY: policy, SIGNATURE: self._signature(policy, date)})

    def admit(self, fields: Mapping[str, str]) -> Admitted:
        """What these fields allow: all that a form has, and none beside.

        Raises Invalid where one is missing, PermissionDenied where they are not as signed.
        """
        _has_all(fields, (POLICY, DATE, SIGNATURE))
        wanted = self._signature(fields[POLICY], fields[DATE])
        if not hmac.compare_digest(wanted.encode(), fields[SIGNATURE].encode()):
            raise PermissionDenied("The form's signature is not for its policy.")
        # From here on, the policy is what we wrote ourselves.
        promise = json.loads(base64.b64decode(fields[POLICY]))
        if self._clock() >= datetime.fromisoformat(promise["expiration"]).timestamp():
            raise PermissionDenied("The form has expired; ask for another one.")
        *exactly, (_, _, largest) = promise["conditions"]
        promised = {name: value for one in exactly for name, value in one.items()}
        _has_all(fields, promised)
        for name, value in fields.items():
            if name not in (POLICY, SIGNATURE) and promised.get(name) != value:
                raise PermissionDenied(f"The form's policy does not allow this {name[:100]}.")
        return Admitted(fields[KEY], fields[MEDIA_TYPE], largest)

    def _signature(self, policy: str, date: str) -> str:
        """As AWS signs: with a key that is good for one day and one service."""
        key = b"AWS4" + self._secret
        for part in (date[:8], *SCOPE):
            key = _sign(key, part)
        return _sign(key, policy).hex()


def _has_all(fields: Mapping[str, str], wanted: Iterable[str]) -> None:
    for name in wanted:
        if name not in fields:
            raise Invalid(name, f"The form's field {name} must come before the file.")


def _sign(key: bytes, message: str) -> bytes:
    return hmac.digest(key, message.encode(), "sha256")
