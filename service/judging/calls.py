"""One call to an endpoint and what can come of it. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class CallOutcome(StrEnum):
    """What came of one attempt. Exactly one of these, whatever the endpoint did."""

    ANSWERED = "answered"
    """A JSON object of the wanted schema."""
    REFUSED = "refused"
    TRUNCATED = "truncated"
    CONTENT_FILTER = "content_filter"
    INVALID_JSON = "invalid_json"
    SCHEMA = "schema"
    EMPTY = "empty"
    """A well-formed response without a choice or without words."""
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    SERVER_ERROR = "server_error"
    TRANSPORT = "transport"
    TIMEOUT = "timeout"
    CONTEXT_TOO_LONG = "context_too_long"
    UNAUTHORIZED = "unauthorized"
    NOT_FOUND = "not_found"
    BAD_REQUEST = "bad_request"
    NOT_A_COMPLETION = "not_a_completion"
    """Status 200 with something that is no chat completion: a page, an error body."""
    TOO_LARGE = "too_large"
    """More bytes than are read: a model that does not find its end, on this one answer."""


HEALING = frozenset(
    {
        CallOutcome.RATE_LIMITED,
        CallOutcome.SERVER_ERROR,
        CallOutcome.TRANSPORT,
        CallOutcome.TIMEOUT,
        CallOutcome.NOT_A_COMPLETION,
    }
)
"""The same call may succeed later."""

REPAIRABLE = frozenset(
    {CallOutcome.INVALID_JSON, CallOutcome.SCHEMA, CallOutcome.TRUNCATED, CallOutcome.EMPTY}
)
"""One more call, that says what was wrong, may bring a usable answer."""

UNUSABLE = REPAIRABLE | {
    CallOutcome.REFUSED,
    CallOutcome.CONTENT_FILTER,
    CallOutcome.TOO_LARGE,
}
"""The endpoint answered, but not with a ruling: such a judgement is ``undetermined``. After any
other failure it is ``failed``."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or several calls. ``estimated``: the endpoint gave no credible count."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Call:
    """What an endpoint is asked. ``messages``: chat messages (``role``, ``content``);
    ``schema``: the JSON Schema of the wanted object, strict; ``max_tokens`` bounds the answer."""

    purpose: str
    """``ruling``, ``repair``, ``relevance`` or ``correctness``."""
    messages: tuple[Mapping[str, str], ...]
    schema_name: str
    schema: Mapping[str, Any]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one attempt. ``data``: the object, only when ``outcome`` is ``answered``;
    ``content``: the words as they came, for a repair (hostile, never logged); ``detail``: one safe
    line about a failure, without any of the endpoint's or the event's words; ``model``: what the
    endpoint says that it ran; seconds."""

    outcome: CallOutcome
    data: Mapping[str, Any] | None = None
    content: str = ""
    usage: Usage = NO_USAGE
    retry_after_s: float | None = None
    latency_s: float = 0.0
    model: str = ""
    detail: str = ""
