"""The order of the queue: one formula, its terms told, the same for ever."""

from __future__ import annotations

import pytest

from service.drafts import CaseDraft, case_draft, priority_of, with_seen
from service.review.cases import DAY_MS, LEAST_WEIGHT, lowest_priority, priority, priority_terms
from service.verdicts import encode_case

NOW = 1_795_000_000_000
BODY = {
    "case_id": "c", "group": "g", "severity": "medium", "occurred_ms": NOW, "weight": 3.0,
    "app": "support", "language": "en", "release_label": "r1", "checks": [], "reasons": [],
    "ruleset": "1", "event_id": "e", "release": "r1", "headline": "", "query": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("seen", "rarity"), [(0, 0.0), (1, -0.5), (3, -1.0), (15, -2.0), (255, -4.0), (10**9, -4.0)]
)
def test_a_cause_that_is_known_well_counts_less(seen: int, rarity: float) -> None:
    assert priority_terms("low", NOW, 1.0, seen).rarity == rarity


def test_nothing_is_lower_than_the_lowest() -> None:
    for severity in ("low", "medium", "high"):
        assert priority(severity, NOW, LEAST_WEIGHT, 10**12) >= lowest_priority(NOW)


def test_the_terms_add_up() -> None:
    terms = priority_terms("high", 10 * DAY_MS, 8.0, 3)
    assert (terms.severity, terms.app, terms.rarity, terms.recency) == (4.0, 3.0, -1.0, 10.0)
    assert terms.total == priority("high", 10 * DAY_MS, 8.0, 3) == 16.0


def test_an_app_of_half_the_weight_waits_a_day_longer() -> None:
    assert priority("low", NOW + DAY_MS, 0.5) == pytest.approx(priority("low", NOW))


@pytest.mark.parametrize("seen", [1, 2, 7, 100, 5_000])
def test_what_the_record_says_is_what_the_draft_has(seen: int) -> None:
    draft = case_draft(BODY, 0, 0, encode_case(BODY))
    later: CaseDraft = with_seen(draft, seen)
    stored = encode_case(BODY)[:-1] + b',"seen":%d}' % seen
    assert later.record == stored
    assert later.priority == priority_of({**BODY, "seen": seen}).total < draft.priority
    assert with_seen(draft, 0) == draft
