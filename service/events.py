"""The contract: bytes → :class:`AnswerEvent`, or a typed :class:`Rejection`.

No text of the payload ever stands in a rejection: it names the field and what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from service.json_constants import has_constants

SCHEMA_VERSION: Final = 1

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Ref = Annotated[str, StringConstraints(min_length=1, max_length=2048)]
Label = Annotated[str, StringConstraints(max_length=256)]


class _Part(BaseModel):
    """Unknown fields are kept, not checked; an error never shows its input."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
        # Names repeat from event to event, values hardly: looking those up costs, and finds little.
        cache_strings="keys",
    )


class Chunk(_Part):
    """One retrieved chunk, in the order of retrieval."""

    ref: Ref
    text: str | None = Field(None, description="Looked up in the document store when absent.")
    score: float | None = None
    rank: int | None = None
    in_prompt: bool = Field(
        True, description="Only chunks that reached the model ground an answer."
    )
    url: str | None = None
    title: str | None = None
    number: int | None = Field(
        None, description="The number the prompt gave this chunk, if not its position."
    )
    tenant: str | None = None
    acl: list[str] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class ContextItem(_Part):
    """What else the model saw. Kind ``assistant`` is shown but never evidence."""

    name: str
    kind: str = Field("user", description="user | system | tool | assistant | …")
    text: str


class Citation(_Part):
    """Structured. ``start`` and ``end`` are character offsets into ``answer``, end exclusive."""

    ref: Ref
    start: int | None = None
    end: int | None = None
    quote: str | None = None


class User(_Part):
    id_hash: str | None = None
    tenant: str | None = None
    groups: list[str] = Field(default_factory=list)


class Release(_Part):
    """What was deployed. Only ``id`` becomes a label; the rest explains a change."""

    id: Label | None = None
    model: str | None = None
    prompt: str | None = None
    retriever: str | None = None
    retrieval_params: dict[str, Any] | None = None
    embedding_model: str | None = None
    chunking: str | None = None
    index: str | None = None
    corpus: Label | None = None


class Usage(_Part):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class AnswerEvent(_Part):
    """One answer of a RAG system: the query, what was retrieved for it, and what was answered."""

    schema_version: Literal[1] = SCHEMA_VERSION
    event_id: Identifier
    occurred_at: datetime | None = None
    app: Annotated[str, StringConstraints(min_length=1, max_length=128)] = "default"
    purpose: Literal["live", "probe", "shadow"] = "live"
    status: Literal["ok", "truncated", "error"] = "ok"
    language: Annotated[str, StringConstraints(max_length=16)] | None = None
    query: str
    query_id: Label | None = None
    context: list[ContextItem] = Field(default_factory=list)
    retrieved: list[Chunk]
    answer: str
    citations: list[Citation] = Field(default_factory=list)
    user: User | None = None
    session_id: Label | None = None
    trace_id: Label | None = None
    tags: dict[str, str] = Field(default_factory=dict)
    release: Release = Field(default_factory=Release)
    usage: Usage | None = None
    latency_ms: dict[str, float] | None = None


_TRACE_ID = re.compile(
    r"(?:[0-9a-f]{2}-)?([0-9a-f]{32})(?:-[0-9a-f]{16}-[0-9a-f]{2})?", re.IGNORECASE
)


def trace_id_of(told: str | None) -> str:
    """The W3C trace id that an event told, bare or within a ``traceparent``: 32 hex digits. Empty
    where there is none: then it may be any text."""
    found = _TRACE_ID.fullmatch(told or "")
    return found[1].lower() if found and found[1].strip("0") else ""


class RejectReason(StrEnum):
    """Why an event could not be taken. A closed set: it labels metrics and dead letters."""

    INVALID_JSON = "invalid_json"
    NOT_UTF8 = "not_utf8"
    SCHEMA = "schema"
    TOO_LARGE = "too_large"
    UNSUPPORTED_VERSION = "unsupported_version"
    UNKNOWN_APP = "unknown_app"


@dataclass(frozen=True, slots=True)
class Rejection:
    """``message`` names the field and the fault and never repeats the payload."""

    reason: RejectReason
    message: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class EventLimits:
    """Past these an event is ``too_large``: bytes of JSON, chunks, characters of all texts."""

    max_bytes: int = 1 << 20
    max_chunks: int = 200
    max_text: int = 4 << 20


def parse_event(
    raw: bytes | None, limits: EventLimits = EventLimits(), default_app: str = "default"
) -> AnswerEvent | Rejection:
    """Read one event. Never raises; ``None`` (a Kafka tombstone) is ``invalid_json``."""
    if raw is None:
        return Rejection(RejectReason.INVALID_JSON, "the record has no value (a tombstone)")
    if len(raw) > limits.max_bytes:
        return Rejection(
            RejectReason.TOO_LARGE, f"{len(raw)} bytes; the limit is {limits.max_bytes}"
        )
    try:
        event = AnswerEvent.model_validate_json(raw)
    except ValidationError as error:
        return explain(raw, error)
    except (RecursionError, ValueError):
        return Rejection(RejectReason.INVALID_JSON, "not readable as JSON")
    if has_constants(raw):
        return _CONSTANTS
    if len(event.retrieved) > limits.max_chunks:
        return Rejection(
            RejectReason.TOO_LARGE,
            f"{len(event.retrieved)} chunks; the limit is {limits.max_chunks}",
            "retrieved",
        )
    if "app" not in event.model_fields_set:
        event.app = default_app
    return event


_CONSTANTS = Rejection(RejectReason.INVALID_JSON, "NaN and Infinity are not JSON")


def explain(raw: bytes, error: ValidationError, known: Container[str] | None = None) -> Rejection:
    """What is wrong with ``raw``, as a model found. ``known``: names that a message may repeat
    (those of the answer event when not given)."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    first = next((fault for fault in faults if fault["loc"] == ("schema_version",)), faults[0])
    if first["type"] == "json_invalid":
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as fault:
            return Rejection(RejectReason.NOT_UTF8, f"not UTF-8 at byte {fault.start}")
        return Rejection(RejectReason.INVALID_JSON, "not valid JSON")
    if has_constants(raw):
        return _CONSTANTS
    field = _field_name(first["loc"], CONTRACT_NAMES if known is None else known)
    if first["loc"] == ("schema_version",):
        return Rejection(
            RejectReason.UNSUPPORTED_VERSION,
            f"schema_version: this release reads version {SCHEMA_VERSION}",
            field,
        )
    return Rejection(
        RejectReason.SCHEMA, f"{field}: {_KIND.get(first['type'], first['type'])}", field
    )


_KIND = {
    "missing": "required, but missing",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "string_too_short": "too short",
    "string_too_long": "too long",
    "literal_error": "not one of the allowed values",
    "finite_number": "must be a finite number",
    "datetime_type": "must be an ISO 8601 time",
    "datetime_parsing": "must be an ISO 8601 time",
    "datetime_from_date_parsing": "must be an ISO 8601 time",
}

CONTRACT_NAMES = frozenset(
    name
    for model in (AnswerEvent, Chunk, ContextItem, Citation, User, Release, Usage)
    for name in model.model_fields
)


def _field_name(loc: tuple[int | str, ...], known: Container[str]) -> str:
    """``retrieved[3].ref``; keys of free-form objects are payload and are not repeated."""
    name = ""
    for part in loc:
        if isinstance(part, int):
            name += f"[{part}]"
        elif part in known:
            name += f".{part}" if name else part
        else:
            name += ".*"
    return name or "the event"
