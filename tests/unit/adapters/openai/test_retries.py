"""Whom we ask again, how often, and when we stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Any

import httpx2
import openai
import pytest

from rag import timing
from rag.adapters.openai.retries import Retries
from rag.errors import DeadlineExceeded, EmbeddingFailed, GenerationFailed, Invalid

REQUEST = httpx2.Request("POST", "http://vendor/v1/x")
NOW = 1_800_000_000.0
SECRET = "the text of a document"


def status(code: int, headers: dict[str, str] | None = None, name: Any = None) -> Exception:
    response = httpx2.Response(code, headers=headers, request=REQUEST)
    body = {"message": SECRET, "code": name}
    return openai.APIStatusError(SECRET, response=response, body=body)


TIMEOUT = openai.APITimeoutError(REQUEST)
BROKEN = openai.APIConnectionError(message=SECRET, request=REQUEST)


class Vendor:
    """Fails as it is told, on a clock that goes only while one waits or it takes its time."""

    def __init__(self, *failures: Exception, takes: float = 0.0) -> None:
        self.now = 0.0
        self.failures = list(failures)
        self.takes = takes
        self.given: list[float] = []
        self.waits: list[float] = []

    def send(self, seconds: float) -> str:
        self.given.append(seconds)
        self.now += min(self.takes, seconds)
        if self.failures:
            raise self.failures.pop(0)
        return "fine"

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def call(self, **policy: Any) -> str:
        retries = Retries(
            **{"sleep": self.sleep, "chance": lambda: 1.0, "clock": lambda: NOW, **policy}
        )
        return retries.call(GenerationFailed, "The language model", self.send)

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        with timing.time_limit(seconds, lambda: self.now):
            yield


@pytest.mark.parametrize(
    "passing", [status(429), status(500), status(503), status(529), TIMEOUT, BROKEN], ids=repr
)
def test_what_may_pass_is_tried_again_with_longer_and_longer_waits(passing: Exception) -> None:
    vendor = Vendor(passing, passing, passing)
    assert vendor.call() == "fine"
    assert len(vendor.given) == 4
    assert vendor.waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("code", [400, 401, 403, 404, 408, 409, 413, 422])
def test_what_is_refused_is_not_tried_again(code: int) -> None:
    vendor = Vendor(status(code))
    with pytest.raises(GenerationFailed, match=str(code)):
        vendor.call()
    assert len(vendor.given) == 1


def test_no_credit_is_not_mended_by_waiting() -> None:
    vendor = Vendor(status(429, name="insufficient_quota"))
    with pytest.raises(GenerationFailed, match="insufficient_quota"):
        vendor.call()
    assert len(vendor.given) == 1


def test_after_so_many_attempts_it_is_given_up() -> None:
    vendor = Vendor(*[status(500)] * 10)
    with pytest.raises(GenerationFailed, match="failed"):
        vendor.call(attempts=3)
    assert len(vendor.given) == 3


def test_waits_differ_by_chance_so_that_not_all_return_at_once() -> None:
    vendor = Vendor(*[status(500)] * 2)
    vendor.call(chance=lambda: 0.0)
    assert vendor.waits == [0.25, 0.5]


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "7"},
        {"retry-after-ms": "7000", "retry-after": "9"},
        {"retry-after": formatdate(NOW + 7, usegmt=True)},
    ],
)
def test_the_vendor_says_how_long_to_wait(headers: dict[str, str]) -> None:
    vendor = Vendor(status(429, headers))
    assert vendor.call() == "fine"
    assert vendor.waits == [7]


@pytest.mark.parametrize("nonsense", ["soon", "", "-3", "nan"])
def test_a_wait_that_makes_no_sense_is_not_heeded(nonsense: str) -> None:
    vendor = Vendor(status(429, {"retry-after": nonsense}))
    assert vendor.call() == "fine"
    assert vendor.waits == [0.5]


@pytest.mark.parametrize("far", ["60", "inf"])
def test_a_wait_beyond_the_deadline_is_not_begun(far: str) -> None:
    vendor = Vendor(status(429, {"retry-after": far}))
    with vendor.deadline(27), pytest.raises(GenerationFailed):
        vendor.call()
    assert vendor.waits == []
    vendor = Vendor(status(429, {"retry-after": far}))
    with pytest.raises(GenerationFailed):
        vendor.call()


def test_an_attempt_gets_no_more_time_than_the_request_has() -> None:
    vendor = Vendor(*[TIMEOUT] * 9, takes=60)
    with vendor.deadline(27), pytest.raises(GenerationFailed, match="in time"):
        vendor.call(timeout=20)
    assert vendor.given == [20, 6.5]
    assert vendor.now == pytest.approx(27)


def test_without_a_deadline_an_attempt_has_its_own_limit() -> None:
    vendor = Vendor()
    vendor.call(timeout=12)
    assert vendor.given == [12]


def test_nothing_is_sent_once_the_time_is_up() -> None:
    vendor = Vendor()
    with vendor.deadline(0), pytest.raises(DeadlineExceeded):
        vendor.call()
    assert vendor.given == []


@pytest.mark.parametrize(
    "error",
    [
        *(status(code, name=SECRET) for code in (400, 401, 404, 500)),
        *(TIMEOUT, BROKEN, openai.OpenAIError(SECRET), ValueError(SECRET), KeyError(SECRET)),
    ],
    ids=repr,
)
def test_errors_are_ours_and_hold_nothing_of_the_request(error: Exception) -> None:
    with pytest.raises(EmbeddingFailed) as failed:
        Retries(attempts=1).call(EmbeddingFailed, "The embedding model", _raising(error))
    assert failed.value.__cause__ is error
    assert failed.value.message.startswith("The embedding model ")
    assert SECRET not in failed.value.message


def test_errors_that_are_ours_already_stay_as_they_are() -> None:
    with pytest.raises(Invalid):
        Retries().call(GenerationFailed, "It", _raising(Invalid("model", "no")))


def _raising(error: Exception) -> Callable[[float], None]:
    def send(seconds: float) -> None:
        raise error

    return send
