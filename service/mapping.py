"""Foreign JSON → answer event, by the expressions of the policy file (``mappings``). Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson
from pydantic import BaseModel

from service.adapters import PayloadError, adapt
from service.events import (
    AnswerEvent,
    EventLimits,
    Rejection,
    RejectReason,
    parse_event,
)
from service.expressions import ExpressionError, is_true, search
from service.policy import CitationMapping, MappingPolicy, Policy, ResponseMapping

MAX_EACH = 5_000
"""Entries of one list past which an object is not mapped."""

_AS_THEY_ARE = frozenset(
    {
        "acl",
        "cost_usd",
        "end",
        "groups",
        "in_prompt",
        "input_tokens",
        "metadata",
        "number",
        "output_tokens",
        "rank",
        "retrieval_params",
        "score",
        "start",
    }
)
"""Fields of the contract that are no strings."""


class MappingError(Exception):
    """An object is of a mapped shape, but cannot be mapped. Names the field of the contract and
    the fault; never repeats any of the object."""

    def __init__(self, field: str, fault: str) -> None:
        self.field = field
        self.fault = fault
        super().__init__(f"{field}: {fault}")


def parse_mapped(
    raw: bytes | None,
    refused: Rejection,
    policy: Policy,
    limits: EventLimits = EventLimits(),
    default_app: str = "default",
) -> AnswerEvent | Rejection:
    """What :func:`service.events.parse_event` refused, once more: by the policy's mappings.

    Gives back ``refused`` itself where no mapping applies: none in the policy, no JSON, an event
    of ours (it has ``event_id`` and ``retrieved``), or a shape that no mapping is for. Never
    raises.
    """
    return read_mapped(raw, refused, policy, limits, default_app)[0]


def read_mapped(
    raw: bytes | None,
    refused: Rejection,
    policy: Policy,
    limits: EventLimits,
    default_app: str,
) -> tuple[AnswerEvent | Rejection, bytes]:
    """What :func:`parse_mapped` gives, and the event's JSON (nothing of use for a rejection)."""
    mapped = _mapped(raw, refused, policy)
    if isinstance(mapped, Rejection):
        return mapped, b""
    name, told = mapped
    event = parse_event(told, limits, default_app)
    if isinstance(event, Rejection):
        event = replace(event, message=f"mapping {name}: {event.message}")
    return event, told


def _mapped(raw: bytes | None, refused: Rejection, policy: Policy) -> tuple[str, bytes] | Rejection:
    """Name of the mapping, and the JSON that it makes."""
    if not policy.mappings or refused.reason not in _OF_ANOTHER_SHAPE or raw is None:
        return refused
    try:
        data = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return refused
    if not isinstance(data, dict) or ("event_id" in data and "retrieved" in data):
        return refused
    name, mapping = select(data, policy)
    if mapping is None:
        return refused
    try:
        return name, orjson.dumps(_apply(mapping, data))
    except MappingError as error:
        return Rejection(RejectReason.SCHEMA, f"mapping {name}: {error}", error.field)
    except TypeError:
        return Rejection(RejectReason.SCHEMA, f"mapping {name}: too deep or too large a number")


_OF_ANOTHER_SHAPE = frozenset({RejectReason.SCHEMA, RejectReason.UNSUPPORTED_VERSION})


def map_event(data: dict[str, Any], policy: Policy) -> dict[str, Any] | None:
    """The answer event, as JSON data not yet validated, or None for a shape without a mapping.

    Raises :class:`MappingError`.
    """
    _, mapping = select(data, policy)
    return None if mapping is None else _apply(mapping, data)


def select(data: dict[str, Any], policy: Policy) -> tuple[str, MappingPolicy | None]:
    """Name and mapping of the first whose ``when`` holds. One that cannot be evaluated does not."""
    for name, mapping in policy.mappings.items():
        try:
            if is_true(search(mapping.when, data)):
                return name, mapping
        except ExpressionError:
            continue
    return "", None


