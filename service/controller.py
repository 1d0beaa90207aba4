"""The controller: keeps judging within its budget. One process at a time, under a lease."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog

from service.budget import Budget, BudgetState, Prices, factors_of, reserve_of, state_of
from service.forecast import forecast
from service.outage import Outage
from service.policy import Policy
from service.settings import Settings
from service.store import Connection
from service.store.budget import Account, read_factors
from service.store.lease import Lease
from service.store.traffic import RecentTraffic

log = structlog.get_logger(__name__)

EVERY_S = 30.0
LEASE = "controller"
LEASE_MS = int(3 * EVERY_S * 1000)
"""A controller that misses three turns gives way to another process's."""
MICROS = 1_000_000


def budget_of(settings: Settings) -> Budget:
    """Without any bound where the judge is off: nothing is spent, and π is the policy's."""
    if not settings.judging:
        return Budget()
    money = settings.judge_money_per_day
    return Budget(
        settings.judge_tokens_per_day,
        None if money is None else round(money * MICROS),
        settings.judge_calls_per_minute,
        Prices(settings.judge_price_input, settings.judge_price_output),
    )


class Controller:
    """``policy``: the one in force now; ``budget``: without a bound, only π_audit follows the
    traffic; ``pending``: answers that are drawn and wait for the judge."""

    def __init__(
        self,
        connection: Connection,
        policy: Callable[[], Policy],
        budget: Budget,
        pending: Callable[[], int] = lambda: 0,
    ) -> None:
        self._c = connection
        self._policy = policy
        self._budget = budget
        self._pending = pending
        self._account = Account(connection)
        self._traffic = RecentTraffic(connection)
        self._lease = Lease(connection, LEASE, LEASE_MS)

    def turn(self, now_ms: int) -> bool:
        """Publish the factors for now; False when another process does. Raises :class:`Outage`
        when the store is away: what was published stays in force."""
        fence = self._lease.acquire()
        if fence is None:
            return False
        policy, budget = self._policy(), self._budget
        previous = read_factors(self._c)
        expected = forecast(self._traffic.read(now_ms), now_ms)
        spending = self._account.spending(now_ms, self._pending())
        found = factors_of(policy, expected, budget, spending, now_ms, previous)
        reserve = reserve_of(policy, expected, budget, spending)
        published = self._account.publish(found, reserve, previous, LEASE, fence)
        if published and found is not previous:
            log.info("factors_published", version=found.version, exhausted=found.exhausted)
        return published

    def state(self, now_ms: int) -> BudgetState:
        """The account and the factors in force, whoever published them."""
        return state_of(
            self._budget,
            self._account.spending(now_ms, self._pending()),
            self._account.reserve_kept(),
            read_factors(self._c),
        )

    def release(self) -> None:
        """Let another process go on at once."""
        self._lease.release()


class ControllerKeeper:
    """A daemon thread that takes a turn at once and every 30 seconds. Every process may run one."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._stop = threading.Event()
        self._away = False
        self._thread = threading.Thread(target=self._run, name="controller", daemon=True)

    def start(self) -> None:
        self._turn()
        self._thread.start()

    def close(self) -> None:
        """Stop, and give the lease to whoever comes next."""
        self._stop.set()
        self._thread.join(timeout=EVERY_S)
        try:
            self._controller.release()
        except Outage as outage:
            log.warning("lease_not_released", error=str(outage))

    def _run(self) -> None:
        while not self._stop.wait(EVERY_S):
            self._turn()

    def _turn(self) -> None:
        try:
            self._controller.turn(int(time.time() * 1000))
        except Outage as outage:
            if not self._away:
                log.warning("controller_put_off", error=str(outage))
            self._away = True
        else:
            self._away = False
