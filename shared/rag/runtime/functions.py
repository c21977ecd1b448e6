"""What our Lambda functions are made of: the application, and a handler around it.

Composition happens once per container, while Lambda initialises it. With SnapStart that would be
before the snapshot, and every copy would wake up with the secrets and connections of that moment:
there only the imports happen before, and the rest when a copy is restored.
"""

from __future__ import annotations

import gc
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from rag.footnote import Footnote
from rag.runtime.bootstrap import bootstrap
from rag.runtime.secrets import resolved
from rag.runtime.settings import Settings
from rag.runtime.telemetry import Telemetry

if TYPE_CHECKING:
    from fastapi import APIRouter

Handler: TypeAlias = Callable[[dict[str, Any], Any], Any]

INITIALIZATION = os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE")
if INITIALIZATION:
    # Looking for garbage while modules are being made finds none and is a seventh of a cold start.
    gc.disable()


@cache
def settings() -> Settings:
    """The environment with its secrets. Nothing is ever open to callers without credentials here,
    even where AUTH was forgotten."""
    return Settings.from_environment({**resolved(os.environ), "AUTH": "required"})


@cache
def footnote() -> Footnote:
    """The application, composed once per container; its parts are made when they are used."""
    return bootstrap(settings())


@cache
def telemetry() -> Telemetry:
    """Logs, metrics and traces of this function."""
    return Telemetry(settings().log_level)


def http_function(*routers: APIRouter) -> Handler:
    """A handler of API Gateway's events that serves these routers."""
    return _initialised(_HttpFunction(routers))


def event_function(handle: Handler) -> Handler:
    """A handler of any other events, with logs, metrics and traces around it."""
    return _initialised(_EventFunction(handle))


class _Function(ABC):
    def __call__(self, event: dict[str, Any], context: Any) -> Any:
        try:
            return self.ready(event, context)
        finally:
            if not gc.isenabled():
                gc.freeze()  # what is there by now will stay
                gc.enable()

    @property
    @abstractmethod
    def ready(self) -> Handler:
        """The handler, composed."""


class _EventFunction(_Function):
    def __init__(self, handle: Handler) -> None:
        self._handle = handle

    @cached_property
    def ready(self) -> Handler:
        footnote()
        return telemetry().around(telemetry().measured(self._handle))


class _HttpFunction(_Function):
    def __init__(self, routers: tuple[APIRouter, ...]) -> None:
        self._routers = routers

    @cached_property
    def ready(self) -> Handler:
        from rag.runtime.http import gateway_handler

        handler = gateway_handler(footnote(), settings(), self._routers, telemetry().request)
        return telemetry().around(handler)


def _initialised(function: _Function) -> Handler:
    """The function, ready before its first event where Lambda runs it."""
    match INITIALIZATION:
        case None:
            pass  # a test or a tool: it is ready when it is first called
        case "snap-start":
            from rag.runtime.snapshot import when_restored

            when_restored(lambda: function.ready)
        case _:
            _ = function.ready
    return function
