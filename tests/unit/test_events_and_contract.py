"""The short way to an event, and the contract: they take the same bytes, for the same event."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from service import contract, events
from service.events import AnswerEvent, Rejection, as_told, parse_event, read_by_contract
from tests.unit.test_events import FULL, JSON, places, replaced

KNOWN: dict[str, Any] = FULL | {
    "retrieved": [
        {"ref": "a", "text": "Straße", "score": 0.5, "rank": 1, "in_prompt": False, "url": "u",
         "title": "t", "number": 7, "tenant": "t", "acl": ["g"],
         "metadata": {"k": [1, 2.5], "l": {"m": None}}},
        {"ref": "b", "text": None},
    ],
    "release": {"id": "r", "model": "m", "retrieval_params": {"k": 5}, "corpus": "c"},
}  # fmt: skip
UNKNOWN: dict[str, Any] = KNOWN | {
    "release": {"id": "r", "more": [1]},
    "retrieved": [{"ref": "a", "metadata": {"k": [{"l": [2]}]}}],
    "experiment": {"arm": [7, None, 1e9]},
}
BOTH = [KNOWN, UNKNOWN]
MARK = "HERE"
MICROSECOND = timedelta(microseconds=1)


def same(raw: bytes) -> AnswerEvent | Rejection:
    """What both found."""
    found, told = parse_event(raw), read_by_contract(raw)
    if isinstance(found, Rejection) or isinstance(told, Rejection):
        assert found == told
        return told
    told.app = told.app or "default"
    if found.occurred_at != told.occurred_at:
        # A seventh digit of a second is rounded by the one and dropped by the other.
        assert found.occurred_at is not None
        assert told.occurred_at is not None
        assert found.occurred_at - told.occurred_at == MICROSECOND
        told.occurred_at = found.occurred_at
    assert found == told
    # 1 == 1.0 == True
    assert repr(msgspec.to_builtins(found)) == repr(msgspec.to_builtins(told))
    by_contract = contract.AnswerEvent.model_validate_json(raw)
    shown = by_contract.model_dump(mode="json", exclude_unset=True) | {"app": "x"}
    assert in_order(as_told(raw, "x")) == in_order(shown)
    return found


def in_order(told: dict[str, Any]) -> str:
    """With the types of all values, and the names of each object in order."""
    return json.dumps(told, sort_keys=True)


def is_short(raw: bytes) -> bool:
    """Whether the contract was not asked."""
    try:
        return bool(events._DECODER.decode(raw))
    except msgspec.DecodeError:
        return False


@pytest.mark.parametrize(
    "name", ["AnswerEvent", "Chunk", "ContextItem", "Citation", "User", "Release", "Usage"]
)
def test_they_have_the_same_fields_and_defaults(name: str) -> None:
    struct, model = getattr(events, name), getattr(contract, name)
    told = {field.name: field for field in msgspec.structs.fields(struct)}
    assert list(told) == list(model.model_fields)
    for field, described in model.model_fields.items():
        assert told[field].required is described.is_required(), field
        if not described.is_required() and field not in {"app", "groups"}:
            made = told[field].default_factory
            ours = told[field].default if made is msgspec.NODEFAULT else made()
            theirs = described.get_default(call_default_factory=True, validated_data={})
            if field == "release":
                ours, theirs = msgspec.to_builtins(ours), theirs.model_dump(exclude_unset=True)
            assert ours == theirs, field


def test_all_that_the_contract_knows_goes_the_short_way() -> None:
    raw = json.dumps(KNOWN, ensure_ascii=False).encode()
    assert is_short(raw)
    assert isinstance(same(raw), AnswerEvent)


def test_what_it_does_not_know_is_taken_all_the_same() -> None:
    raw = json.dumps(UNKNOWN).encode()
    assert not is_short(raw)
    found = same(raw)
    assert isinstance(found, AnswerEvent)
    assert msgspec.to_builtins(found.retrieved) == UNKNOWN["retrieved"]


def test_groups_that_were_not_told_are_not_none() -> None:
    for user, groups in ((b"{}", UNSET), (b'{"groups": []}', [])):
        found = same(json.dumps(FULL | {"user": MARK}).encode().replace(b'"HERE"', user))
        assert isinstance(found, AnswerEvent)
        assert found.user is not None
        assert found.user.groups == groups


@settings(max_examples=400)
@given(st.sampled_from(places(KNOWN)), JSON)
def test_for_any_value_anywhere(path: tuple[Any, ...], new: Any) -> None:
    same(json.dumps(replaced(KNOWN, path, new)).encode())


LITERALS = [
    b"0", b"-0", b"-0.0", b"1", b"1.0", b"1e0", b"1E+2", b"01", b"-", b"1.", b".5", b"+1", b"1e",
    b"1e999", b"-1e999", b"1e-999", b"NaN", b"Infinity", b"-Infinity", b"18446744073709551616",
    b"9" * 400, b"9" * 4_300, b"9" * 4_301, b"9" * 4_301 + b".5", b"9" * 30 + b".5",
    b"0." + b"3" * 6_000, b"1e" + b"1" * 5_000, b"9007199254740993", b"true", b"tru", b"null",
    b"nul", b"{}", b"[]", b"[1,]", b'{"a":1,}', b'{"a" 1}', b"{1:2}", b"'a'", b"1 /**/",
    b"\x0b1",
    b'"\\ud800"', b'"\\ud800\\udc00"', b'"\\udc00"', b'{"\\ud800":1}', b'"\x01"', b'"\n"',
    b'"\x7f"',
    b'"\\x"', b'"\\u12"', b'"\\u0000"', b'"\\/"', b'"\xff"', b'{"\xff":1}', b'"\xed\xa0\x80"',
    b'"\xc0\x80"', b'"\xf4\x90\x80\x80"', '"ä"'.encode(), '"\u2028"'.encode(), b'{"a":1,"a":2}',
    b"[" * 150 + b"]" * 150, b"[" * 198 + b"]" * 198, b"[" * 199 + b"]" * 199,
    b"[" * 200 + b"]" * 200, b"[" * 300 + b"]" * 300, b"[" * 1_100 + b"]" * 1_100,
    b'{"a":' * 250 + b"1" + b"}" * 250, b'"2026-11-29T20:44:00Z"', b'"2026-11-29"',
]  # fmt: skip
"""Ways to write a value, and ways not to."""


@pytest.mark.parametrize("literal", LITERALS, ids=lambda literal: repr(literal)[:24])
def test_for_every_way_to_write_a_value(literal: bytes) -> None:
    for event in BOTH:
        for path in places(event):
            body = json.dumps(replaced(event, path, MARK), ensure_ascii=False).encode()
            same(body.replace(b'"HERE"', literal))
            same(body.replace(b'"HERE"', b"[" + literal + b"]"))


@pytest.mark.parametrize("name", ["answer", "event_id", "retrieved", "more"])
def test_for_keys_that_are_escaped_repeated_or_spaced(name: str) -> None:
    raw = json.dumps(KNOWN).encode()
    for value in (b'"x"', b"7", b"[]", b'[{"ref": "z"}]'):
        for key in (name, f"\\u{ord(name[0]):04x}{name[1:]}", f"{name} ", name.upper()):
            member = b'"' + key.encode() + b'" \t:\r\n' + value
            same(raw[:-1] + b"," + member + b"}")
            same(b"{" + member + b"," + raw[1:])
            same(b"\xef\xbb\xbf{" + member + b"," + raw[1:])


DATES = ["2026-11-29", "2024-02-29", "2023-02-29", "0001-01-01", "9999-12-31", "0000-01-01",
         "2026-1-1", "20261129", "2026-13-01", "2016-12-31"]  # fmt: skip
TIMES = ["00:00:00", "23:59:59", "23:59:60", "24:00:00", "12:00", "12", "12:00:00.1",
         "12:00:00.123456", "12:00:00.1234567", "23:59:59.9999999", "12:00:00.", "12:00:00,5",
         "120000", "12:00:00.123456789012"]  # fmt: skip
ZONES = ["", "Z", "z", "+00:00", "-00:00", "+0000", "+00", "+23:59", "-23:59", "+24:00", " +01:00",
         "+01:60", "+05:30", "-12:34", "ZZ"]  # fmt: skip


@pytest.mark.parametrize("date", DATES)
def test_for_every_way_to_write_a_time(date: str) -> None:
    small = {"event_id": "a", "query": "", "retrieved": [], "answer": ""}
    for between in ("T", "t", " ", "_", ""):
        for time in TIMES:
            for zone in ZONES:
                moment = date + between + time + zone
                same(json.dumps(small | {"occurred_at": moment}).encode())


@settings(max_examples=400)
@given(st.data())
def test_for_any_bytes_cut_or_flipped(data: st.DataObject) -> None:
    value = bytearray(json.dumps(KNOWN, ensure_ascii=False).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    same(bytes(value))
    same(bytes(value[: data.draw(st.integers(0, len(value)))]))
