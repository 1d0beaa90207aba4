from __future__ import annotations

import json
from typing import Any

import pytest

from service.events import Rejection
from service.feedback import (
    MAX_BYTES,
    MAX_COMMENT,
    FeedbackEvent,
    Place,
    Position,
    decode_entry,
    decode_heard,
    encode_entry,
    encode_head,
    heard,
    heard_on_case,
    parse_feedback,
    place_of,
    second_draw,
)
from service.policy import SamplingPolicy
from service.sampling import Factors

PLACE = Place("answers", "support", 498_000, "r1", "2-aa", "en", "rest", 0.1, 0.005, 3)
SECRET = "x-secret-text-x"


def read(**parts: Any) -> FeedbackEvent | Rejection:
    return parse_feedback(json.dumps({"event_id": "a", "thumb": "down"} | parts).encode())


def test_the_smallest_and_the_largest() -> None:
    assert parse_feedback(b'{"event_id": "a", "thumb": "up"}', "shop") == FeedbackEvent(
        event_id="a", app="shop", thumb="up"
    )
    said = read(
        app="support", comment="ä" * MAX_COMMENT, position={"partition": 3, "offset": 7},
        occurred_at="2026-11-29T20:44:00Z", more="is passed over",
    )  # fmt: skip
    assert isinstance(said, FeedbackEvent)
    assert said.position == Position(partition=3, offset=7)
    assert said.comment is not None
    assert len(said.comment) == MAX_COMMENT


@pytest.mark.parametrize(
    ("raw", "reason", "field"),
    [
        (None, "invalid_json", None),
        (b"", "invalid_json", None),
        (b"\xff", "not_utf8", None),
        (b"{", "invalid_json", None),
        (b"[]", "schema", "the event"),
        (b'{"thumb": "up"}', "schema", "event_id"),
        (b'{"event_id": "", "thumb": "up"}', "schema", "event_id"),
        (b'{"event_id": "a"}', "schema", "thumb"),
        (b'{"event_id": "a", "thumb": "sideways"}', "schema", "thumb"),
        (b'{"event_id": 7, "thumb": "up"}', "schema", "event_id"),
        (b'{"event_id": "a", "thumb": "up", "position": {"partition": 1}}', "schema",
         "position.offset"),
        (b'{"event_id": "a", "thumb": "up", "position": {"partition": -1, "offset": 0}}', "schema",
         "position.partition"),
        (b'{"event_id": "a", "thumb": "up", "comment": "' + b"x" * 2_001 + b'"}', "schema",
         "comment"),
        (b'{"event_id": "a", "thumb": "up", "comment": "\\ud800"}', "invalid_json", None),
        (b'{"event_id": "a", "thumb": "' + b"u" * MAX_BYTES + b'"}', "too_large", None),
    ],
)  # fmt: skip
def test_what_is_no_feedback_says_where(raw: bytes | None, reason: str, field: str | None) -> None:
    said = parse_feedback(raw)
    assert isinstance(said, Rejection)
    assert (said.reason.value, said.field) == (reason, field)


@pytest.mark.parametrize("parts", [
    {"thumb": SECRET}, {"comment": [SECRET]}, {"position": SECRET}, {"event_id": {SECRET: 1}},
    {"position": {SECRET: 1}}, {"occurred_at": SECRET},
])  # fmt: skip
def test_a_rejection_repeats_nothing(parts: dict[str, Any]) -> None:
    said = read(**parts)
    assert isinstance(said, Rejection)
    assert SECRET not in f"{said.message} {said.field}"


@pytest.mark.parametrize("selection", ["", "selected", "sampled_out", "budget_skipped"])
def test_an_entry_survives_and_is_short(selection: str) -> None:
    raw = encode_entry(12, 1_234_567_890, "AAAABBBB", selection, flagged=True)
    # Up to 64 bytes a bucket stays a compact list.
    assert len(raw) <= 30
    assert place_of(raw) == "AAAABBBB"
    entry = decode_entry(raw, json.dumps(PLACE).encode())
    assert (entry.position, entry.place, entry.flagged) == (("answers", 12, 1_234_567_890), PLACE,
                                                            True)  # fmt: skip
    assert (
        entry.state
        == {"": "-", "selected": "s", "sampled_out": "o", "budget_skipped": "b"}[selection]
    )


@pytest.mark.parametrize(
    ("state", "u", "drawn", "raised", "pi"),
    [
        ("o", 0.3, True, False, 0.4),
        ("o", 0.5, False, False, 0.4),
        ("r", 0.05, True, False, 0.4),
        ("b", 0.3, True, False, 0.4),
        ("s", 0.05, False, True, 0.4),
    ],
)
def test_the_second_draw(state: str, u: float, drawn: bool, raised: bool, pi: float) -> None:
    entry = decode_entry(f"0:1:p:{state}0", json.dumps(PLACE).encode())
    policy = SamplingPolicy(negative_feedback=0.8)
    again = second_draw(entry, u, policy, Factors(version=9, judge={"support": 0.5}))
    said = heard(FeedbackEvent(event_id="a", thumb="down"), ("t/0", 5), "c", entry, again)
    assert (said.drawn, said.raised, said.pi) == (drawn, raised, pi)


def test_what_nobody_draws_from_is_not_drawn() -> None:
    entry = decode_entry("0:1:p:-0", json.dumps(PLACE).encode())
    assert second_draw(entry, 0.0, SamplingPolicy(), Factors()) is None


def test_a_record_survives() -> None:
    entry = decode_entry("0:1:p:o1", json.dumps(PLACE).encode())
    event = FeedbackEvent(event_id="a", app="support", thumb="down", comment="no")
    said = heard(event, ("t/0", 5), "c", entry, None)
    record = encode_head(said) + b',"case":"","to":"","seq":0}'
    assert decode_heard(json.loads(record)) == said


def test_the_tags_that_an_answer_was_counted_by_go_with_it() -> None:
    tagged = PLACE._replace(tags="channel=web")
    entry = decode_entry("0:1:p:o1", json.dumps(tagged).encode())
    event = FeedbackEvent(event_id="a", thumb="down")
    said = heard(event, ("t/0", 5), "c", entry, None)
    assert said.counter_prefix == "r1\x1f2-aa\x1fen\x1fchannel=web\x1f"
    record = json.loads(encode_head(said) + b',"case":"","to":"","seq":0}')
    assert decode_heard(record) == said
    body = {
        "case_id": "c", "app": "support", "release_label": "r1", "ruleset": "2-aa",
        "language": "en", "occurred_ms": 0, "stratum": "rest", "position": ["answers", 0, 1],
    }  # fmt: skip
    counted = heard_on_case(event, ("t/0", 5), {**body, "counted_tags": "channel=web"})
    assert counted.counter_prefix == said.counter_prefix


def test_what_was_written_before_tags_were_counted_is_read_without_them() -> None:
    entry = decode_entry("0:1:p:o1", json.dumps(PLACE[:-1]).encode())
    assert entry.place == PLACE
    said = heard(FeedbackEvent(event_id="a", thumb="down"), ("t/0", 5), "c", entry, None)
    record = json.loads(encode_head(said) + b',"case":"","to":"","seq":0}')
    del record["tags"]
    assert decode_heard(record) == said
    assert said.counter_prefix == "r1\x1f2-aa\x1fen\x1f"
