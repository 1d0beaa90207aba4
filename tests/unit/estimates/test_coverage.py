"""What part of the draw the judge was given; nothing drawn is no data."""

from __future__ import annotations

from service.accounting import CheckRow, Kind, Row, counters_of, prefix_of
from service.estimates.coverage import (
    Coverage,
    coverage_by_app,
    coverage_by_stratum,
    coverage_of,
)

MEASURES = {
    "checked": 20_000,
    "judge:selected:flagged": 160,
    "judge:budget_skipped:flagged": 40,
    "judge:selected:rest": 95,
    "judge:budget_skipped:rest": 5,
    "judge:sampled_out:rest": 9_000,
    "judge:judged:rest": 70,
    "judge:cause:retrieval": 3,
}


def test_the_documented_example() -> None:
    assert coverage_of(MEASURES) == Coverage(255, 45)
    assert coverage_of(MEASURES).value == 0.85
    strata = coverage_by_stratum(MEASURES)
    assert {name: part.value for name, part in strata.items()} == {"flagged": 0.8, "rest": 0.95}


def test_nothing_drawn_is_neither_nothing_nor_all() -> None:
    assert coverage_of({}).value is None
    assert coverage_of({"checked": 9, "judge:sampled_out:rest": 9}).value is None
    assert coverage_by_stratum({"judge:selected:rest": 0}) == {}
    assert coverage_of({"judge:budget_skipped:rest": 2}).value == 0.0


def test_apps_add_up_over_hours_and_releases() -> None:
    def answer(app: str, selection: str, hour: int, release: str) -> Row:
        return Row(
            0, Kind.CHECKED, app=app, purpose="live", hour=hour, release=release, stratum="rest",
            selection=selection, checks={"numbers": CheckRow("pass", 1)},
        )  # fmt: skip

    rows = [
        answer("support", "selected", 7, "r1"),
        answer("support", "budget_skipped", 8, "r1"),
        answer("support", "selected", 8, "r2"),
        answer("support", "sampled_out", 8, "r2"),
        answer("sales", "sampled_out", 8, "s1"),
    ]
    assert coverage_by_app(counters_of(rows)) == {"support": Coverage(2, 1)}
    assert coverage_by_app({("x", 1): {prefix_of("r", "", "") + "checked": 3}}) == {}
