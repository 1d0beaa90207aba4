"""The bundled demo is what it says it is: its shape, and the truth that it labels itself with."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
import yaml

from service import demo
from service.checks import run_checks
from service.checks.citations import read
from service.checks.model import CheckInput, CheckResult, Finding, NotEvaluated, Outcome
from service.events import AnswerEvent, Rejection, RejectReason, parse_event
from service.policy import Policy

FIRST, SECOND = "2026-11-28.1", "2026-11-29.2"
END = datetime(2026, 11, 30, 8, tzinfo=UTC)

EXPECTED = {
    "invented-ref": ("citations", "unknown_ref"),
    "not-retrieved": ("citations", "not_retrieved"),
    "index-out-of-range": ("citations", "index_out_of_range"),
    "unknown-url": ("citations", "unknown_url"),
    "wrong-unit": ("numbers", "unit_mismatch"),
    "dropped-minus": ("numbers", "sign"),
    "digit-swap": ("numbers", "transposed"),
    "magnitude-slip": ("numbers", "magnitude"),
    "stale-number": ("numbers", "absent"),
    "invented-number": ("numbers", "absent"),
}
"""The finding that each visible fault has, and the only one."""

WRONG_BUT_UNSEEN = {"other-plan", "invisible-to-free-checks"}
FINE = {"right", "abstention", "clarification", "truncated", "probe"}
CORPUS = {chunk["ref"]: chunk["text"] for chunk in demo.load_knowledge_base()}
POLICY = Policy.model_validate(yaml.safe_load(demo.policy_text()))
PARSED = [parse_event(raw) for raw in demo.load_events()]
EVENTS = list({e.event_id: e for e in PARSED if isinstance(e, AnswerEvent)}.values())
CHECKED = [event for event in EVENTS if event.status != "error"]


def checked(event: AnswerEvent, *, corpus: dict[str, str] = CORPUS) -> dict[str, CheckResult]:
    policy = POLICY.of(event.app)
    texts = tuple(
        corpus.get(chunk.ref) if chunk.text is None else chunk.text for chunk in event.retrieved
    )
    reading = read(event, policy.citations)
    known = reading.unknown_refs & corpus.keys()
    return run_checks(CheckInput(event, texts, policy, known), reading)


def findings(event: AnswerEvent) -> list[Finding]:
    return [finding for result in checked(event).values() for finding in result.findings]


def test_knowledge_base_has_distinct_refs_in_both_languages() -> None:
    chunks = demo.load_knowledge_base()
    assert len(chunks) >= 30
    assert len(CORPUS) == len(chunks)
    assert {chunk["language"] for chunk in chunks} == {"de", "en"}
    for chunk in chunks:
        assert chunk.keys() == {"ref", "text", "title", "url", "language"}
        assert all(chunk.values())


def test_records_hold_one_duplicate_and_two_rejections() -> None:
    ids = Counter(event.event_id for event in PARSED if isinstance(event, AnswerEvent))
    assert len(ids) >= 90
    assert sorted(ids.values())[-2:] == [1, 2]
    raws = Counter(demo.load_events())
    assert sorted(raws.values())[-2:] == [1, 2]
    assert [event.reason for event in PARSED if isinstance(event, Rejection)] == [
        RejectReason.SCHEMA,
        RejectReason.UNSUPPORTED_VERSION,
    ]


def test_two_apps_two_releases_two_days() -> None:
    assert {event.app for event in EVENTS} == {"support-assistant", "docs-search"}
    assert all(POLICY.label(event.app) == event.app for event in EVENTS)
    assert {event.release.id for event in EVENTS} == {FIRST, SECOND}
    times = [event.occurred_at for event in EVENTS if event.occurred_at is not None]
    assert len(times) == len(EVENTS)
    assert max(times) == END
    assert END - timedelta(days=2) <= min(times) < END - timedelta(days=1, hours=23)


def test_unusual_events_are_there_once_each() -> None:
    statuses = Counter(event.status for event in EVENTS)
    purposes = Counter(event.purpose for event in EVENTS)
    assert (statuses["truncated"], statuses["error"], purposes["probe"]) == (1, 1, 1)
    truths = Counter(event.tags["demo"] for event in EVENTS)
    assert truths["invisible-to-free-checks"] == 1
    assert truths.keys() == EXPECTED.keys() | WRONG_BUT_UNSEEN | FINE | {"status-error"}


def test_later_release_is_visibly_worse() -> None:
    def share(release: str) -> float:
        truths = [event.tags["demo"] for event in EVENTS if event.release.id == release]
        return sum(truth in EXPECTED for truth in truths) / len(truths)

    assert share(SECOND) > 3 * share(FIRST) > 0


@pytest.mark.parametrize("event", CHECKED, ids=lambda e: f"{e.event_id}-{e.tags['demo']}")
def test_checks_find_what_is_known(event: AnswerEvent) -> None:
    truth = event.tags["demo"]
    expected = [EXPECTED[truth]] if truth in EXPECTED else []
    found = findings(event)
    assert [(finding.check, finding.reason) for finding in found] == expected, found
    assert all(event.answer[f.start : f.end] == f.surface for f in found)


def test_every_right_answer_is_decided() -> None:
    for event in CHECKED:
        if event.tags["demo"] == "right":
            assert {result.outcome for result in checked(event).values()} <= {
                Outcome.PASS,
                Outcome.NOT_APPLICABLE,
            }


def test_some_texts_come_only_from_the_knowledge_base() -> None:
    bare = [e for e in EVENTS if e.retrieved and all(c.text is None for c in e.retrieved)]
    assert len(bare) >= 3
    for event in bare:
        assert all(chunk.ref in CORPUS for chunk in event.retrieved)
        numbers = checked(event, corpus={})["numbers"]
        assert numbers.outcome is Outcome.NOT_EVALUATED
        assert numbers.not_evaluated is NotEvaluated.MISSING_TEXT
