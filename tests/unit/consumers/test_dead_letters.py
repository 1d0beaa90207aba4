"""A dead letter keeps the bytes, and says why, whence and when."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from consumers.dead_letters import PREFIX, Letter, letter_of, letter_of_batch
from service.events import Rejection, parse_event
from service.pipeline import DeadLetter
from service.records import Record, Undecodable

MARK = b"Geheimtext"


def letter(
    value: bytes | None = b"raw",
    headers: tuple[tuple[str, bytes], ...] = (),
    key: bytes | None = b"k",
) -> Letter:
    record = Record(3, 17, 1_795_000_000_000, key, value, headers)
    return letter_of(
        DeadLetter(record, "schema", "answer: must be a string", "answer"), "rag.answers", "checks"
    )


def reasons(found: Letter) -> dict[str, bytes]:
    return {
        name.removeprefix(PREFIX): value for name, value in found.headers if name.startswith(PREFIX)
    }


def test_it_names_the_fault_and_the_source() -> None:
    found = reasons(letter())
    failed_at = int(found.pop("failed_at"))
    assert abs(failed_at - time.time() * 1000) < 60_000
    assert found.pop("version")
    assert found == {
        "reason": b"schema", "message": b"answer: must be a string", "topic": b"rag.answers",
        "partition": b"3", "offset": b"17", "timestamp": b"1795000000000", "group": b"checks",
    }  # fmt: skip


@given(
    st.none() | st.binary(),
    st.none() | st.binary(),
    st.lists(st.tuples(st.text(max_size=9), st.binary(max_size=9)), max_size=4).map(tuple),
)
def test_key_value_and_headers_are_kept_as_they_came(
    key: bytes | None, value: bytes | None, headers: tuple[tuple[str, bytes], ...]
) -> None:
    found = letter(value, headers, key)
    assert (found.key, found.value) == (key, value)
    assert found.headers[: len(headers)] == headers


def test_the_reason_of_an_earlier_refusal_is_replaced() -> None:
    old = (("trace", b"1"), (f"{PREFIX}reason", b"too_large"), (f"{PREFIX}truncated", b"9"))
    found = letter(headers=old)
    assert [value for name, value in found.headers if name == f"{PREFIX}reason"] == [b"schema"]
    assert ("trace", b"1") in found.headers
    assert "truncated" not in reasons(found)


def test_no_header_of_ours_repeats_the_payload() -> None:
    raw = b'{"event_id": "a", "query": 7, "' + MARK + b'": "' + MARK + b'"}'
    rejection = parse_event(raw)
    assert isinstance(rejection, Rejection)
    record = Record(0, 0, 0, MARK, raw, (("theirs", MARK),))
    dead = DeadLetter(record, rejection.reason.value, rejection.message, rejection.field)
    assert all(MARK not in value for value in reasons(letter_of(dead, "t", "g")).values())


def test_a_cut_says_how_much_there_was() -> None:
    once = letter(b"x" * 100).cut(60)
    twice = once.cut(20)
    assert (once.value, twice.value) == (b"x" * 60, b"x" * 20)
    # However often: the header says what the record had, once.
    for found in (once, twice):
        assert [value for name, value in found.headers if name == f"{PREFIX}truncated"] == [b"100"]
    assert twice.key == b"k"


def test_without_value_what_is_foreign_goes() -> None:
    empty = letter(b"x", (("huge", b"h" * 900),)).cut(0)
    bare = empty.cut(0)
    assert ("huge", b"h" * 900) in empty.headers
    assert (bare.key, bare.value) == (None, b"")
    assert all(name.startswith(PREFIX) for name, _ in bare.headers)
    assert reasons(bare)["truncated"] == b"1"
    assert bare.cut(0) == bare


def test_a_batch_that_cannot_be_decoded_is_one_letter() -> None:
    found = letter_of_batch(Undecodable(2, 40, 55, "crc_mismatch"), "rag.answers", "checks", 99)
    assert (found.key, found.value) == (None, None)
    said = reasons(found)
    assert (said["reason"], said["partition"], said["offset"]) == (b"undecodable", b"2", b"40")
    assert (said["next_offset"], said["timestamp"]) == (b"55", b"99")
    assert said["message"] == b"offsets 40 to 54 cannot be decoded (crc_mismatch)"
