"""What ``serve`` alone does beside serving: the durable gauges, and rolling counters up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog

from service import bootstrap
from service.bootstrap import Parts
from service.controller import MICROS, budget_of
from service.figures import FigureKeeper
from service.health import Health
from service.outage import Outage
from service.store.rollup import roll_up

log = structlog.get_logger(__name__)

EVERY_S = 5.0
ROLL_UP_EVERY_S = 3600.0


class GaugeKeeper:
    """A daemon thread: the books, the queue, whether the store can be reached, and upkeep.
    ``now``: seconds since 1970 that answers are aged by; the demo's stand still."""

    def __init__(self, parts: Parts, health: Health, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._parts = parts
        self._health = health
        self._controller = bootstrap.controller(parts)
        self._figures = FigureKeeper(parts, now)
        self._retention = bootstrap.retention(parts)
        self._stop = threading.Event()
        self._roll_up_due = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="gauges", daemon=True)

    def start(self) -> None:
        self.refresh()
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=EVERY_S)

    def refresh(self) -> None:
        """Read the store once; an outage shows in the health, the gauges keep their last values."""
        parts = self._parts
        try:
            parts.metrics.set_memory(*parts.store.ledger.memory())
            parts.metrics.set_books(parts.store.archive.books())
            self._refresh_cases()
            parts.store.tasks.expire(int(self._now() * 1000))
            parts.store.questions.expire(int(self._now() * 1000))
            self._retention.turn(int(self._now() * 1000))
            parts.metrics.set_tasks(parts.store.tasks.counts())
            self._refresh_judge()
            self._figures.refresh()
        except Outage as outage:
            self._health.set("redis", False, str(outage))
            parts.metrics.set_redis(up=False)
        else:
            self._health.set("redis", True)
            parts.metrics.set_redis(up=True)
        policy = parts.terms().policy
        parts.metrics.set_rulesets({app: policy.of(app).ruleset for app in [*policy.apps, "other"]})

    def _refresh_cases(self) -> None:
        archive, now = self._parts.store.archive, self._now()
        ages = {
            severity: max(0.0, now - oldest / 1000)
            for severity, oldest in archive.oldest_open_by_severity().items()
        }
        self._parts.metrics.set_open_cases(archive.open_by_severity(), ages)
        self._parts.metrics.set_cases(archive.case_counts())

    def _refresh_judge(self) -> None:
        jobs, now = self._parts.store.jobs, time.time()
        oldest = jobs.oldest_ms()
        age = 0.0 if oldest is None else max(0.0, now - oldest / 1000)
        state = self._controller.state(int(now * 1000))
        budget = budget_of(self._parts.settings)
        bounds = _by_kind(
            budget.tokens_per_day, budget.money_micros_per_day, budget.calls_per_minute
        )
        left = _by_kind(state.tokens_left, state.money_micros_left, state.calls_left_this_minute)
        self._parts.metrics.set_judge(jobs.pending(), age, bounds, left, state.factors.judge)

    def _run(self) -> None:
        while not self._stop.wait(EVERY_S):
            self.refresh()
            if time.monotonic() >= self._roll_up_due:
                self._roll_up()

    def _roll_up(self) -> None:
        self._roll_up_due = time.monotonic() + ROLL_UP_EVERY_S
        try:
            hours = roll_up(self._parts.store.connection, int(time.time()) // 3600)
        except Outage as outage:
            log.warning("roll_up_put_off", error=str(outage))
        else:
            log.info("rolled_up", hours=hours)


def _by_kind(tokens: int | None, money_micros: int | None, calls: int | None) -> dict[str, float]:
    """Of the kinds that have a bound."""
    amounts = {
        "tokens": tokens,
        "money": None if money_micros is None else money_micros / MICROS,
        "calls": calls,
    }
    return {kind: float(amount) for kind, amount in amounts.items() if amount is not None}
