"""The error tree, drawn once. Wire packages turn it into their contract's envelope.

FootnoteError
├── Invalid                  the request is wrong: `field`, `message`
│   └── TemplateError
├── Unauthorized             no credentials where they are needed, or bad ones
├── PermissionDenied         known, but may not do this
│   ├── NoAccessibleSources
│   └── OriginRefused
├── RateLimited              came too often: how long to `wait`
├── NotFound                 absent, or not for this caller's eyes
├── TooLarge                 more than may be handled in one request
├── UnsupportedFormat        a kind of file that cannot be read
├── ParseError               a file that is not what it says
├── ContextOverflow          not even one piece of what was found fits into the prompt
├── InsufficientContext      the documents do not hold the answer, and nothing less was asked for
├── IndexFull                the org's storage quota is used up
├── Conflict                 lost a race more often than is reasonable
└── Unavailable              a part that the request needs does not answer
    ├── EmbeddingFailed
    ├── GenerationFailed
    │   └── ModelNotConfigured
    ├── GroundingFailed
    ├── IndexUnavailable
    └── DeadlineExceeded

Unreadable                   why a reader gave up on a file; parsing says which file it was
RerankFailed                 never leaves the query pipeline: the order stays as it was
ConditionFailed              a conditional write found something else; stores decide what it means
IndexMismatch                an index made by another model: the operator must re-embed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from rag.model import Tier


class FootnoteError(Exception):
    """Anything that a caller is told about."""

    code: ClassVar[str | None] = None

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = dict(details or {})


class Invalid(FootnoteError):
    """The request breaks a rule that its sender can mend."""

    def __init__(self, field: str, message: str, constraint: str = "valid") -> None:
        super().__init__(message, {"field": field, "message": message})
        self.field = field
        self.constraint = constraint  # the rule's name, for contracts that have one


class TemplateError(Invalid):
    """A prompt's template that cannot be filled."""

    code = "TEMPLATE_ERROR"


class Unauthorized(FootnoteError):
    """No credentials where they are required, or bad ones anywhere."""


class PermissionDenied(FootnoteError):
    """The caller is known but may not do this."""

    code = "PERMISSION_DENIED"


class NoAccessibleSources(PermissionDenied):
    """There is no data source that the caller may query."""

    code = "NO_ACCESSIBLE_SOURCES"


class OriginRefused(PermissionDenied):
    """Pages of this origin may not call for this site."""


class RateLimited(FootnoteError):
    """The visitor has come as often as its tier may within a minute."""

    code = "RATE_LIMIT_EXCEEDED"

    def __init__(self, wait: int, limit: int, tier: Tier) -> None:
        seconds = "1 second" if wait == 1 else f"{wait} seconds"
        super().__init__(
            f"Too many requests. Try again in {seconds}.",
            {"retry_after": wait, "limit": f"{limit} requests per minute ({tier} tier)"},
        )
        self.wait = wait  # seconds
        self.limit = limit


class NotFound(FootnoteError):
    """There is no such thing, or none that this caller may see."""


class TooLarge(FootnoteError):
    """More than one request may carry or finish in time."""


class UnsupportedFormat(FootnoteError):
    """A kind of file that cannot be read; the message says which can."""

    code = "UNSUPPORTED_FORMAT"


class ParseError(FootnoteError):
    """A file that cannot be read as what it says it is."""

    code = "PARSE_ERROR"


class ContextOverflow(FootnoteError):
    """Not even the most relevant piece fits into the prompt."""

    code = "CONTEXT_OVERFLOW"


class InsufficientContext(FootnoteError):
    """The documents do not hold the answer, and the caller wants none then."""

    code = "INSUFFICIENT_CONTEXT"


class IndexFull(FootnoteError):
    """The org has stored as much as it may; nothing was written."""

    code = "INDEX_FULL"


class Conflict(FootnoteError):
    """Others kept changing the same thing; nothing was written."""


class Unavailable(FootnoteError):
    """A part that this request needs does not answer."""


class EmbeddingFailed(Unavailable):
    """The embedding model failed."""

    code = "EMBEDDING_FAILED"


class GenerationFailed(Unavailable):
    """The language model failed."""

    code = "GENERATION_FAILED"


class ModelNotConfigured(GenerationFailed):
    """The request needs a language model and none is configured."""


class GroundingFailed(Unavailable):
    """Whether the documents hold the answer could not be judged."""

    code = "GROUNDING_FAILED"


class IndexUnavailable(Unavailable):
    """The vector index does not answer."""

    code = "INDEX_UNAVAILABLE"


class DeadlineExceeded(Unavailable):
    """The request's time is up; nothing of it is visible."""


class Unreadable(Exception):
    """A reader cannot make text of this. Its words go on after the file's name: "is damaged"."""


class RerankFailed(Exception):
    """The reranker failed; the order before it stands."""


class ConditionFailed(Exception):
    """A conditional write or transaction was refused: `failed` are the positions of its writes."""

    def __init__(self, failed: tuple[int, ...] = (0,)) -> None:
        super().__init__(f"condition failed for writes {failed}")
        self.failed = failed


class IndexMismatch(Exception):
    """The stored index was made by another model than the one configured."""
