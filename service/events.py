"""Bytes → :class:`AnswerEvent`, or a typed :class:`Rejection`.

No text of the payload ever stands in a rejection: it names the field and what is wrong with it.
:mod:`service.contract` says what an event may hold; the classes here are the same fields, for the
way of every answer. What msgspec takes, the contract takes as well, with the same values: the tests
hold the two together. All else is read by the contract: what is wrong, fields that nobody knows
(msgspec would skip them unread), and values that are rare.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType
from pydantic import BaseModel, TypeAdapter, ValidationError

from service import contract
from service.contract import SCHEMA_VERSION
from service.json_constants import has_constants

_Identifier = Annotated[str, Meta(min_length=1, max_length=256)]
_Ref = Annotated[str, Meta(min_length=1, max_length=2048)]
_Label = Annotated[str, Meta(max_length=256)]


_Scalar = str | int | float | bool | None
# Deeper ones are the contract's: msgspec would go on to 1,000 levels, where no record of ours can.
_Free = dict[str, _Scalar | list[_Scalar] | dict[str, _Scalar]]


# gc: JSON holds no cycles. Events come and go by the thousand, each of some fifty objects.
class _Part(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """Without what the contract does not know, which :func:`as_told` has."""


class Chunk(_Part, kw_only=True):
    """See :class:`service.contract.Chunk`; so for each class here."""

    ref: _Ref
    text: str | None = None
    score: float | None = None
    rank: int | None = None
    in_prompt: bool = True
    url: str | None = None
    title: str | None = None
    number: int | None = None
    tenant: str | None = None
    acl: list[str] | None = None
    metadata: _Free = {}


class ContextItem(_Part, kw_only=True):
    name: str
    kind: str = "user"
    text: str


class Citation(_Part, kw_only=True):
    ref: _Ref
    start: int | None = None
    end: int | None = None
    quote: str | None = None


class User(_Part, kw_only=True):
    """``groups``: UNSET where they were not told, which is another thing than none."""

    id_hash: str | None = None
    tenant: str | None = None
    groups: list[str] | UnsetType = UNSET


class Release(_Part, kw_only=True):
    id: _Label | None = None
    model: str | None = None
    prompt: str | None = None
    retriever: str | None = None
    retrieval_params: _Free | None = None
    embedding_model: str | None = None
    chunking: str | None = None
    index: str | None = None
    corpus: _Label | None = None


class Usage(_Part, kw_only=True):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class AnswerEvent(_Part, kw_only=True):
    """``app``: empty only while none is known; :func:`parse_event` fills the default in."""

    schema_version: Literal[1] = SCHEMA_VERSION
    event_id: _Identifier
    occurred_at: datetime | None = None
    app: Annotated[str, Meta(min_length=1, max_length=128)] = ""
    purpose: Literal["live", "probe", "shadow"] = "live"
    status: Literal["ok", "truncated", "error"] = "ok"
    language: Annotated[str, Meta(max_length=16)] | None = None
    query: str
    query_id: _Label | None = None
    context: list[ContextItem] = []
    retrieved: list[Chunk]
    answer: str
    citations: list[Citation] = []
    user: User | None = None
    session_id: _Label | None = None
    trace_id: _Label | None = None
    tags: dict[str, str] = {}
    release: Release = msgspec.field(default_factory=Release)
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
    event = _read(raw)
    if isinstance(event, Rejection):
        return event
    if len(event.retrieved) > limits.max_chunks:
        return Rejection(
            RejectReason.TOO_LARGE,
            f"{len(event.retrieved)} chunks; the limit is {limits.max_chunks}",
            "retrieved",
        )
    if not event.app:
        event.app = default_app
    return event


_DECODER = msgspec.json.Decoder(AnswerEvent)


def _read(raw: bytes) -> AnswerEvent | Rejection:
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return read_by_contract(raw)


def read_by_contract(raw: bytes) -> AnswerEvent | Rejection:
    """What :func:`parse_event` finds in bytes within the limits, the long way."""
    try:
        told = contract.AnswerEvent.model_validate_json(raw)
    except ValidationError as error:
        return explain(raw, error)
    except (RecursionError, ValueError):
        return Rejection(RejectReason.INVALID_JSON, "not readable as JSON")
    return _CONSTANTS if has_constants(raw) else event_of(told)


def event_of(told: contract.AnswerEvent) -> AnswerEvent:
    """The event of a model that was validated."""
    event = _told(AnswerEvent, told)
    event.context = [_told(ContextItem, item) for item in told.context]
    event.retrieved = [_told(Chunk, chunk) for chunk in told.retrieved]
    event.citations = [_told(Citation, citation) for citation in told.citations]
    event.user = None if told.user is None else _told(User, told.user)
    event.release = _told(Release, told.release)
    event.usage = None if told.usage is None else _told(Usage, told.usage)
    return event


_Struct = TypeVar("_Struct", bound=_Part)


def _told(struct: type[_Struct], model: BaseModel) -> _Struct:
    """With the fields that the model was told of, and no defaults of the model's."""
    told, values = model.model_fields_set, model.__dict__
    return struct(**{name: values[name] for name in struct.__struct_fields__ if name in told})


def as_told(raw: bytes, app: str) -> dict[str, Any]:
    """The JSON object of an event that was read from ``raw``, as one of ``app``: what the contract
    does not know is in it too, other defaults are not. As the contract would tell it, sooner."""
    try:
        told: dict[str, Any] = msgspec.json.decode(raw)
        _as_the_contract(told)
    except (msgspec.DecodeError, RecursionError, ValueError):  # pydantic takes more
        told = contract.AnswerEvent.model_validate_json(raw).model_dump(
            mode="json", exclude_unset=True
        )
    told["app"] = app
    return told


_MOMENT = TypeAdapter(datetime)


def _as_the_contract(told: dict[str, Any]) -> None:
    """Numbers that the contract takes for fractions, and the time, written as it does."""
    for chunk in told["retrieved"]:
        _make_float(chunk, "score")
    if "schema_version" in told:
        told["schema_version"] = SCHEMA_VERSION
    usage, latencies, moment = told.get("usage"), told.get("latency_ms"), told.get("occurred_at")
    if usage:
        _make_float(usage, "cost_usd")
    if latencies:
        for name in latencies:
            _make_float(latencies, name)
    if moment is not None:
        told["occurred_at"] = _MOMENT.dump_python(_MOMENT.validate_python(moment), mode="json")


def _make_float(part: dict[str, Any], name: str) -> None:
    value = part.get(name)
    if isinstance(value, int):
        part[name] = float(value)


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
    field = _field_name(first["loc"], contract.NAMES if known is None else known)
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
