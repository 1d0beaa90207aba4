"""Bytes → an event, or a rejection that repeats nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.events import AnswerEvent, EventLimits, Rejection, RejectReason, as_told, parse_event
from tests.unit.answers import event, raw

MARK = "Geheimtext"
"""Stands in every value and key that a sender chooses; no rejection may repeat it."""

FULL: dict[str, Any] = event(
    schema_version=1,
    occurred_at="2026-11-29T20:44:00Z",
    purpose="live",
    status="ok",
    language="de",
    query_id="q",
    context=[{"name": "plan", "kind": "user", "text": "pro"}],
    citations=[{"ref": "pricing#plans", "start": 0, "end": 1, "quote": None}],
    user={"id_hash": "h", "tenant": "t", "groups": ["g"]},
    session_id="s",
    trace_id=None,
    tags={"channel": "web"},
    usage={"input_tokens": 1, "output_tokens": 2, "cost_usd": 0.5},
    latency_ms={"total": 12.5},
)


def rejected(value: Any, **limits: int) -> Rejection:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    result = parse_event(data, EventLimits(**limits))
    assert isinstance(result, Rejection), result
    return result


def taken(value: Any, **options: Any) -> AnswerEvent:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    result = parse_event(data, **options)
    assert isinstance(result, AnswerEvent), result
    return result


def test_a_full_event_is_taken_with_what_the_contract_does_not_know() -> None:
    found = taken(FULL | {"experiment": {"arm": 7}})
    assert found.occurred_at == datetime(2026, 11, 29, 20, 44, tzinfo=UTC)
    assert found.retrieved[0].in_prompt
    told = FULL | {"experiment": {"arm": 7}}
    assert as_told(json.dumps(told).encode(), "sales") == told | {"app": "sales"}


def test_the_smallest_event_has_the_documented_defaults() -> None:
    smallest = {"event_id": "a", "query": "", "retrieved": [], "answer": ""}
    found = taken(smallest, default_app="support")
    assert (found.app, found.purpose, found.status) == ("support", "live", "ok")
    assert taken(smallest | {"app": "sales"}, default_app="support").app == "sales"


@pytest.mark.parametrize("name", ["event_id", "query", "retrieved", "answer"])
def test_a_required_field_is_named_when_it_is_missing(name: str) -> None:
    found = rejected({key: value for key, value in FULL.items() if key != name})
    assert found == Rejection(RejectReason.SCHEMA, f"{name}: required, but missing", name)


@pytest.mark.parametrize(
    ("change", "field", "says"),
    [
        ({"event_id": 7}, "event_id", "must be a string"),
        ({"event_id": ""}, "event_id", "too short"),
        ({"event_id": "x" * 257}, "event_id", "too long"),
        ({"answer": None}, "answer", "must be a string"),
        ({"retrieved": {}}, "retrieved", "must be a list"),
        ({"retrieved": ["ref"]}, "retrieved[0]", "must be an object"),
        ({"retrieved": [{"ref": "r"}, {"text": "t"}]}, "retrieved[1].ref", "required"),
        ({"retrieved": [{"ref": "r", "score": "0.5"}]}, "retrieved[0].score", "must be a number"),
        ({"retrieved": [{"ref": "r", "in_prompt": 1}]}, "retrieved[0].in_prompt", "true or false"),
        ({"retrieved": [{"ref": "r", "rank": 1.5}]}, "retrieved[0].rank", "whole number"),
        ({"status": MARK}, "status", "not one of the allowed values"),
        ({"purpose": "LIVE"}, "purpose", "not one of the allowed values"),
        ({"occurred_at": MARK}, "occurred_at", "ISO 8601"),
        ({"occurred_at": 1_764_449_040}, "occurred_at", "ISO 8601"),
        ({"tags": {MARK: 7}}, "tags.*", "must be a string"),
        ({"latency_ms": {MARK: MARK}}, "latency_ms.*", "must be a number"),
        ({"user": MARK}, "user", "must be an object"),
        ({"usage": {"cost_usd": MARK}}, "usage.cost_usd", "must be a number"),
    ],
)
def test_a_fault_is_named_by_field(change: dict[str, Any], field: str, says: str) -> None:
    found = rejected(FULL | change)
    assert (found.reason, found.field) == (RejectReason.SCHEMA, field)
    assert found.message.startswith(f"{field}: ")
    assert says in found.message
    assert MARK not in found.message


@pytest.mark.parametrize("version", [0, 2, 99, "1", None, 1.5, [], MARK])
def test_another_version_is_told_before_any_other_fault(version: Any) -> None:
    found = rejected({"schema_version": version, "answer": 7})
    assert found.reason is RejectReason.UNSUPPORTED_VERSION
    assert found.field == "schema_version"
    assert MARK not in found.message


@pytest.mark.parametrize(
    "data",
    [b"", b" ", b"{", b"}", b"nul", b"[1", b"{} {}", b"{'a': 1}", b"\0", b'{"a": 1,}', raw()[:-1],
     raw().replace(b'"a"', b"NaN", 1), raw() + b"\0", b'{"event_id": "\\ud800"}', b"[" * 100_000,
     b'{"a":' * 50_000 + b"1" + b"}" * 50_000],
)  # fmt: skip
def test_what_is_no_json(data: bytes) -> None:
    assert rejected(data).reason is RejectReason.INVALID_JSON


@pytest.mark.parametrize("constant", [b"NaN", b"Infinity", b"-Infinity"])
def test_nan_is_no_json_in_a_field_that_nobody_checks_either(constant: bytes) -> None:
    data = raw(extra="HERE").replace(b'"HERE"', constant)
    assert rejected(data).reason is RejectReason.INVALID_JSON
    assert taken(raw(query="NaN Infinity")).query == "NaN Infinity"
    amid_capitals = raw(query="NI" * 200, extra="HERE").replace(b'"HERE"', constant)
    assert rejected(amid_capitals).reason is RejectReason.INVALID_JSON


def test_a_tombstone() -> None:
    found = parse_event(None)
    assert isinstance(found, Rejection)
    assert found.reason is RejectReason.INVALID_JSON


@pytest.mark.parametrize("data", [b"[]", b"7", b'"text"', b"null", b"true"])
def test_json_that_is_no_object(data: bytes) -> None:
    assert rejected(data) == Rejection(
        RejectReason.SCHEMA, "the event: must be an object", "the event"
    )


def test_not_utf8() -> None:
    found = rejected(raw(query="ä").replace("ä".encode(), b"\xe4"))
    assert found.reason is RejectReason.NOT_UTF8
    assert rejected(b"\xff\xfe").reason is RejectReason.NOT_UTF8


def test_sizes() -> None:
    data = raw()
    assert rejected(data, max_bytes=len(data) - 1).reason is RejectReason.TOO_LARGE
    assert isinstance(parse_event(data, EventLimits(max_bytes=len(data))), AnswerEvent)
    chunks = FULL | {"retrieved": [{"ref": "r"}] * 4}
    found = rejected(chunks, max_chunks=3)
    assert (found.reason, found.field) == (RejectReason.TOO_LARGE, "retrieved")
    assert "4 chunks" in found.message
    taken(chunks, limits=EventLimits(max_chunks=4))


def test_of_a_repeated_key_the_last_one_counts() -> None:
    assert taken(raw()[:-1] + b', "event_id": "b"}').event_id == "b"


def test_numbers_that_are_too_large_for_the_machine() -> None:
    digits = b"1" * 5_000
    for data in (
        raw(extra="HERE").replace(b'"HERE"', digits),
        raw(usage={"input_tokens": "HERE"}).replace(b'"HERE"', digits),
        raw(usage={"cost_usd": "HERE"}).replace(b'"HERE"', b"1e999"),
    ):
        found = parse_event(data)
        assert isinstance(found, AnswerEvent | Rejection)
        if isinstance(found, Rejection):
            assert digits.decode()[:20] not in found.message


@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    assert isinstance(parse_event(data), AnswerEvent | Rejection)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
    | st.text().map(MARK.__add__),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text().map(MARK.__add__), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything in a JSON value."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(item, (*path, key))
    return found


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@settings(max_examples=300)
@given(st.sampled_from(places(FULL)), JSON, st.sampled_from(["replace", "beside"]))
def test_no_mutation_makes_it_raise_or_shows_in_the_message(
    path: tuple[Any, ...], new: Any, how: str
) -> None:
    if how == "beside":
        path = (*path[:-1], MARK) if isinstance(path[-1], str) else path
    mutated = replaced(FULL, path, new) if path[-1] != MARK else _with(FULL, path, new)
    found = parse_event(json.dumps(mutated).encode())
    if isinstance(found, Rejection):
        assert MARK not in found.message
        assert MARK not in (found.field or "")


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A key that the contract does not know, beside the others."""
    if len(path) == 1:
        return value | {path[0]: new}
    copy = value.copy()
    copy[path[0]] = _with(value[path[0]], path[1:], new)
    return copy


@given(st.data())
def test_no_cut_or_flipped_byte_makes_it_raise(data: st.DataObject) -> None:
    value = bytearray(json.dumps(FULL, ensure_ascii=False).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(value[: data.draw(st.integers(0, len(value)))])
    assert isinstance(parse_event(bytes(value)), AnswerEvent | Rejection)
    assert isinstance(parse_event(cut), AnswerEvent | Rejection)
