"""How patient we are with the vendor: one policy for every call."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from rag import timing
from rag.clock import Clock
from rag.errors import FootnoteError, Unavailable

if TYPE_CHECKING:
    from openai import OpenAIError

T = TypeVar("T")

TOO_MANY = 429
# Of the reasons for a 429, the one that waiting does not mend.
NO_CREDIT = "insufficient_quota"
# Codes are shown, for they say what to do; messages are not, for they may quote the request.
_CODE = re.compile(r"[a-z0-9_]{1,60}")


@dataclass(frozen=True, slots=True)
class Retries:
    """Tries again after 429, 5xx, time-outs and broken connections, never after another 4xx, and
    never beyond the request's deadline."""

    timeout: float = 20.0  # seconds for one attempt
    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    clock: Clock = time.time

    def call(self, failed: type[Unavailable], who: str, send: Callable[[float], T]) -> T:
        """What `send` makes of the vendor's answer within the seconds that it is given."""
        from openai import OpenAIError

        tries = 0
        while True:
            timing.check()
            tries += 1
            try:
                return send(self._seconds())
            except FootnoteError:
                raise
            except OpenAIError as error:
                wait = self._wait(error, tries)
                if wait is None:
                    raise failed(f"{who} {reason(error)}.") from error
            except Exception as error:
                raise failed(f"{who} {UNREADABLE}.") from error
            self.sleep(wait)

    def _seconds(self) -> float:
        left = timing.remaining()
        return self.timeout if left is None else min(self.timeout, left)

    def _wait(self, error: OpenAIError, tries: int) -> float | None:
        """How long to wait before the next attempt; None where there must not be one."""
        if tries >= self.attempts or not _is_passing(error):
            return None
        backoff = self.first_wait * 2 ** (tries - 1) * (0.5 + self.chance() / 2)
        wait = max(backoff, _retry_after(error, self.clock()))
        left = timing.remaining()
        return wait if wait < (self.longest_wait if left is None else left) else None


UNREADABLE = "answered with something that cannot be read"


def reason(error: OpenAIError) -> str:
    """Why a call failed, in words that hold nothing of the request."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return "did not answer in time"
    if isinstance(error, openai.APIResponseValidationError):
        return UNREADABLE
    if isinstance(error, openai.APIStatusError):
        code = error.code if isinstance(error.code, str) and _CODE.fullmatch(error.code) else None
        said = f"HTTP {error.status_code}" + (f", {code}" if code else "")
        return f"{_STATUS.get(error.status_code, _refused(error.status_code))} ({said})"
    return "cannot be reached, or broke off"


_STATUS = {
    401: "does not accept the API key",
    403: "does not allow this with the API key",
    404: "has no such model, or is not at this address",
    TOO_MANY: "takes no more requests for now",
}


def _refused(status: int) -> str:
    return "failed" if status >= 500 else "refused the request"


def _is_passing(error: OpenAIError) -> bool:
    import openai

    if isinstance(error, openai.APIStatusError):
        throttled = error.status_code == TOO_MANY and error.code != NO_CREDIT
        return throttled or error.status_code >= 500
    return isinstance(error, openai.APIConnectionError)


def _retry_after(error: OpenAIError, now: float) -> float:
    """The seconds that the vendor asks us to wait; 0 if it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    with suppress(KeyError, ValueError):
        return float(headers["retry-after-ms"]) / 1000
    with suppress(KeyError, ValueError):
        return float(headers["retry-after"])
    with suppress(KeyError, ValueError):
        return parsedate_to_datetime(headers["retry-after"]).timestamp() - now
    return 0.0
