"""What a search may be narrowed by: filters → conditions, and what an index holds to meet them.

An index tells whether a field has one of some values, and on which side of a bound a number is.
What is not there is another matter: vendors differ on whether a document without an author passes
"the author is not Ann". So all that is known of a document is written into one field that every
entry has, `facts`: `title=Newts`, `.author=s:Ann`, `.year=n:2024`, and `.author` alone for whoever
asks whether there is one at all. A negation then always speaks of a field that is there.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import accumulate
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from rag.errors import Invalid
from rag.model import Bound, Condition, Document, FieldValue, Where

Op: TypeAlias = Literal["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists"]
OPS: Final = get_args(Op)
FACTS = "facts"

MOST_FILTERS = 20
MOST_VALUES = 100
# So much of a document's metadata can be filtered by: as JSON, Pinecone takes 40 KB with a record,
# of which tags may have used up most.
MOST_FACTS = 200
MOST_BYTES = 12_000
MOST_WITH_TAGS = 38_000
# So much may tags take: a hundred of 256 letters each, and fewer where letters are not ASCII's.
MOST_OF_TAGS = 30_000
# A fact that is longer, or that a vendor might spell in another way, gives way to its hash.
LONGEST_FACT = 48

# What a document has by itself, as a caller calls it and as an index does.
FIELDS = {"source": "source", "document": "document", "dataSource": "data_source"}
ALWAYS = {*FIELDS, "title"}
OWN = {*ALWAYS, "tags", "url"}
METADATA = "metadata."

DATE = re.compile(r"\d{4}-\d\d-\d\d")
COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


class Filter(NamedTuple):
    """One thing that must hold of a document, as a caller says it."""

    field: str
    op: str
    value: Any


def conditions(filters: Sequence[Filter]) -> Where:
    """The filters as an index understands them. Raises Invalid for one that says nothing."""
    if len(filters) > MOST_FILTERS:
        raise Invalid("filters", f"filters must be at most {MOST_FILTERS}")
    found = [_condition(f"filters.{place}", one) for place, one in enumerate(filters)]
    return tuple(one for one in found if one is not None)


def fields(document: Document) -> dict[str, FieldValue]:
    """What an index holds of each chunk of a document, for filters to look at."""
    tokens, numbers = facts(document)
    return {**_plain(document), FACTS: tokens, **numbers}


def facts(document: Document) -> tuple[tuple[str, ...], dict[str, float]]:
    """What is known of a document in words, and the numbers and dates that have an order."""
    tokens = dict.fromkeys(_own(document))
    numbers: dict[str, float] = {}
    leaves = list(_leaves(document.metadata))
    values_at = Counter(path for path, _ in leaves)
    left = min(MOST_BYTES, MOST_WITH_TAGS - _bytes(document.tags)) - _bytes(tokens)
    for path, value in leaves[:MOST_FACTS]:
        told = dict.fromkeys([*map(_short, _ways(path)), _fact(path, value)])
        new = [token for token in told if token not in tokens]
        order = _order(path, value) if values_at[path] == 1 else {}
        left -= _bytes(new) + _bytes(order) + _bytes(map(repr, order.values()))
        if left < 0:
            break
        tokens |= dict.fromkeys(new)
        numbers |= order
    return tuple(tokens), numbers


def have_room(tags: Iterable[str]) -> bool:
    """Whether an index can hold these tags of a document."""
    return _bytes(tags) <= MOST_OF_TAGS


def admits(where: Where, document: Document) -> bool:
    """Whether a document that an index found passes: no index has the last word."""
    known: dict[str, FieldValue] = _plain(document)
    if any(one.field not in known for one in where):
        known = fields(document)
    return all(_holds(one, known.get(one.field, ())) for one in where)


def _plain(document: Document) -> dict[str, FieldValue]:
    return {
        "document": document.id,
        "data_source": document.data_source,
        "source": document.source,
        "tags": document.tags,
    }


def _holds(one: Condition | Bound, held: FieldValue) -> bool:
    if isinstance(one, Bound):
        return isinstance(held, float) and COMPARE[one.op](held, one.value)
    values = held if isinstance(held, tuple) else (held,)
    return one.none == one.values.isdisjoint(values)


# A caller's words


def _condition(at: str, filter: Filter) -> Condition | Bound | None:
    """What the filter asks for; None if every document has that."""
    field, op, value = filter
    if not isinstance(field, str) or not field.strip():
        raise Invalid(f"{at}.field", f"{at}.field must name a field")
    match op:
        case "exists":
            if not isinstance(value, bool):
                raise Invalid(f"{at}.value", f"{at}.value must be true or false")
            return _exists(field, value)
        case "gt" | "gte" | "lt" | "lte":
            return _bound(at, field, op, value)
        case "eq" | "ne":
            return _one_of(at, field, [value], none=op == "ne")
        case "in" | "nin":
            if not isinstance(value, list | tuple) or len(value) > MOST_VALUES:
                raise Invalid(
                    f"{at}.value", f"{at}.value must be a list of at most {MOST_VALUES} values"
                )
            return _one_of(at, field, value, none=op == "nin")
        case _:
            raise Invalid(f"{at}.op", f"{at}.op must be one of {', '.join(OPS)}")


def _exists(field: str, wanted: bool) -> Condition | None:
    if field in ALWAYS:
        return None if wanted else Condition(FACTS, frozenset())
    there = field if field in OWN else _short(_key(_path(field)))
    return Condition(FACTS, frozenset({there}), none=not wanted)


def _one_of(at: str, field: str, values: Iterable[Any], *, none: bool) -> Condition:
    for value in values:
        comparable = isinstance(value, str) or (field not in OWN and _is_plain(value))
        if not comparable:
            kinds = "text" if field in OWN else "text, numbers, true or false"
            raise Invalid(f"{at}.value", f"{at}.value: {field[:100]} is compared with {kinds}")
    # What has no tags has no field for them either, which matters to a negation alone.
    if field in FIELDS or (field == "tags" and not none):
        return Condition(FIELDS.get(field, field), frozenset(values), none)
    told = _token if field in OWN else _fact
    return Condition(FACTS, frozenset(told(_path(field), value) for value in values), none)


def _bound(at: str, field: str, op: Literal["gt", "gte", "lt", "lte"], value: Any) -> Bound:
    if field in OWN:
        raise Invalid(f"{at}.op", f"{at}.op: {field} is neither a number nor a date")
    order = _order(_path(field), value) if _is_plain(value) else {}
    if not order:
        message = f"{at}.value must be a number or an ISO date, to be compared by {op}"
        raise Invalid(f"{at}.value", message)
    [(name, number)] = order.items()
    return Bound(name, op, number)


def _path(field: str) -> str:
    """Where in the metadata; a field of the document's own is itself."""
    return field.removeprefix(METADATA)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