def map_response(mapping: ResponseMapping, data: Any, given: list[str]) -> dict[str, Any]:
    """The parts of an answer event in a response, not yet validated. ``given``: the refs that the
    system was handed, which citations by number count where the response has no chunks itself.

    Raises :class:`MappingError`.
    """
    event = _fields(mapping, data, "")
    if mapping.retrieved is not None:
        event["retrieved"] = list(
            _each(mapping.retrieved, mapping.retrieved.each, data, "retrieved")
        )
    if mapping.context is not None:
        event["context"] = list(_each(mapping.context, mapping.context.each, data, "context"))
    for part in ("user", "release", "usage"):
        if (expressions := getattr(mapping, part, None)) is not None:
            event[part] = _fields(expressions, data, f"{part}.")
    for part in ("tags", "latency_ms"):
        values = _named(getattr(mapping, part, {}), data, part)
        if values:
            event[part] = values
    if mapping.citations is not None:
        _cite(mapping.citations, data, event, given)
    return event


def _apply(mapping: MappingPolicy, data: dict[str, Any]) -> dict[str, Any]:
    event = map_response(mapping, data, [])
    if isinstance(occurred := event.get("occurred_at"), str | int | float):
        event["occurred_at"] = _time(occurred)
    return event


def _cite(
    mapping: CitationMapping, data: dict[str, Any], event: dict[str, Any], given: list[str]
) -> None:
    if mapping.adapter is None:
        if mapping.each is not None:
            event["citations"] = list(_each(mapping, mapping.each, data, "citations"))
        return
    payload = _search(mapping.payload, data, "citations.from")
    if payload is None:
        return
    # A chunk whose ref is no string keeps its place, which citations by number count.
    chunks = event.get("retrieved", [{"ref": ref} for ref in given])
    refs = [ref if isinstance(ref := chunk.get("ref"), str) else "" for chunk in chunks]
    answer = event.get("answer")
    try:
        adapted = adapt(mapping.adapter, payload, refs, answer if isinstance(answer, str) else None)
    except PayloadError as error:
        raise MappingError("citations", str(error)) from None
    event["citations"] = [citation.model_dump(exclude_none=True) for citation in adapted.citations]
    if answer is None and adapted.answer is not None:
        event["answer"] = adapted.answer


def _fields(expressions: BaseModel, data: Any, prefix: str) -> dict[str, Any]:
    """The fields that one expression each describes. What is null is absent."""
    found = {}
    for name in type(expressions).model_fields:
        expression = getattr(expressions, name)
        if isinstance(expression, str) and name not in _ABOUT:
            value = _search(expression, data, prefix + name)
            if value is not None:
                found[name] = value if name in _AS_THEY_ARE else _string(value)
    return found


_ABOUT = frozenset({"when", "each", "adapter", "payload"})
"""Fields of a mapping that are none of the contract's."""


def _named(expressions: dict[str, str], data: Any, part: str) -> dict[str, Any]:
    values = {name: _search(expressions[name], data, f"{part}.{name}") for name in expressions}
    return {
        name: _string(value) if part == "tags" else value
        for name, value in values.items()
        if value is not None
    }


def _each(expressions: BaseModel, each: str, data: Any, part: str) -> Iterator[dict[str, Any]]:
    entries = _search(each, data, f"{part}.each")
    if entries is None:
        return
    if not isinstance(entries, list):
        raise MappingError(part, "must be a list")
    if len(entries) > MAX_EACH:
        raise MappingError(part, f"{len(entries)} entries; the limit is {MAX_EACH}")
    for position, entry in enumerate(entries):
        yield _fields(expressions, entry, f"{part}[{position}].")


def _search(expression: str, data: Any, field: str) -> Any:
    try:
        return search(expression, data)
    except ExpressionError as error:
        raise MappingError(field, str(error)) from None


def _string(value: Any) -> Any:
    """Ids and numbers as the contract's strings; anything else is for the contract to refuse."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _time(value: str | float) -> Any:
    """Seconds, milliseconds, micro- or nanoseconds since 1970 as ISO 8601; which of them, the size
    tells: each is a year between 1973 and 5138. Any other text is left for the contract."""
    if isinstance(value, str):
        if not (value.isascii() and value.isdigit() and len(value) < 20):
            return value
        value = int(value)
    seconds = float(value)
    while math.isfinite(seconds) and abs(seconds) >= 1e11:
        seconds /= 1_000
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return value
