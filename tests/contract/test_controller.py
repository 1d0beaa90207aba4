"""The controller over a store, and whole days of it: within budget, and never standing still."""

from __future__ import annotations

import math
import random
from collections import Counter, deque
from collections.abc import Callable

from service.accounting import SEPARATOR
from service.budget import DAY_MS, Budget, Prices
from service.controller import LEASE, Controller, ControllerKeeper, budget_of
from service.forecast import HOUR_MS
from service.policy import AppPolicy, Policy
from service.sampling import (
    BUDGET_SKIPPED,
    INITIAL_FACTORS,
    SAMPLED_OUT,
    STRATA,
    Draw,
    disposition,
    draw,
)
from service.settings import Settings
from service.store import Connection, connect
from service.store.budget import Account, Reservation, read_factors
from service.store.lease import Lease
from tests.contract.world import NOW, World, event

UNBOUND = Budget()
POLICY = Policy(apps={"support": AppPolicy(), "sales": AppPolicy()})
MIDNIGHT = NOW // DAY_MS * DAY_MS
MIX = dict(zip(STRATA, (0.02, 0.08, 0.1, 0.1, 0.7), strict=True))
PER_DAY = {"support": 12_000, "sales": 8_000}
ESTIMATE = 5_500
STEP_MS = 5 * 60_000
TOKENS = 4_000
"""Of one answer, on average."""


def controller(connection: Connection, budget: Budget = UNBOUND) -> Controller:
    return Controller(connection, lambda: POLICY, budget)


def expected_a_day(factor: float = 1.0) -> float:
    """Judged answers of a day as forecast, audits among them."""
    rules = AppPolicy().sampling
    return sum(
        answers * MIX[stratum] * max(20 / answers, getattr(rules, stratum) * factor)
        for answers in PER_DAY.values()
        for stratum in STRATA
    )


def hourly(hour_of_day: int) -> float:
    """Share of a day: quiet nights, busy at noon."""
    return (1 - 0.8 * math.cos((hour_of_day + 0.5) / 24 * 2 * math.pi)) / 24


