"""Hours roll into days without a count changing."""

from __future__ import annotations

from collections import Counter

from service.store import Caps, Store, connect
from service.store.rollup import DAYS_KEPT, HOURS_KEPT, roll_up

NOW = 490_000


def filled() -> Store:
    store = Store.over(connect("memory://"), Caps(), ("citations",))
    keys, client = store.connection.keys, store.connection.client
    for app, hour in (("a:b", NOW), ("a:b", NOW - 400), ("a:b", NOW - 399), ("c", NOW - 400)):
        client.hset(keys.counters(app, hour), mapping={"r1\x1fcitations:pass": 2, "flagged": 1})
        client.zadd(keys.hours, {f"{app}:{hour}": hour})
    return store


def by_app(store: Store) -> dict[str, Counter[str]]:
    sums: dict[str, Counter[str]] = {}
    for (app, _), counter in store.archive.counters().items():
        sums.setdefault(app, Counter()).update(counter)
    return sums


def test_old_hours_become_days_and_no_sum_changes() -> None:
    store = filled()
    before = by_app(store)
    assert roll_up(store.connection, NOW) == 3
    assert by_app(store) == before
    assert {hour for _, hour in store.archive.counters()} == {NOW, (NOW - 400) // 24 * 24}
    assert roll_up(store.connection, NOW) == 0
    assert by_app(store) == before


def test_an_hour_is_kept_for_fourteen_days() -> None:
    store = filled()
    assert roll_up(store.connection, NOW - 400 + HOURS_KEPT) == 0
    assert roll_up(store.connection, NOW - 400 + HOURS_KEPT + 1) == 2


def test_days_go_after_four_hundred() -> None:
    store = filled()
    last = (NOW // 24 + DAYS_KEPT) * 24
    roll_up(store.connection, last)
    assert by_app(store)["a:b"]["flagged"] == 1
    roll_up(store.connection, last + 24)
    assert by_app(store) == {}
