"""The worker: does what a message asks for, or again later, or buries it with its reason."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from rag.errors import Conflict, FootnoteError, Invalid, Unavailable
from rag.ingest import turns
from rag.ingest.notices import changes
from rag.ingest.uploads import Following
from rag.model import Change
from rag.ports import Delivery, Queue
from rag.stores.jobs import Failure

MOST_ATTEMPTS = 8
# Seconds, doubled with every attempt: a vendor may be away for ten minutes.
FIRST_PAUSE = 5
# Seconds that buried messages are hidden while they are sent back.
REDRIVE_SECONDS = 600

UNEXPECTED = Failure("INTERNAL_ERROR", "Something went wrong on our side.")


class TryAgain(Exception):
    """The message comes again after a pause."""


@dataclass(frozen=True, slots=True)
class Worker:
    """Works on a message; whoever has received it takes it off the queue afterwards."""

    following: Following
    queue: Queue
    dead: Queue

    def work(self, delivery: Delivery) -> None:
        """Follow every change that the message tells of. Raises TryAgain."""
        try:
            told = changes(delivery.body)
        except Invalid as wrong:
            self._bury(delivery, _failure(wrong))
            return
        failed = {change: error for change in told if (error := self._follow(change)) is not None}
        passing = [error for error in failed.values() if _may_pass(error)]
        if passing and delivery.attempt < MOST_ATTEMPTS:
            self.queue.again(delivery, delay=pause(delivery))
            raise TryAgain from passing[0]
        for change, error in failed.items():
            with suppress(Unavailable, Invalid):
                self.following.give_up(change, _failure(error))
        if failed:
            self._bury(delivery, _failure(next(iter(failed.values()))))

    def _follow(self, change: Change) -> Exception | None:
        """One that fails does not keep the others from being followed."""
        try:
            self.following.follow(change)
        except Exception as error:
            return error
        return None

    def _bury(self, delivery: Delivery, reason: Failure) -> None:
        """Lay the message where people can look at it and send it back."""
        told = {"code": reason.code, "message": reason.message, "attempt": delivery.attempt}
        self.dead.send({**delivery.body, "reason": told})


def pause(delivery: Delivery) -> int:
    """Seconds until a message that has failed comes again."""
    seconds: int = FIRST_PAUSE * 2 ** (delivery.attempt - 1)
    return seconds


def redrive(dead: Queue, queue: Queue) -> list[dict[str, object]]:
    """Send every buried message back, and return the reasons why they were buried."""
    # All of them first: one that is buried again meanwhile would be sent back without end.
    buried: list[Delivery] = []
    while deliveries := dead.receive(seconds=REDRIVE_SECONDS):
        buried += deliveries
    reasons: list[dict[str, object]] = []
    for delivery in buried:
        body = dict(delivery.body)
        reasons.append(body.pop("reason", {}))
        queue.send(body, group=turns.of_message(body))
        dead.done(delivery)
    return reasons


def _may_pass(error: Exception) -> bool:
    """What nobody has foreseen is given every chance, too."""
    return not isinstance(error, FootnoteError) or isinstance(error, Unavailable | Conflict)


def _failure(error: Exception) -> Failure:
    if not isinstance(error, FootnoteError):
        return UNEXPECTED
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).upper()
    return Failure(error.code or name, error.message)
