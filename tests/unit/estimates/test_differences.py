"""Independent rates over one mix of traffic."""

from __future__ import annotations

import random

import pytest

from service.estimates.differences import Demand, against, difference, held_equal
from service.estimates.rates import Rate
from service.estimates.wilson import wilson


def test_one_stratum_is_the_plain_difference_of_newcombe() -> None:
    # R. G. Newcombe, Stat. Med. 17 (1998) 873-890, table II, 56/70 - 48/80, method 10.
    found = difference(Rate.of(48, 80), Rate.of(56, 70))
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)


def test_another_mix_of_traffic_is_no_worse_release() -> None:
    """Both fail in 2 % of the German answers and in 20 % of the English ones; the second one gets
    mostly English ones."""
    first = {"de": Rate.of(18, 900), "en": Rate.of(20, 100)}
    second = {"de": Rate.of(2, 100), "en": Rate.of(180, 900)}
    plain = difference(Rate.of(38, 1000), Rate.of(182, 1000))
    assert plain is not None
    assert plain.told
    held = held_equal(first, second)
    assert held is not None
    assert held.difference.value == pytest.approx(0)
    assert held.first.value == pytest.approx(0.11)
    assert not held.difference.told
    assert held.left_out == (0, 0)


def test_what_only_one_side_has_is_left_out_and_said() -> None:
    held = held_equal(
        {"a": Rate.of(1, 100), "old": Rate.of(9, 30)},
        {"a": Rate.of(5, 100), "new": Rate.of(0, 7), "idle": Rate.of(0, 0)},
    )
    assert held is not None
    assert (held.left_out, held.strata) == ((30, 7), 1)
    assert held_equal({"a": Rate.of(1, 2)}, {"b": Rate.of(1, 2)}) is None


def test_turned_round_it_changes_its_sign() -> None:
    first = {"a": Rate.of(3, 40), "b": Rate.of(30, 60)}
    second = {"a": Rate.of(9, 80), "b": Rate.of(20, 70)}
    there, back = held_equal(first, second), held_equal(second, first)
    assert there is not None
    assert back is not None
    assert there.difference.value == pytest.approx(-back.difference.value)
    assert there.difference.low == pytest.approx(-back.difference.high)


def test_the_answers_still_needed_do_tell() -> None:
    first, second = Rate.of(20, 400), Rate.of(28, 400)
    found = difference(first, second)
    assert found is not None
    assert not found.told
    assert found.more is not None
    scale = (800 + found.more) / 800
    grown = [Rate(round(r.hits * scale), round(r.trials * scale), round(r.answers * scale),
                  r.effective * scale) for r in (first, second)]  # fmt: skip
    later = difference(*grown)
    assert later is not None
    assert later.low > -0.001


def test_a_fixed_bound_is_held_against_the_wilson_interval() -> None:
    found = against(Rate.of(4, 80), 0.1)
    low, high = wilson(4, 80)
    assert found is not None
    assert found.low == pytest.approx(low - 0.1)
    assert found.high == pytest.approx(high - 0.1)
    wider = against(Rate.of(4, 80), 0.1, confidence=0.99)
    assert wider is not None
    assert wider.high > found.high
    assert against(Rate.of(0, 0), 0.1) is None


def test_zero_against_zero_is_decided_by_the_margin() -> None:
    none = {"a": Rate.of(0, 20_000)}
    strict = held_equal(none, none, Demand(ratio=1.1))
    lenient = held_equal(none, none, Demand(ratio=1.1, margin=0.002))
    assert strict is not None
    assert lenient is not None
    assert not strict.difference.told
    assert strict.difference.more is None
    assert lenient.difference.high < 0


def test_the_difference_covers_over_an_uneven_mix() -> None:
    rng = random.Random(5)
    shares = {"de": (0.02, 0.03), "en": (0.15, 0.10), "fr": (0.4, 0.4)}
    sizes = {"de": (300, 60), "en": (80, 200), "fr": (20, 25)}
    weights = {one: sum(sizes[one]) for one in sizes}
    truth = sum(weights[one] * (b - a) for one, (a, b) in shares.items()) / sum(weights.values())
    held = 0
    for _ in range(500):
        sides: list[dict[str, Rate]] = [{}, {}]
        for one, pair in shares.items():
            for side in (0, 1):
                n = sizes[one][side]
                sides[side][one] = Rate.of(sum(rng.random() < pair[side] for _ in range(n)), n)
        found = held_equal(sides[0], sides[1])
        assert found is not None
        held += found.difference.low <= truth <= found.difference.high
    assert held >= 500 * 0.93