class Day:
    """A day of traffic through draw, queue and account. ``surge``: hour of the day → factor."""

    def __init__(
        self,
        connection: Connection,
        budget: Budget,
        surge: Callable[[int], float] = lambda _: 1.0,
    ) -> None:
        self.connection = connection
        self.budget = budget
        self.surge = surge
        self.random = random.Random(5)
        self.account = Account(connection)
        self.queue: deque[Draw] = deque()
        self.controller = Controller(connection, lambda: POLICY, budget, lambda: len(self.queue))
        self.judged: Counter[int] = Counter()  # beside audits, by hour
        self.dispositions: Counter[str] = Counter()
        self.audits = self.audits_refused = self.most_spent = 0
        self.factors = [INITIAL_FACTORS]

    def count(self, app: str, hour: int, strata: Counter[str]) -> None:
        keys, client = self.connection.keys, self.connection.client
        for stratum, number in strata.items():
            field = SEPARATOR.join(("r1", "1-a", "en", f"stratum:{stratum}"))
            client.hincrby(keys.counters(app, hour), field, number)
        client.zadd(keys.hours, {f"{app}:{hour}": hour})

    def remember_week(self) -> None:
        first = MIDNIGHT // HOUR_MS - 7 * 24
        for app, per_day in PER_DAY.items():
            for hour in range(first, first + 7 * 24):
                answers = per_day * hourly(hour % 24)
                self.count(app, hour, Counter({s: round(answers * MIX[s]) for s in STRATA}))

    def run(self) -> None:
        for now in range(MIDNIGHT, MIDNIGHT + DAY_MS, STEP_MS):
            self.controller.turn(now)
            factors = read_factors(self.connection)
            if factors != self.factors[-1]:
                self.factors.append(factors)
            for app in PER_DAY:
                self._answers(app, now)
            self._judge(now)

    def _answers(self, app: str, now: int) -> None:
        hour = now // HOUR_MS
        rate = PER_DAY[app] * hourly(hour % 24) * self.surge(hour % 24) * STEP_MS / HOUR_MS
        number = round(self.random.gauss(rate, math.sqrt(rate)))
        strata = self.random.choices(STRATA, weights=list(MIX.values()), k=max(0, number))
        for n, stratum in enumerate(strata):
            rules = POLICY.of(app).sampling
            drawn = draw(b"key", app, f"{now}-{n}", stratum, rules, self.factors[-1], app)
            became = disposition(drawn, self.factors[-1])
            self.dispositions[became] += 1
            if became not in (SAMPLED_OUT, BUDGET_SKIPPED):
                self.queue.append(drawn)
        self.count(app, hour, Counter(strata))

    def _judge(self, now: int) -> None:
        """Each waiting answer once: one that has to wait does not stand in the others' way."""
        for _ in range(len(self.queue)):
            drawn = self.queue.popleft()
            made = self.account.reserve(now, ESTIMATE, 0, drawn.audited, self.budget)
            if isinstance(made, Reservation):
                self.account.settle(made, self.random.randrange(3_000, 2 * TOKENS - 3_000), 0)
                self.account.count_answer(now)
                self.audits += drawn.audited
                self.judged[now // HOUR_MS % 24] += not drawn.audited
            else:
                self.audits_refused += drawn.audited
                self.queue.append(drawn)
            self.most_spent = max(self.most_spent, self.account.spending(now).tokens)


def forty_percent() -> Budget:
    return Budget(tokens_per_day=round(0.4 * expected_a_day() * TOKENS))


def assert_kept_to(day: Day, budget: Budget, every_hours: int = 1) -> None:
    """``every_hours``: in each such part of the day, something beside the audits was judged."""
    assert budget.tokens_per_day is not None
    assert day.most_spent <= budget.tokens_per_day
    assert day.audits_refused == 0
    assert day.dispositions[BUDGET_SKIPPED] == 0
    for first in range(0, 24, every_hours):
        assert sum(day.judged[hour] for hour in range(first, first + every_hours)), day.judged


def test_a_day_at_forty_percent_of_the_demand(connection: Connection) -> None:
    budget = forty_percent()
    day = Day(connection, budget)
    day.remember_week()
    day.run()
    assert_kept_to(day, budget)
    assert day.most_spent > 0.85 * (budget.tokens_per_day or 0)
    # Two apps with twenty audits each, as far as chance allows; for more there is a reserve.
    assert 40 * TOKENS < day.account.reserve_kept().tokens < 80 * TOKENS
    assert abs(day.audits - 40) < 5 * math.sqrt(40)
    # It slows down by day about as much as is needed, not first little and then a lot.
    by_day = [
        factors.judge["other"]
        for factors in day.factors[1:]
        if 6 <= (factors.published_ms - MIDNIGHT) / HOUR_MS < 18
    ]
    assert 0.25 < min(by_day) < max(by_day) < 0.55


def test_a_first_day_without_any_history() -> None:
    budget = forty_percent()
    day = Day(connect("memory://"), budget)
    day.run()
    assert_kept_to(day, budget, every_hours=4)


def test_three_times_the_traffic_from_noon_on() -> None:
    budget = forty_percent()
    day = Day(connect("memory://"), budget, lambda hour: 3.0 if hour >= 12 else 1.0)
    day.remember_week()
    day.run()
    assert_kept_to(day, budget)


def test_a_budget_that_not_even_the_floor_keeps_to_leaves_the_audits() -> None:
    connection = connect("memory://")
    day = Day(connection, Budget(tokens_per_day=70 * TOKENS))
    day.remember_week()
    day.run()
    assert day.most_spent <= 70 * TOKENS
    assert day.dispositions[BUDGET_SKIPPED] > 0
    assert any(factors.exhausted for factors in day.factors)
    assert day.audits_refused == 0


def test_without_a_bound_everything_drawn_is_judged() -> None:
    day = Day(connect("memory://"), Budget())
    day.remember_week()
    day.run()
    wanted = expected_a_day()
    assert abs(sum(day.judged.values()) + day.audits - wanted) < 5 * math.sqrt(wanted)
    assert all(set(factors.judge.values()) == {1.0} for factors in day.factors[1:])


# One controller at a time.


def test_only_the_holder_of_the_lease_publishes(connection: Connection) -> None:
    one, other = controller(connection), controller(connection)
    assert one.turn(NOW)
    assert not other.turn(NOW)
    assert one.turn(NOW)
    one.release()
    assert other.turn(NOW)
    assert not one.turn(NOW)


def test_a_controller_that_was_overtaken_changes_nothing(connection: Connection) -> None:
    def paused() -> Policy:
        """Read within a turn: meanwhile the lease runs out, and another process takes it."""
        connection.client.delete(connection.keys.lease(LEASE))
        assert controller(connection).turn(NOW)
        return POLICY

    assert not Controller(connection, paused, Budget(tokens_per_day=0)).turn(NOW)
    assert read_factors(connection).version == 1
    assert not read_factors(connection).exhausted


def test_factors_that_stay_keep_their_version(connection: Connection) -> None:
    governor = controller(connection)
    governor.turn(NOW)
    first = read_factors(connection)
    assert first.version == 1
    assert first.judge == {"support": 1.0, "sales": 1.0, "other": 1.0}
    governor.turn(NOW + 30_000)
    assert read_factors(connection) == first


def test_the_judge_off_leaves_the_audits(world: World) -> None:
    """After a day of 30 answers, 20 a day are more than the most that is allowed: one in five."""
    for hours in range(25, 0, -1):
        names = [f"{hours}-{n}" for n in range(30 if hours in (25, 1) else 0)]
        if names:
            world.take([event(name) for name in names], at_ms=NOW - hours * HOUR_MS)
    governor = controller(world.connection)
    governor.turn(NOW)
    found = read_factors(world.connection)
    assert found.audit == {"support": 0.2}
    assert set(found.judge.values()) == {1.0}
    state = governor.state(NOW)
    assert (state.tokens_left, state.money_micros_left, state.calls_left_this_minute) == (
        None, None, None,
    )  # fmt: skip
    assert state.factors == found


def test_the_state_that_every_process_can_show(connection: Connection) -> None:
    budget = Budget(100_000, 9_000_000, 60, Prices(1.0, 2.0))
    holder, other = controller(connection, budget), controller(connection, budget)
    holder.turn(NOW)
    Account(connection).reserve(NOW, 1_000, 2_000, False, budget)
    state = other.state(NOW)
    assert state == holder.state(NOW)
    assert (state.tokens_left, state.money_micros_left, state.calls_left_this_minute) == (
        99_000, 8_998_000, 59,
    )  # fmt: skip
    assert state.factors.version == 1


def test_the_thread_takes_a_turn_and_gives_the_lease_back(connection: Connection) -> None:
    keeper = ControllerKeeper(controller(connection))
    keeper.start()
    assert read_factors(connection).version == 1
    assert Lease(connection, LEASE, 1_000).acquire() is None
    keeper.close()
    assert Lease(connection, LEASE, 1_000).acquire() == 2


def test_the_thread_outlives_an_outage() -> None:
    keeper = ControllerKeeper(controller(connect("redis://127.0.0.1:1/0")))
    keeper.start()
    keeper.close()


def test_the_budget_of_the_settings() -> None:
    bounds = {
        "judge_tokens_per_day": 1_000_000, "judge_money_per_day": 2.5,
        "judge_calls_per_minute": 60, "judge_price_input": 0.15, "judge_price_output": 0.6,
    }  # fmt: skip
    endpoint = {"judge_base_url": "http://127.0.0.1:1/v1", "judge_model": "m"}
    found = budget_of(Settings.model_validate(bounds | endpoint))
    assert found == Budget(1_000_000, 2_500_000, 60, Prices(0.15, 0.6))
    assert budget_of(Settings.model_validate(endpoint)) == UNBOUND
    assert budget_of(Settings.model_validate(bounds)) == UNBOUND  # the judge is off
