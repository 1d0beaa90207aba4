"""Buckets of tokens, in bounded memory."""

from __future__ import annotations

from service.web.allowances import MOST_NAMES, Allowances


def test_so_many_at_once_and_then_by_the_minute() -> None:
    now = [0.0]
    some = Allowances(2, lambda: now[0])
    assert [some.take("a") for _ in range(3)] == [0, 0, 30]
    assert some.take("b") == 0
    now[0] = 29.0
    assert some.wait_s("a") == 1
    now[0] = 30.0
    assert (some.wait_s("a"), some.take("a"), some.take("a")) == (0, 0, 30)
    now[0] = 9_999.0
    assert [some.take("a") for _ in range(3)] == [0, 0, 30]


def test_whoever_was_not_seen_for_long_is_forgotten() -> None:
    some = Allowances(1, lambda: 0.0)
    assert some.take("first") == 0
    for number in range(MOST_NAMES):
        some.take(str(number))
    assert some.take("first") == 0
    assert some.take(str(MOST_NAMES - 1)) > 0
