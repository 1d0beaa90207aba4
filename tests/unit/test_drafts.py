"""A case keeps within its bound, and what is left of it is still right."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.drafts import CaseDraft, case_id, indexes_of, reduce_case, shrink_case
from service.events import EventLimits
from service.review.cases import DAY_MS, SEVERITY_WEIGHT, priority
from service.verdicts import encode_case
from tests.unit.answers import NOW, TERMS, effects_of, raw

SMALLEST = 20_000


ROOMY = dataclasses.replace(
    TERMS, limits=EventLimits(max_bytes=1 << 26, max_text=1 << 26), case_bytes=1 << 26
)


def drafted(value: bytes) -> tuple[CaseDraft, dict[str, Any]]:
    """Not yet reduced."""
    [case] = effects_of(value, terms=ROOMY).cases
    return case, orjson.loads(case.record)


def offsets_are_right(body: dict[str, Any]) -> None:
    """Every offset that is left points at its surface; evidence at what is left of its chunk."""
    answer = body["event"]["answer"]
    for item in [*body["findings"], *body["evidence"]]:
        if item["start"] is not None:
            assert 0 <= item["start"] <= item["end"] <= len(answer)
            assert answer[item["start"] : item["end"]].startswith(item["surface"])
    texts = {chunk["ref"]: chunk.get("text") for chunk in body["event"]["retrieved"]}
    for item in body["evidence"]:
        if item["chunk_end"] is not None and texts.get(item["ref"]) is not None:
            assert item["chunk_end"] <= len(texts[item["ref"]])


def test_a_case_has_what_a_reviewer_needs() -> None:
    case, body = drafted(raw("a", cites="x", release={"id": "r1", "model": "wren"}))
    assert body["case_id"] == case.case_id == case_id("support", "a")
    assert body["headline"] == body["findings"][0]["detail"]
    assert body["event"]["answer"] == "A seat costs 45 € [pricing#x]."
    assert body["event"]["release"] == {"id": "r1", "model": "wren"}
    assert body["position"] == ["answers", 0, 0]
    assert (body["checks"], body["reasons"]) == (["citations"], ["unknown_ref"])
    assert not body["reduced"]
    offsets_are_right(body)
    assert set(case.indexes) == {
        ("all", "cases"), ("app", "support"), ("release", "r1"), ("severity", "high"),
        ("check", "citations"), ("reason", "unknown_ref"), ("language", "en"),
    }  # fmt: skip
    assert set(indexes_of(body)) == set(case.indexes)


def test_a_case_says_why_a_check_was_not_evaluated() -> None:
    _, body = drafted(raw("a", cites="x", retrieved=[{"ref": "pricing#plans"}]))
    assert body["not_evaluated"]["numbers"] == "missing_text"
    assert body["outcomes"]["numbers"] == "not_evaluated"


def test_the_app_of_a_case_is_the_label_and_its_identity_what_was_sent() -> None:
    case, body = drafted(raw("a", cites="x", app="stranger"))
    assert body["app"] == "other"
    assert body["event"]["app"] == "stranger"
    assert case.case_id == case_id("stranger", "a") != case_id("other", "a")


def large(answer_words: int, chunk: str = "text ", chunks: int = 30) -> bytes:
    retrieved = [{"ref": f"doc#{n}", "text": chunk * 400} for n in range(chunks)]
    retrieved[7]["text"] = f"Pro: 45 € a seat. {chunk * 400}"
    answer = "A seat costs 45 € [doc#gone]. " + " ".join(
        f"Plan {n} costs {n + 1_000} €." for n in range(answer_words)
    )
    return raw("a", retrieved=retrieved, answer=answer, tags={"channel": "web"},
               context=[{"name": "n", "text": "c" * 900}])  # fmt: skip


@pytest.mark.parametrize("max_bytes", [60_000, 40_000, SMALLEST])
@pytest.mark.parametrize("words", [0, 50, 1_500])
def test_a_case_is_reduced_until_it_fits(max_bytes: int, words: int) -> None:
    _, body = drafted(large(words))
    small = reduce_case(body, max_bytes)
    assert len(encode_case(small)) <= max_bytes
    assert small["reduced"]
    offsets_are_right(small)
    same = ("case_id", "app", "event_id", "severity", "group", "weight", "position", "outcomes",
            "findings_total", "u", "pi", "stratum", "checks", "reasons")  # fmt: skip
    assert {name: small[name] for name in same} == {name: body[name] for name in same}
    assert indexes_of(small) == indexes_of(body)
    assert small["findings"]


def test_texts_that_hold_evidence_go_last() -> None:
    _, body = drafted(large(0))
    small = reduce_case(body, SMALLEST)
    kept = [chunk["ref"] for chunk in small["event"]["retrieved"] if chunk["text"] is not None]
    assert kept == ["doc#7"]
    assert small["evidence"] == body["evidence"] != []
    assert small["event"]["context"] == []
    # The body that was given is left as it was.
    assert all(chunk["text"] for chunk in body["event"]["retrieved"])


@pytest.mark.parametrize("evidence", [7, 25])
def test_a_reduced_task_does_not_tell_where_the_checks_found_something(evidence: int) -> None:
    _, body = drafted(large(0))
    found = [{**item, "ref": f"doc#{evidence}"} for item in body["evidence"]]
    size = len(encode_case(body))
    for share, kept in ((0.6, 15), (0.3, 7), (0.05, 0)):
        small = reduce_case(body | {"kind": "task", "evidence": found}, int(share * size))
        texts = [chunk.get("text") is not None for chunk in small["event"]["retrieved"]]
        assert texts == [n < kept for n in range(30)]


NUL = "\0"
"""Six bytes of JSON."""


def worst() -> dict[str, Any]:
    """The largest body that the contract and the checks can lead to."""
    _, body = drafted(raw("a", cites="x"))
    finding = body["findings"][0] | {"surface": NUL * 9_000, "detail": NUL * 9_000,
                                     "cause": NUL * 9_000, "start": 900, "end": 9_900}  # fmt: skip
    event = {
        "event_id": NUL * 256,
        "app": NUL * 128,
        "query": NUL * 90_000,
        "answer": NUL * 90_000,
        "retrieved": [{"ref": NUL * 2_048, "text": NUL * 900, "acl": [NUL] * 99}] * 200,
        "metadata": {"n": NUL * 90_000},
    }
    return body | {
        "event_id": NUL * 256, "release": NUL * 256, "release_label": NUL * 256,
        "headline": NUL * 500, "query": NUL * 500, "findings": [finding] * 200,
        "evidence": body["evidence"] * 200, "event": event,
    }  # fmt: skip


def test_the_worst_that_can_be_still_fits() -> None:
    small = reduce_case(worst(), SMALLEST)
    assert len(encode_case(small)) <= SMALLEST
    assert small["findings"]
    offsets_are_right(small)


def test_a_finding_beyond_the_cut_has_no_place_any_more() -> None:
    answer = "word " * 3_000 + "[doc#gone] costs 7001 €"
    _, body = drafted(raw("a", answer=answer, retrieved=[{"ref": "d", "text": "x"}]))
    small = reduce_case(body, 10_000)
    assert len(small["event"]["answer"]) < 15_000
    assert {(f["start"], f["end"]) for f in small["findings"]} == {(None, None)}
    assert {f["surface"] for f in small["findings"]} == {f["surface"] for f in body["findings"]}


def test_shrinking_goes_on_until_a_case_is_as_small_as_it_gets() -> None:
    record = encode_case(worst())
    sizes = [len(record)]
    for _ in range(12):
        record = shrink_case(record)
        sizes.append(len(record))
    assert all(later <= earlier for earlier, later in itertools.pairwise(sizes))
    assert sizes[-1] <= SMALLEST
    assert orjson.loads(record)["kind"] == "case"
    assert shrink_case(record) == record


@settings(max_examples=20)
@given(
    st.integers(0, 150),
    st.integers(SMALLEST, 200_000),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9),
)
def test_any_bound_is_kept(words: int, max_bytes: int, chunk: str) -> None:
    _, body = drafted(large(words, chunk))
    small = reduce_case(body, max_bytes)
    assert len(encode_case(small)) <= max_bytes
    offsets_are_right(small)


@given(
    st.sampled_from(sorted(SEVERITY_WEIGHT)), st.sampled_from(sorted(SEVERITY_WEIGHT)),
    st.integers(0, 4_000_000_000_000), st.integers(0, 4_000_000_000_000),
    st.integers(0, 400_000_000_000),
)  # fmt: skip
def test_the_order_by_priority_does_not_change_with_time(
    one: str, other: str, first: int, second: int, later: int
) -> None:
    now = priority(one, first) - priority(other, second)
    then = priority(one, first + later) - priority(other, second + later)
    assert abs(now - then) < 1e-6


def test_a_high_finding_is_worth_four_half_lives_of_a_low_one() -> None:
    assert priority("high", NOW) == pytest.approx(priority("low", NOW + 4 * DAY_MS))
    assert priority("high", NOW) > priority("medium", NOW) > priority("low", NOW)
    assert priority("low", NOW + 1_000) > priority("low", NOW)
    slow = priority("high", NOW, half_life_days=2.0)
    assert slow == pytest.approx(priority("low", NOW + 8 * DAY_MS, half_life_days=2.0))
