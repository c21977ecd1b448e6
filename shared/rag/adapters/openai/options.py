"""The options that callers may set, in OpenAI's names or Ollama's, and what they may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rag.errors import Invalid

MOST_STOPS = 4


@dataclass(frozen=True, slots=True)
class Option:
    """What the vendor calls an option, and which values it takes."""

    name: str
    admits: Callable[[Any], bool]
    rule: str


def _number(name: str, least: float, most: float) -> Option:
    def admits(value: Any) -> bool:
        return isinstance(value, int | float) and not _is_flag(value) and least <= value <= most

    return Option(name, admits, f"must be a number from {least:g} to {most:g}")


def _whole(name: str, least: int | None = None) -> Option:
    def admits(value: Any) -> bool:
        fits = isinstance(value, int) and not _is_flag(value)
        return fits and (least is None or value >= least)

    return Option(
        name, admits, "must be a whole number" + ("" if least is None else f", at least {least}")
    )


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)  # which Python takes for a number


def _are_stops(value: Any) -> bool:
    stops = [value] if isinstance(value, str) else value
    return (
        isinstance(stops, list)
        and 1 <= len(stops) <= MOST_STOPS
        and all(isinstance(stop, str) and stop for stop in stops)
    )


OPTIONS: Mapping[str, Option] = {
    "temperature": _number("temperature", 0, 2),
    "top_p": _number("top_p", 0, 1),
    "presence_penalty": _number("presence_penalty", -2, 2),
    "frequency_penalty": _number("frequency_penalty", -2, 2),
    "max_tokens": _whole("max_tokens", 1),
    "max_completion_tokens": _whole("max_completion_tokens", 1),
    "num_predict": _whole("max_tokens", 1),  # Ollama's name
    "seed": _whole("seed"),
    "stop": Option("stop", _are_stops, f"must be a text, or a list of 1 to {MOST_STOPS} texts"),
}


def translated(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the vendor takes them; null means absent. Raises Invalid by name."""
    given: dict[str, Any] = {}
    for name, value in options.items():
        option = OPTIONS.get(name)
        if option is None:
            field, known = f"options.{name[:100]}", ", ".join(sorted(OPTIONS))
            raise Invalid(field, f"{field} is not an option; these are: {known}")
        if value is None:
            continue
        if not option.admits(value):
            raise Invalid(f"options.{name}", f"options.{name} {option.rule}")
        given[option.name] = value
    return given
