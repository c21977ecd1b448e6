"""The worker: does what a message asks for, or again later, or buries it with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from rag import usage
from rag.errors import Conflict, FootnoteError, Invalid, Unavailable
from rag.ingest import messages, turns
from rag.ingest.jobs import JobDocuments
from rag.ingest.messages import AGAIN, job_message, lease_name
from rag.ingest.notices import changes, notice
from rag.ingest.repeating import repeating
from rag.ingest.uploads import Following
from rag.job import STALLED, Failure
from rag.model import Change
from rag.ports import Delivery, Queue
from rag.stores.leases import SECONDS, Held, Lease, Leases
from rag.stores.tickets import PREFIX as INCOMING
from rag.stores.usages import Usages

MOST_ATTEMPTS = 8
# Workers that may die at the same message before it is held to be the cause.
MOST_DEATHS = 8
# Seconds, doubled with every attempt: a vendor may be away for ten minutes.
FIRST_PAUSE = 5
# Seconds that buried messages are hidden while they are sent back.
REDRIVE_SECONDS = 600

UNEXPECTED = Failure("INTERNAL_ERROR", "Something went wrong on our side.")


class TryAgain(Exception):
    """The message comes again after a pause."""


class _Busy(Exception):
    """Another worker is at it."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds


class _Deadly(FootnoteError):
    """Too many workers have died at it."""

    code = STALLED.code


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that a message asks for."""

    name: str  # by which a worker holds it
    org: str
    message: dict[str, Any]  # that asks for this alone
    do: Callable[[], None]
    give_up: Callable[[Failure], None]
    watched: bool  # whoever sent it is told by its job


@dataclass(frozen=True, slots=True)
class Worker:
    """Works on a message; whoever has received it takes it off the queue afterwards."""

    following: Following
    documents: JobDocuments
    leases: Leases
    usages: Usages
    queue: Queue
    dead: Queue

    def work(self, delivery: Delivery) -> None:
        """Do every task of the message. Raises TryAgain."""
        try:
            tasks = list(self._tasks(delivery.body))
        except Invalid as wrong:
            self._bury(delivery, _failure(wrong))
            return
        if not turns.is_taken(delivery.body):
            self.queue.send(turns.taken(delivery.body), group=turns.of_message(delivery.body))
            return
        failed = [(task, error) for task in tasks if (error := self._counted(task)) is not None]
        passing = [error for _, error in failed if _may_pass(error)]
        if passing and delivery.attempt < MOST_ATTEMPTS:
            busy = [error.seconds for error in passing if isinstance(error, _Busy)]
            self.queue.again(delivery, delay=max(busy) if busy else pause(delivery))
            raise TryAgain from passing[0]
        # Whoever is at it will see to it, or a sweep will.
        given_up = [(task, error) for task, error in failed if not isinstance(error, _Busy)]
        for task, error in given_up:
            with suppress(Unavailable, Invalid):
                task.give_up(_failure(error))
            self.usages.add(task.org, {"failed": 1})
        for task, error in given_up:
            # A sender is told why, but only an operator can mend what should have passed, or kills.
            if _may_pass(error) or isinstance(error, _Deadly) or not task.watched:
                self._bury(delivery, _failure(error))
                break

    def _tasks(self, body: Mapping[str, Any]) -> Iterator[Task]:
        if "job" in body:
            yield self._job_task(body)
        else:
            for change in changes(body):
                yield self._change_task(change, again=AGAIN in body)

    def _job_task(self, body: Mapping[str, Any]) -> Task:
        told = job_message(body)
        return Task(
            lease_name(body),
            told.org,
            dict(body),
            do=lambda: self.documents.work(told),
            give_up=lambda failure: self.documents.give_up(told, failure),
            watched=True,
        )

    def _change_task(self, change: Change, *, again: bool) -> Task:
        incoming = change.key.startswith(INCOMING)
        message = turns.taken(notice(change))
        return Task(
            f"{change.key} {change.sequencer}",
            turns.of_key(change.key),
            messages.again(message) if again else message,
            do=lambda: (
                self.documents.arrived(change.key, again=again)
                if incoming
                else self.following.follow(change)
            ),
            give_up=lambda failure: (
                self.documents.give_up_file(change.key, failure)
                if incoming
                else self.following.give_up(change, failure)
            ),
            watched=incoming,
        )

    def _counted(self, task: Task) -> Exception | None:
        """Do it, and add to its org's usage what that took."""
        with usage.counted() as used:
            error = self._do(task)
        # What comes again may yet go well.
        self.usages.add(task.org, {**used, "failed": 0})
        return error

    def _do(self, task: Task) -> Exception | None:
        """One that fails does not keep the others from being done."""
        try:
            lease = self.leases.take(task.name, task.org, task.message)
            if isinstance(lease, Held):
                return _Busy(lease.seconds)
            with self._held(lease):
                if lease.deaths >= MOST_DEATHS:
                    raise _Deadly(STALLED.message)
                task.do()
        except Exception as error:
            return error
        return None

    @contextmanager
    def _held(self, lease: Lease) -> Iterator[None]:
        """Keep others from it for as long as the work takes."""

        try:
            # What could not be renewed in time is at worst done twice, and counted once.
            with repeating(partial(self.leases.renew, lease), SECONDS / 4):
                yield
        finally:
            with suppress(Unavailable):
                self.leases.release(lease)

    def _bury(self, delivery: Delivery, reason: Failure) -> None:
        """Lay the message where people can look at it and send it back."""
        told = {"code": reason.code, "message": reason.message, "attempt": delivery.attempt}
        self.dead.send({**delivery.body, "reason": told})


def pause(delivery: Delivery) -> int:
    """Seconds until a message that has failed comes again."""
    seconds: int = FIRST_PAUSE * 2 ** (delivery.attempt - 1)
    return seconds


def requeue(leases: Leases, queue: Queue) -> int:
    """Queue again what workers have died at; returns how much that was."""
    found = 0
    for expired in leases.expired():
        queue.send(expired.message, group=expired.org)
        leases.waits(expired)
        found += 1
    return found


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
        group = turns.of_message(body)
        queue.send(messages.again(body), group=group)
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
