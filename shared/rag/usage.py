"""What the request at hand has done, and how many tokens of vendors' models that took.

Ambient, as its time is. Beside tokens by their kind: `ingested` and `failed` documents,
`searches` for passages, `questions` to documents, those `abstained` from, and `unsupported`
sentences of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from rag.errors import FootnoteError

# What is counted under a name of its own; everything else that is counted are tokens.
COUNTS = ("ingested", "failed", "searches", "questions", "abstained", "unsupported")

_used: ContextVar[Counter[str] | None] = ContextVar("used", default=None)
_lock = Lock()  # a request may use a model on several threads


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Collect what everything inside counts, by kind; what is around it counts that, too."""
    used: Counter[str] = Counter()
    token = _used.set(used)
    try:
        yield used
    finally:
        _used.reset(token)
        count(**used)


def count(**amounts: int) -> None:
    """Add to what the request has done and used."""
    used = _used.get()
    if used is not None:
        with _lock:
            used.update({kind: amount for kind, amount in amounts.items() if amount})


def tokens(used: Mapping[str, int]) -> int:
    """How many tokens of vendors' models those were, of whatever kind."""
    return sum(amount for kind, amount in used.items() if kind not in COUNTS)


@contextmanager
def counting_failures() -> Iterator[None]:
    """Count a document as `failed` that is refused, or cannot be ingested now."""
    try:
        yield
    except FootnoteError:
        count(failed=1)
        raise
