"""What the hours of the last week say about the rest of today."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.accounting import SEPARATOR, Kind, Row, counters_of
from service.forecast import HOUR_MS, WEEK_HOURS, Traffic, forecast, strata_of
from service.sampling import STRATA

DAY = 20_000  # days since 1970
NOON = DAY * 24 + 12
NOW = NOON * HOUR_MS


def hours(numbers: dict[int, int], app: str = "a") -> dict[tuple[str, int], Counter[str]]:
    """Hour → answers, all of one stratum."""
    return {(app, hour): Counter(rest=n) for hour, n in numbers.items()}


def traffic(numbers: dict[int, int], now_ms: int = NOW) -> Traffic:
    return forecast(hours(numbers), now_ms)["a"]


def steady(n: int, first: int = NOON - WEEK_HOURS, end: int = NOON) -> dict[int, int]:
    return dict.fromkeys(range(first, end), n)


def test_nothing_comes_of_nothing() -> None:
    assert forecast({}, NOW) == {}
    assert forecast(hours({NOON - WEEK_HOURS - 1: 9, NOON + 1: 9, NOON: 0}), NOW) == {}


@pytest.mark.parametrize(("into_hour", "rest"), [(0, 120), (0.5, 115), (0.75, 112.5)])
def test_steady_traffic_goes_on_until_midnight(into_hour: float, rest: float) -> None:
    found = traffic(steady(10), NOW + int(into_hour * HOUR_MS))
    assert found.known
    assert (found.per_day, found.today) == (240, 120)
    assert found.rest == {"rest": pytest.approx(rest)}


def test_a_day_has_its_busy_hours() -> None:
    """Everything comes between 8 and 12, and at 20 o'clock."""
    week = {h: 10 for h in range(NOON - WEEK_HOURS, NOON) if h % 24 in (8, 9, 10, 11, 20)}
    assert traffic(week).rest == {"rest": pytest.approx(10)}
    assert traffic(week, NOW + 9 * HOUR_MS).rest == {"rest": 0}
    assert traffic(week, (NOON - 5) * HOUR_MS).rest == {"rest": pytest.approx(50)}


def test_the_larger_of_the_week_and_the_last_day() -> None:
    quiet_yesterday = steady(10, end=NOON - 24)
    assert traffic(quiet_yesterday).per_day == pytest.approx(240 * 6 / 7)
    busy_yesterday = steady(10) | steady(20, first=NOON - 24)
    assert traffic(busy_yesterday).per_day == 480


def test_a_sudden_rush_counts_for_today_and_not_for_the_audits() -> None:
    rush = steady(100) | {NOON - 1: 400, NOON: 400}
    found, before = traffic(rush, NOW + HOUR_MS - 1), traffic(steady(100))
    assert found.per_day < 1.2 * before.per_day
    # 900 answers where 300 were usual (343, since the rush began), less two standard deviations.
    assert 2.4 * 1_100 < found.rest["rest"] < 3 * 1_100


def test_chance_is_no_rush() -> None:
    lively = traffic(steady(100) | {NOON - 1: 115, NOON - 2: 110})
    assert lively.rest["rest"] == pytest.approx(12 * 100, rel=0.02)


def test_strata_are_mixed_as_in_the_last_day() -> None:
    found = {("a", hour): Counter(rest=10) for hour in range(NOON - WEEK_HOURS, NOON - 24)}
    found |= {("a", hour): Counter(rest=6, flagged=4) for hour in range(NOON - 24, NOON)}
    rest = forecast(found, NOW)["a"].rest
    assert rest["flagged"] == pytest.approx(48)
    assert rest["rest"] == pytest.approx(72)


def test_an_app_that_is_new() -> None:
    """Ten answers in the three hours since it began: twice that for what is to come."""
    found = traffic({NOON - 2: 4, NOON: 6}, NOW + HOUR_MS // 2)
    assert not found.known
    assert found.per_day == pytest.approx(96)
    assert found.today == 10
    assert found.rest == {"rest": pytest.approx(2 * 96 * 11.5 / 24)}


def test_the_first_answers_are_no_flood() -> None:
    assert traffic({NOON: 5}, NOW + 1_000).per_day == 5 * 24 * 4


def test_an_app_is_known_after_a_day() -> None:
    assert not traffic({NOON - 23: 5}).known
    assert traffic({NOON - 24: 5}).known


def test_apps_do_not_mix() -> None:
    both = forecast(hours(steady(10)) | hours(steady(1), app="b"), NOW)
    assert both["a"] == traffic(steady(10))
    assert both["b"].per_day == 24


@given(
    st.dictionaries(st.integers(NOON - 200, NOON + 5), st.integers(0, 1_000), max_size=200),
    st.integers(0, HOUR_MS - 1),
)
def test_whatever_the_history_numbers_are_finite_and_not_negative(
    numbers: dict[int, int], into_hour: int
) -> None:
    for found in forecast(hours(numbers), NOW + into_hour).values():
        assert 0 <= found.per_day < 1e7
        assert 0 <= sum(found.rest.values()) < 1e7


def test_strata_are_read_from_the_counters_as_they_are_written() -> None:
    rows = [
        Row(n, Kind.CHECKED, app="a", hour=NOON, purpose="live", release=f"r{n % 2}",
            stratum=stratum, status="ok")
        for n, stratum in enumerate((*STRATA, "rest"))
    ]  # fmt: skip
    [counter] = counters_of(rows).values()
    assert strata_of(counter) == Counter(STRATA) + Counter(["rest"])
    assert strata_of({SEPARATOR.join(("r", "1", "en", "stratum:unheard_of")): 4}) == {}
