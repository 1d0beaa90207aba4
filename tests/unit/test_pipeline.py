"""Records in, effects out: every record once, every answer checked, nothing that raises."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service import checks
from service.accounting import SEPARATOR, Kind, Row
from service.checks import running
from service.checks.model import CheckResult, Finding, NotEvaluated, Outcome, Severity
from service.drafts import case_id, draft_case
from service.events import Rejection, RejectReason
from service.ingest import halve, split
from service.pipeline import (
    CAUSES_PER_ANSWER,
    DAY_MS,
    Batch,
    Seen,
    Terms,
    group_hits,
    group_id,
    identity_hash,
    missing_refs,
    process,
)
from service.policy import AppPolicy, Policy
from service.sampling import uniform
from tests.unit.answers import HOUR_MS, NOW, TERMS, batch_of, effects_of, event, raw

MARK = "Geheimtext"


def kinds(rows: tuple[Row, ...]) -> list[str]:
    return [row.kind.value for row in rows]


def test_every_record_becomes_one_row_in_its_order() -> None:
    values = [raw("a"), b"{", raw("b", cites="x"), None, raw("a"), raw("c", status="error")]
    effects = effects_of(*values, first=40)
    assert [row.offset for row in effects.rows] == [40, 41, 42, 43, 44, 45]
    assert kinds(effects.rows) == [
        "checked", "rejected", "checked", "rejected", "duplicate", "recorded",
    ]  # fmt: skip
    assert [letter.record.offset for letter in effects.dead_letters] == [41, 43]
    assert [offset for offset, *_ in effects.identities] == [40, 42, 45]
    assert effects.results.keys() == {40, 42}


def test_a_text_that_came_before_is_one_object() -> None:
    """Each text is hashed once, however often it comes."""
    first, second = batch_of(raw("a"), raw("b")).items
    assert not isinstance(second.event, Rejection)
    assert first.texts == second.texts
    for one, other, chunk in zip(first.texts, second.texts, second.event.retrieved, strict=True):
        assert one is other is chunk.text


def test_a_flagged_answer_has_a_case_and_its_groups() -> None:
    effects = effects_of(raw("a"), raw("b", cites="x"))
    [case], [hit] = effects.cases, effects.groups
    assert (case.case_id, case.offset) == (case_id("support", "b"), 1)
    assert case.group == hit.group == group_id("support", "citations", "unknown_ref", hit.cause)
    assert (hit.app, hit.check, hit.reason, hit.offset) == (
        "support",
        "citations",
        "unknown_ref",
        1,
    )
    assert effects.rows[1].causes[0][:3] == ("citations", "unknown_ref", hit.cause)
    assert group_hits(effects.rows[1]) == effects.groups


def test_the_same_event_twice_is_one_case_and_one_count() -> None:
    effects = effects_of(raw("a", cites="x"), raw("a", cites="x"), raw("a"))
    assert kinds(effects.rows) == ["checked", "duplicate", "duplicate"]
    assert len(effects.cases) == len(effects.groups) == 1
    # The one that the store knows already counts neither.
    seen = Seen(frozenset({identity_hash("support", "a")}))
    again = effects_of(raw("a", cites="x"), seen=seen)
    assert kinds(again.rows) == ["duplicate"]
    assert (again.cases, again.groups, again.identities, again.releases) == ((), (), (), {})


def test_apps_are_told_apart_by_the_name_that_was_sent() -> None:
    effects = effects_of(raw("a"), raw("a", app="sales"), raw("a", app="x"), raw("a", app="y"))
    assert kinds(effects.rows) == ["checked"] * 4
    assert [row.app for row in effects.rows] == ["support", "sales", "other", "other"]
    assert [row.identity for row in effects.rows] == ["support", "sales", "x", "y"]
    assert identity_hash("a", "b") != identity_hash("a\0", "b")
    assert -(1 << 63) <= identity_hash("a", "b") < 1 << 63


def test_unknown_apps_are_rejected_where_the_policy_says_so() -> None:
    policy = Policy(apps={"support": AppPolicy()}, unknown_apps="reject")
    effects = effects_of(raw("a"), raw("b", app=MARK), terms=Terms(policy, b"s"))
    assert kinds(effects.rows) == ["checked", "rejected"]
    [letter] = effects.dead_letters
    assert (letter.reason, letter.field) == (RejectReason.UNKNOWN_APP, "app")
    assert MARK not in letter.message


def test_the_tags_that_the_policy_names_are_counted_and_no_others() -> None:
    support = AppPolicy.model_validate({"dimensions": {"channel": ["web"]}})
    terms = Terms(Policy(apps={"support": support, "sales": AppPolicy()}), b"s")
    web, odd = {"channel": "web", "plan": "x"}, {"channel": MARK}
    effects = effects_of(
        raw("a", tags=web), raw("b", tags=odd, cites="x"), raw("c", status="error"),
        raw("a", tags=web), raw("d", app="sales", tags=web), terms=terms,
    )  # fmt: skip
    assert [row.tags for row in effects.rows] == [
        "channel=web", "channel=other", "channel=-", "", "",
    ]  # fmt: skip


# The document store.


def test_what_the_document_store_is_asked_for() -> None:
    absent = raw("a", retrieved=[{"ref": "r1"}, {"ref": "r2", "text": "45 €"}],
                 release={"id": "r", "corpus": "v2"})  # fmt: skip
    error = raw("b", retrieved=[{"ref": "r9"}], status="error")
    assert missing_refs(batch_of(absent, error, b"{")) >= {("v2", "r1")}
    assert ("", "r9") not in missing_refs(batch_of(error))
    assert ("", "pricing#gone") in missing_refs(batch_of(raw("c", cites="gone")))
    assert missing_refs(batch_of(raw("d"))) == frozenset()


def test_texts_of_the_document_store_ground_an_answer() -> None:
    batch = batch_of(raw("a", retrieved=[{"ref": "pricing#plans"}]))
    without = process(batch, {}, Seen(), TERMS)
    assert without.rows[0].checks["numbers"].not_evaluated == NotEvaluated.MISSING_TEXT
    texts = {("", "pricing#plans"): "Pro: 45 € a seat."}
    assert process(batch, texts, Seen(), TERMS).rows[0].checks["numbers"].outcome == Outcome.PASS
    other = {("", "pricing#plans"): "Pro: 46 € a seat."}
    [case] = process(batch, other, Seen(), TERMS).cases
    assert json.loads(case.record)["event"]["retrieved"][0]["text"] == "Pro: 46 € a seat."


def test_a_cited_ref_of_the_corpus_was_not_retrieved() -> None:
    batch = batch_of(raw("a", cites="teams"))
    found = process(batch, {("", "pricing#teams"): "text"}, Seen(), TERMS)
    assert found.rows[0].causes[0][1] == "not_retrieved"
    assert process(batch, {}, Seen(), TERMS).rows[0].causes[0][1] == "unknown_ref"


def test_too_much_text_is_not_evaluated_and_counted_so() -> None:
    limits = dataclasses.replace(TERMS.limits, max_text=10)
    policy = Policy(apps={"support": AppPolicy(disabled_checks=frozenset({"citations"}))})
    effects = effects_of(raw("a", cites="x"), terms=Terms(policy, b"s", limits=limits))
    [row] = effects.rows
    assert row.checks["citations"].outcome == Outcome.DISABLED
    assert row.checks["numbers"].outcome == Outcome.NOT_EVALUATED
    assert row.checks["numbers"].not_evaluated == NotEvaluated.TOO_LARGE
    assert effects.cases == ()


# Faults of ours.


def raising(*_: Any) -> CheckResult:
    raise ValueError(f"cannot read {MARK}")


@pytest.mark.parametrize("name", checks.CHECKS)
def test_a_check_that_raises_stops_neither_the_others_nor_the_answer(monkeypatch, name) -> None:
    monkeypatch.setitem(running._CHECKS, name, raising)
    wrong = raw("a", answer="A seat costs 99 € [pricing#x].")
    effects = effects_of(wrong, raw("b"))
    for row in effects.rows:
        assert row.checks[name].outcome == Outcome.NOT_EVALUATED
        assert row.checks[name].not_evaluated == NotEvaluated.CHECK_ERROR
    for other in {"citations", "numbers"} - {name}:
        assert [row.checks[other].outcome for row in effects.rows] == [Outcome.FAIL, Outcome.PASS]
    assert len(effects.cases) == 1
    assert [(error.check, error.event_id) for error in effects.errors] == [(name, "a"), (name, "b")]
    for error in effects.errors:
        assert error.error.startswith("ValueError at test_pipeline.py:")
        assert MARK not in error.error


def test_whatever_else_raises_costs_one_answer_its_verdict_and_nothing_more(monkeypatch) -> None:
    def broken(answer: Any, *_: Any) -> Any:
        if answer.event["event_id"] == "b":
            raise KeyError(MARK)
        return draft_case(answer, *_)

    monkeypatch.setattr("service.pipeline.draft_case", broken)
    effects = effects_of(raw("a", cites="x"), raw("b", cites="x"), raw("c", cites="x"))
    assert kinds(effects.rows) == ["checked"] * 3
    assert {check.not_evaluated for check in effects.rows[1].checks.values()} == {
        NotEvaluated.CHECK_ERROR
    }
    assert [case.offset for case in effects.cases] == [0, 2]
    assert [hit.offset for hit in effects.groups] == [0, 2]
    assert [bool(row.causes) for row in effects.rows] == [True, False, True]
    [error] = effects.errors
    assert MARK not in error.error
    assert len(effects.identities) == 3


def test_one_answer_with_thousands_of_findings_is_few_groups(monkeypatch) -> None:
    def many(*_: Any) -> CheckResult:
        findings = tuple(
            Finding("numbers", "absent", f"n{n}", 0, 1, "d", Severity.HIGH if n > 4_000 else
                    Severity.LOW, f"c{n}" * 100)
            for n in range(5_000)
        )  # fmt: skip
        return CheckResult(Outcome.FAIL, findings)

    monkeypatch.setitem(running._CHECKS, "numbers", many)
    effects = effects_of(raw("a"))
    assert len(effects.groups) == CAUSES_PER_ANSWER
    # The gravest first, each within bounds.
    assert {hit.severity for hit in effects.groups} == {"high"}
    assert all(len(hit.cause) <= 200 for hit in effects.groups)
    assert len({hit.group for hit in effects.groups}) == CAUSES_PER_ANSWER
    [case] = effects.cases
    assert json.loads(case.record)["findings_total"] == 5_000


# Sampling.


def test_the_draw_is_of_the_identity_and_of_what_was_found() -> None:
    effects = effects_of(raw("a"), raw("b", cites="x"))
    clean, flagged = effects.rows
    assert (clean.stratum, clean.pi, clean.pi_audit) == ("rest", 0.01, 0.005)
    assert (flagged.stratum, flagged.pi, flagged.pi_audit) == ("flagged_high", 0.3, 0.005)
    assert clean.u == uniform(b"secret", "support", "a")
    # Under an unlisted app, u is of the name that was sent and not of the label.
    [row] = effects_of(raw("a", app="stranger")).rows
    assert row.u == uniform(b"secret", "stranger", "a")


# Labels.


def test_release_labels_are_bounded_under_a_flood() -> None:
    values = [raw(f"e{n}", release={"id": f"r{n}"}) for n in range(300)]
    effects = effects_of(*values)
    labels = Counter(row.release for row in effects.rows)
    assert len(labels) == TERMS.releases_per_app + 1
    assert labels["other"] == 280
    assert len(effects.releases["support"]) == TERMS.releases_per_app


def test_a_release_in_use_is_not_displaced_by_a_flood() -> None:
    seen = Seen(releases={"support": {f"r{n}": NOW for n in range(20)}})
    values = [raw(f"e{n}", release={"id": f"x{n}"}) for n in range(50)]
    rows = effects_of(*values, raw("z", release={"id": "r7"}), seen=seen).rows
    assert {row.release for row in rows[:-1]} == {"other"}
    assert rows[-1].release == "r7"


def test_a_new_release_takes_the_place_of_the_one_silent_for_longest() -> None:
    known = {f"r{n}": NOW - n * HOUR_MS for n in range(20)}
    effects = effects_of(raw("a", release={"id": "new"}), raw("b", release={"id": "r19"}),
                         seen=Seen(releases={"support": known}))  # fmt: skip
    assert effects.rows[0].release == "new"
    # r19 had to go, and comes back in the place of the next one.
    assert effects.rows[1].release == "r19"
    assert effects.releases == {"support": {"new": NOW, "r19": NOW}}


def test_each_app_has_its_own_releases() -> None:
    full = Seen(releases={"support": {f"r{n}": NOW for n in range(20)}})
    rows = effects_of(raw("a", release={"id": "n"}), raw("b", app="sales", release={"id": "n"}),
                      raw("c", release={}), seen=full).rows  # fmt: skip
    assert [row.release for row in rows] == ["other", "n", ""]


def test_a_release_cannot_forge_the_fields_of_a_counter() -> None:
    [row] = effects_of(raw("a", release={"id": f"r1{SEPARATOR}1-x{SEPARATOR}de"})).rows
    assert SEPARATOR not in row.release


@pytest.mark.parametrize(
    ("given_", "counted"),
    [("de", "de"), ("EN", "en"), ("en-GB", "en"), ("pt-BR", "pt"), (None, "de"), ("", "de"),
     ("x" * 16, "de"), ("d1", "de"), ("\x1f", "de"), ("ру", "de"), ("deu", "de")],
)  # fmt: skip
def test_languages_are_bounded(given_: str | None, counted: str) -> None:
    answer = "Der Platz kostet 45 € im Monat und ist jederzeit kündbar [pricing#plans]."
    [row] = effects_of(raw("a", language=given_, answer=answer)).rows
    assert row.language == counted


# Time.


@pytest.mark.parametrize(
    ("occurred_at", "hour_ms"),
    [
        (None, NOW),
        ("2026-11-18T10:30:00Z", 1_794_997_800_000),
        ("2026-11-18T12:30:00+02:00", 1_794_997_800_000),
        # Without a zone it is UTC, wherever this runs.
        ("2026-11-18T10:30:00", 1_794_997_800_000),
        ("1999-01-01T00:00:00Z", NOW - DAY_MS),
        ("2099-01-01T00:00:00Z", NOW + DAY_MS),
        ("0001-01-01T00:00:00+14:00", NOW - DAY_MS),
        ("9999-12-31T23:59:59-14:00", NOW + DAY_MS),
    ],
)
def test_the_hour_is_the_event_s_own_within_a_day(occurred_at: str | None, hour_ms: int) -> None:
    [row] = effects_of(raw("a", cites="x", occurred_at=occurred_at)).rows
    assert row.hour == hour_ms // HOUR_MS
    [case] = effects_of(raw("a", cites="x", occurred_at=occurred_at)).cases
    assert abs(json.loads(case.record)["occurred_ms"] - hour_ms) < 1


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="no time zone can be set on this system")
def test_a_time_without_a_zone_does_not_depend_on_the_machine(monkeypatch) -> None:
    hours = set()
    try:
        for zone in ("UTC", "Pacific/Auckland"):
            monkeypatch.setitem(os.environ, "TZ", zone)
            time.tzset()
            [row] = effects_of(raw("a", occurred_at="2026-11-18T10:30:00")).rows
            hours.add(row.hour)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert len(hours) == 1


# Halves of a batch.

pieces = st.lists(
    st.sampled_from(["record", "dropped", "gap", "undecodable", "offset_gap"]),
    min_size=2,
    max_size=40,
).filter(lambda kinds: kinds.count("record") >= 2)
VALUE = batch_of(raw("a")).items[0]


def mixed(kinds: list[str], first: int) -> Batch:
    """``dropped``: received, and lost by us on the way."""
    items = [
        dataclasses.replace(VALUE, record=dataclasses.replace(VALUE.record, offset=first + n))
        for n, kind in enumerate(kinds)
        if kind == "record"
    ]
    count = Counter(kinds)
    lost = {reason: count[reason] for reason in ("undecodable", "offset_gap") if count[reason]}
    return Batch(
        "answers", 0, "t", 0, first, first + len(kinds), count["record"] + count["dropped"],
        count["gap"], lost, tuple(items),
    )  # fmt: skip


def account(batch: Batch) -> Counter[str]:
    return Counter(
        span=batch.next - batch.first, received=batch.received, gaps=batch.gaps,
        **batch.lost,
    )  # fmt: skip


@given(pieces, st.integers(0, 1 << 40))
def test_halves_add_up_to_the_whole_at_any_depth(kinds: list[str], first: int) -> None:
    whole = mixed(kinds, first)
    parts, queue = [], [whole]
    while queue:
        batch = queue.pop(0)
        if len(batch.items) > 1:
            queue = [*halve(batch), *queue]
        else:
            parts.append(batch)
    assert sum(map(account, parts), Counter()) == account(whole)
    assert tuple(item for part in parts for item in part.items) == whole.items
    assert [parts[0].first, parts[-1].next] == [whole.first, whole.next]
    assert all(left.next == right.first for left, right in itertools.pairwise(parts))
    assert all(
        part.first <= item.record.offset < part.next for part in parts for item in part.items
    )
    assert all(n >= 0 for part in parts for n in (part.received, part.gaps, *part.lost.values()))
    assert len({part.batch_id for part in parts}) == len(parts)
    if "dropped" not in kinds:
        # Where the whole balances, so does each part.
        for part in parts:
            parted = part.received + part.gaps + sum(part.lost.values())
            assert part.next - part.first == parted


# Laws over any batch.

VALUES = st.one_of(
    st.binary(max_size=20),
    st.none(),
    st.builds(
        lambda name, cites, app, status, answer: json.dumps(
            event(name, cites, app=app, status=status, **({"answer": answer} if answer else {}))
        ).encode(),
        st.sampled_from("abcdef"),
        st.sampled_from(["plans", "x", "y"]),
        st.sampled_from(["support", "sales", "stranger"]),
        st.sampled_from(["ok", "truncated", "error"]),
        st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    ),
)


@settings(max_examples=150)
@given(st.lists(VALUES, max_size=10), st.integers(0, 10))
def test_a_batch_in_two_calls_is_as_in_one(values: list[bytes | None], cut: int) -> None:
    whole = effects_of(*values)
    assert [row.offset for row in whole.rows] == list(range(len(values)))
    head = effects_of(*values[:cut])
    seen = Seen(frozenset(identity for _, identity, _ in head.identities), head.releases)
    tail = effects_of(*values[cut:], first=min(cut, len(values)), seen=seen)
    assert head.rows + tail.rows == whole.rows
    assert head.cases + tail.cases == whole.cases
    assert head.groups + tail.groups == whole.groups
    assert head.identities + tail.identities == whole.identities
    assert len(whole.dead_letters) == sum(row.kind is Kind.REJECTED for row in whole.rows)
    assert len(whole.cases) == sum(row.flagged for row in whole.rows)


def test_two_writers_of_the_same_offsets_can_be_told_apart() -> None:
    batch = batch_of(raw("a"), raw("b"))
    one, other = (dataclasses.replace(batch, writer=name) for name in ("w1", "w2"))
    assert len({batch.batch_id, one.batch_id, other.batch_id}) == 3
    head, tail = split(one, 1)
    assert head.writer == tail.writer == "w1"
    assert head.batch_id != tail.batch_id


def test_what_is_kept_of_a_mapped_event_is_what_was_read_even_where_the_mapping_went() -> None:
    mapping = {"when": "q", "event_id": "id", "query": "q", "answer": "a", "context": None}
    chunks = {"each": "docs", "ref": "ref", "text": "text"}
    policy = Policy.model_validate({"mappings": {"ours": mapping | {"retrieved": chunks}}})
    foreign = {
        "id": "m",
        "q": "What?",
        "a": "It costs 46 €.",
        "docs": [{"ref": "r", "text": "45 €"}],
    }
    terms = Terms(policy, b"secret")
    batch = batch_of(json.dumps(foreign).encode(), terms=terms)
    effects = process(batch, {}, Seen(), dataclasses.replace(terms, policy=Policy()))
    [case] = effects.cases
    kept = json.loads(case.record)["event"]
    assert (kept["event_id"], kept["answer"]) == ("m", "It costs 46 €.")
    assert kept["retrieved"] == [{"ref": "r", "text": "45 €"}]
    assert effects.errors == ()


def test_a_case_holds_what_the_contract_does_not_know() -> None:
    [case] = effects_of(raw("b", cites="x", experiment={"arm": [7]})).cases
    assert json.loads(case.record)["event"]["experiment"] == {"arm": [7]}


def test_a_job_is_drafted_however_large_the_integers_of_its_event() -> None:
    always = {"audit": 1.0, "audit_max": 1.0}
    policy = Policy.model_validate({"apps": {"support": {"sampling": always}}})
    terms = Terms(policy, b"secret", judge=True)
    effects = effects_of(raw("a", own=1 << 64, other=10**400), terms=terms)
    assert effects.errors == ()
    [job] = effects.jobs
    assert json.loads(job.record)["event"]["own"] == float(1 << 64)