# What is known of a document


def _own(document: Document) -> Iterator[str]:
    yield _token("title", document.title)
    if document.url is not None:
        yield from ("url", _token("url", document.url))
    if document.tags:
        yield from ("tags", *(_token("tags", tag) for tag in document.tags))


def _leaves(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str | int | float]]:
    """Every value inside, with the dotted way to it. A list has each of its values; what is null
    or empty is not there."""
    waiting: list[tuple[str, Any]] = [("", metadata)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Mapping):
            inside = [(f"{path}.{name}" if path else name, one) for name, one in value.items()]
            waiting += reversed(inside)
        elif isinstance(value, list):
            waiting += [(path, one) for one in reversed(value)]
        elif value is not None:
            yield path, value


def _fact(path: str, value: str | int | float) -> str:
    """That there is this value. 5 is not "5", but 5.0, and a moment is the same in every zone."""
    return _token(_key(path), _typed(value))


def _typed(value: str | int | float) -> str:
    if isinstance(value, bool):
        return f"b:{value}"
    if isinstance(value, str):
        moment = _moment(value)
        return f"s:{value}" if moment is None else f"d:{moment}"
    whole = isinstance(value, int) or value.is_integer()
    return f"n:{int(value) if whole else value}"


def _order(path: str, value: str | int | float) -> dict[str, float]:
    """The field that ranges look at, if the value has an order, and its place in it."""
    if isinstance(value, bool):
        return {}
    if isinstance(value, str):
        moment = _moment(value)
        return {} if moment is None else {f"t{_short(_key(path))}": moment}
    with suppress(OverflowError):
        if math.isfinite(number := float(value)):
            return {f"n{_short(_key(path))}": number}
    return {}


def _moment(text: str) -> float | None:
    """Seconds since 1970, of a date with a time or without; where no zone is said, it is UTC."""
    if DATE.match(text):
        with suppress(ValueError):
            moment = datetime.fromisoformat(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


def _ways(path: str) -> Iterator[str]:
    """The way to a value, and to all that it is inside of: they are there as well."""
    return map(_key, accumulate(path.split("."), "{}.{}".format))


def _key(path: str) -> str:
    """The way to a value, so that no name can pass for a name with a value."""
    return "." + path.replace("%", "%25").replace("=", "%3D")


def _token(key: str, value: str) -> str:
    return _short(f"{key}={value}")


def _short(token: str) -> str:
    if len(token) <= LONGEST_FACT and token.isascii() and token.isprintable():
        return token
    return "#" + blake2b(json.dumps(token).encode(), digest_size=16).hexdigest()


def _bytes(texts: Iterable[str]) -> int:
    """What they take as JSON, with what stands between them."""
    return sum(len(json.dumps(text)) + 2 for text in texts)
