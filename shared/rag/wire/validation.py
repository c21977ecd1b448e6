"""What is wrong with a request, in words for the person who sent it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError

from rag.errors import Invalid

LONGEST_NAME = 100

# Where one path takes two kinds of bodies, their names; they have spaces, which no field has.
ONE, MANY = "one document", "documents of a job"
BODIES = (ONE, MANY)

MESSAGES = {
    "missing": "is required",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode text",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be an array",
    "dict_type": "must be an object",
    "model_attributes_type": "must be an object",
    "model_type": "must be an object",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "int_parsing": "must be a whole number",
    "literal_error": "must be one of {expected}",
}

# The same rules in one word, for the contract that wants one.
CONSTRAINTS = {
    "missing": "required",
    "string_type": "string",
    "string_unicode": "string",
    "string_too_short": "non_empty",
    "string_too_long": "max_length",
    "int_type": "number",
    "int_from_float": "number",
    "int_parsing": "number",
    "float_type": "number",
    "bool_type": "boolean",
    "list_type": "array",
    "dict_type": "object",
    "model_attributes_type": "object",
    "model_type": "object",
    "too_long": "max_length",
    "too_short": "min_length",
    "greater_than_equal": "range",
    "less_than_equal": "range",
    "literal_error": "one_of",
}


class Broken(ValueError):
    """A rule of ours that a value breaks, by its name; the message goes on after the field's."""

    def __init__(self, constraint: str, message: str) -> None:
        super().__init__(message)
        self.constraint = constraint


def first_problem(invalid: RequestValidationError) -> Invalid:
    """The first broken rule of a request."""
    error = invalid.errors()[0]
    if error["type"] == "json_invalid":
        what, where = error["ctx"]["error"], error["loc"][1]
        message = f"The body is not valid JSON: {what} (character {where})"
        return Invalid("body", message, "valid_json")
    # Without the place (body, query, path) that the field is in, and which of two bodies it is.
    where = [part for part in error["loc"][1:] if part not in BODIES]
    return broken_rule({**error, "loc": where})


def broken_rule(error: Mapping[str, Any]) -> Invalid:
    """A rule of a model that its input breaks; nested fields have a dotted path."""
    field = ".".join(str(part)[:LONGEST_NAME] for part in error["loc"]) or "body"
    # A null where something is required is the same as nothing there.
    kind = "missing" if error.get("input", ...) is None else error["type"]
    if kind == "value_error":
        rule = error["ctx"]["error"]
        return Invalid(field, f"{field} {rule}", getattr(rule, "constraint", "valid"))
    return Invalid(field, _message(field, kind, error), CONSTRAINTS.get(kind, "valid"))


def _message(field: str, kind: str, error: Mapping[str, Any]) -> str:
    rule = MESSAGES.get(kind)
    return f"{field} {rule.format(**error.get('ctx', {}))}" if rule else f"{field}: {error['msg']}"
