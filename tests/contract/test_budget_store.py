"""The account of judging: exact among workers, whatever they do at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.budget import DAY_MS, Budget, Reserve, Spending
from service.sampling import INITIAL_FACTORS, Factors
from service.store import Checkpoints, Connection, connect
from service.store.budget import Account, Reservation, Wait, read_factors
from service.store.lease import Lease
from service.store.traffic import RecentTraffic
from tests.contract.world import HOUR_MS, NOW, World, event
from tests.servers.redis import RedisServer

NOON = NOW // DAY_MS * DAY_MS + DAY_MS // 2
UNBOUND = Budget()
WORKERS = 6


@pytest.fixture
def account(connection: Connection) -> Account:
    return Account(connection)


def reserved(account: Account, tokens: int, budget: Budget = UNBOUND, **more: int) -> Reservation:
    made = account.reserve(
        more.get("at_ms", NOON), tokens, more.get("money", 0), bool(more.get("audited")), budget
    )
    assert isinstance(made, Reservation), made
    return made


def refused(account: Account, tokens: int, budget: Budget, **more: int) -> Wait:
    made = account.reserve(
        more.get("at_ms", NOON), tokens, more.get("money", 0), bool(more.get("audited")), budget
    )
    assert isinstance(made, Wait), made
    return made


def keep_for_audits(connection: Connection, reserve: Reserve) -> None:
    fence = Lease(connection, "controller", 60_000).acquire()
    assert fence
    published = Account(connection).publish(
        Factors(version=1), reserve, INITIAL_FACTORS, "controller", fence
    )
    assert published


def test_nothing_was_spent_yet(account: Account) -> None:
    assert account.spending(NOON) == Spending()
    assert account.spending(NOON, pending=3).pending == 3


def test_an_estimate_is_debited_and_gives_way_to_what_it_took(account: Account) -> None:
    made = reserved(account, 1_000, money=70)
    spent = account.spending(NOON)
    assert (spent.tokens, spent.money_micros, spent.calls) == (1_000, 70, 1)
    assert (spent.settled_tokens, spent.settled_calls) == (0, 0)
    assert account.settle(made, 400, 90)
    account.count_answer(NOON)
    assert account.spending(NOON) == Spending(
        tokens=400, money_micros=90, calls=1, answers=1, settled_tokens=400,
        settled_money_micros=90, settled_calls=1,
    )  # fmt: skip


def test_a_call_is_settled_once(account: Account) -> None:
    made, other = reserved(account, 1_000), reserved(account, 10)
    assert account.settle(made, 400, 0)
    assert not account.settle(made, 400, 0)
    assert account.settle(other, 5, 0)
    assert account.spending(NOON).tokens == 405


def test_a_dead_workers_reservation_stays_debited(account: Account) -> None:
    budget = Budget(tokens_per_day=1_000)
    reserved(account, 600, budget)
    assert refused(account, 600, budget).reason == "tokens"
    assert account.spending(NOON).tokens == 600


@pytest.mark.parametrize("kind", ["tokens", "money"])
def test_a_bound_is_reached_exactly_and_never_passed(account: Account, kind: str) -> None:
    if kind == "tokens":
        budget, size = Budget(tokens_per_day=1_000), {"tokens": 250, "money": 9}
    else:
        budget, size = Budget(money_micros_per_day=1_000), {"tokens": 9, "money": 250}
    tokens, money = size["tokens"], size["money"]
    for _ in range(4):
        reserved(account, tokens, budget, money=money)
    wait = refused(account, 1, budget, money=1)
    assert (wait.seconds, wait.reason) == (60.0, kind)
    before_midnight = NOON // DAY_MS * DAY_MS + DAY_MS - 5_000
    assert refused(account, 1, budget, money=1, at_ms=before_midnight).seconds == 5.0
    # Another kind of budget, and another day, are not used up.
    reserved(account, tokens, budget, money=money, at_ms=NOON + DAY_MS)


def test_what_calls_in_flight_give_back_can_be_used(account: Account) -> None:
    budget = Budget(tokens_per_day=1_000)
    made = reserved(account, 1_000, budget)
    refused(account, 400, budget)
    account.settle(made, 600, 0)
    reserved(account, 400, budget)
    refused(account, 1, budget)


def test_a_call_over_midnight_is_settled_on_its_own_day(account: Account) -> None:
    made = reserved(account, 1_000)
    account.settle(made, 300, 0)
    tomorrow = account.spending(NOON + DAY_MS)
    assert (tomorrow.tokens, tomorrow.calls) == (0, 0)
    # Yesterday's calls still say what an answer costs.
    assert (tomorrow.settled_tokens, tomorrow.settled_calls) == (300, 1)
    assert account.spending(NOON + 2 * DAY_MS) == Spending()


def test_only_audits_may_use_their_reserve(connection: Connection, account: Account) -> None:
    keep_for_audits(connection, Reserve(tokens=300))
    budget = Budget(tokens_per_day=1_000)
    reserved(account, 700, budget)
    assert refused(account, 1, budget).reason == "tokens"
    for _ in range(3):
        reserved(account, 100, budget, audited=1)
    refused(account, 1, budget, audited=1)
    spent = account.spending(NOON)
    assert (spent.tokens, spent.audit_tokens) == (1_000, 300)


def test_what_audits_have_used_is_not_held_for_them_again(
    connection: Connection, account: Account
) -> None:
    keep_for_audits(connection, Reserve(tokens=300, money_micros=30))
    budget = Budget(tokens_per_day=1_000)
    account.settle(reserved(account, 500, budget, audited=1), 200, 0)
    reserved(account, 700, budget)  # 200 used, 100 still held
    refused(account, 1, budget)
    reserved(account, 100, budget, audited=1)


def test_calls_a_minute_over_any_sixty_seconds(account: Account) -> None:
    budget = Budget(calls_per_minute=3)
    for seconds in (0, 10, 50):
        reserved(account, 1, budget, at_ms=NOON + seconds * 1000)
    wait = refused(account, 1, budget, at_ms=NOON + 50_000, audited=1)
    assert (wait.seconds, wait.reason) == (10.0, "calls")
    assert account.spending(NOON + 50_000).calls_last_minute == 3
    reserved(account, 1, budget, at_ms=NOON + 60_000)
    assert refused(account, 1, budget, at_ms=NOON + 60_000).seconds == 10.0
    # A tighter bound counts the same calls; a refused one counts nowhere.
    assert refused(account, 1, Budget(calls_per_minute=1), at_ms=NOON + 60_000).seconds == 60.0
    assert account.spending(NOON + 60_000).calls == 4
    assert refused(account, 1, Budget(calls_per_minute=0)).seconds == 60.0


def at_once(work: Callable[[int], None]) -> None:
    """``work(0)``, ``work(1)``, … at the same time."""
    start = threading.Barrier(WORKERS)

    def run(worker: int) -> None:
        start.wait()
        work(worker)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(run, range(WORKERS)))


def share(connections: Sequence[Connection]) -> None:
    """Workers reserve and settle until nothing is left; each call takes up to 20 more than its
    estimate of 100, or up to 20 less."""
    keep_for_audits(connections[0], Reserve(tokens=1_000))
    bound, counted = 10_000, []
    budget = Budget(tokens_per_day=bound)
    highest = []

    def judge(worker: int) -> None:
        account = Account(connections[worker])
        for n in range(1_000):
            audited = worker == 0
            made = account.reserve(NOON, 100, 0, audited, budget)
            if isinstance(made, Wait):
                return
            took = 80 + 40 * ((n + worker) % 2)
            highest.append(account.spending(NOON).tokens)
            assert account.settle(made, took, 0)
            counted.append((audited, took))

    at_once(judge)
    spent = Account(connections[0]).spending(NOON)
    assert spent.tokens == spent.settled_tokens == sum(took for _, took in counted)
    assert spent.audit_tokens == sum(took for audited, took in counted if audited)
    assert spent.calls == spent.settled_calls == len(counted)
    # Past the bound by no more than what the estimates in flight were short of.
    assert max(highest) <= bound + 20 * WORKERS
    assert bound - 100 < spent.tokens <= bound + 20 * WORKERS


def test_workers_share_one_budget_in_redis(redis_server: RedisServer) -> None:
    connections = [connect(redis_server.url) for _ in range(WORKERS)]
    connections[0].client.flushall()
    share(connections)
    for connection in connections:
        connection.client.close()


def test_workers_share_one_budget_in_memory() -> None:
    share([connect("memory://")] * WORKERS)


def test_workers_never_pass_the_calls_of_a_minute(redis_server: RedisServer) -> None:
    connections = [connect(redis_server.url) for _ in range(WORKERS)]
    connections[0].client.flushall()
    allowed = []

    def judge(worker: int) -> None:
        for _ in range(20):
            made = Account(connections[worker]).reserve(
                NOON, 1, 0, False, Budget(calls_per_minute=50)
            )
            allowed.append(isinstance(made, Reservation))

    at_once(judge)
    for connection in connections:
        connection.client.close()
    assert (sum(allowed), len(allowed)) == (50, 120)


# Factors.


def test_factors_before_anybody_published(connection: Connection, account: Account) -> None:
    assert read_factors(connection) == INITIAL_FACTORS
    assert account.reserve_kept() == Reserve()


def test_factors_are_read_as_they_were_published(connection: Connection, account: Account) -> None:
    fence = Lease(connection, "controller", 60_000).acquire()
    assert fence is not None
    factors = Factors(1, {"support": 0.25, "other": 0.25}, {"support": 0.01}, True, NOON)
    reserve = Reserve(1_000, 50)
    assert account.publish(factors, reserve, INITIAL_FACTORS, "controller", fence)
    assert read_factors(connection) == factors
    assert account.reserve_kept() == reserve


def test_who_lost_the_lease_publishes_nothing(connection: Connection, account: Account) -> None:
    late, new = (Lease(connection, "controller", 60_000) for _ in range(2))
    old_fence = late.acquire()
    late.release()
    new_fence = new.acquire()
    assert old_fence is not None
    assert new_fence is not None
    one, two = Factors(version=1, judge={"a": 0.5}), Factors(version=1, judge={"a": 0.9})
    # Even before the new holder has published anything.
    assert not account.publish(one, Reserve(9), INITIAL_FACTORS, "controller", old_fence)
    assert read_factors(connection) == INITIAL_FACTORS
    assert account.publish(two, Reserve(1), INITIAL_FACTORS, "controller", new_fence)
    assert not account.publish(one, Reserve(9), two, "controller", old_fence)
    assert read_factors(connection) == two


def test_factors_that_were_not_read_are_not_written_over(
    connection: Connection, account: Account
) -> None:
    fence = Lease(connection, "controller", 60_000).acquire()
    assert fence is not None
    one = Factors(version=1)
    assert account.publish(one, Reserve(), INITIAL_FACTORS, "controller", fence)
    assert not account.publish(
        Factors(version=1, exhausted=True), Reserve(), INITIAL_FACTORS, "controller", fence
    )
    assert account.publish(one, Reserve(7), one, "controller", fence)
    assert account.reserve_kept() == Reserve(7)


def test_a_rebuild_forgets_neither_what_was_spent_nor_the_factors(
    connection: Connection, account: Account
) -> None:
    keep_for_audits(connection, Reserve(5))
    made = reserved(account, 100, Budget(calls_per_minute=5))
    before = account.spending(NOON)
    Checkpoints(connection).wipe()
    assert account.spending(NOON) == before
    assert read_factors(connection).version == 1
    assert account.settle(made, 50, 0)
    assert Lease(connection, "controller", 60_000).acquire() is None


# Traffic.


def test_traffic_is_read_by_stratum_whatever_the_release(world: World) -> None:
    world.take([event("a"), event("b", release={"id": "r2"}), event("c", cites="x")])
    world.take([event("d", app="sales"), event("e", purpose="probe")])
    world.take([event("f")], at_ms=NOW - 3 * HOUR_MS)
    hour = NOW // HOUR_MS
    found = RecentTraffic(world.connection).read(NOW)
    assert found == {
        ("support", hour): {"rest": 2, "flagged_high": 1},
        ("support", hour - 3): {"rest": 1},
        ("sales", hour): {"rest": 1},
    }


def test_traffic_goes_on(world: World) -> None:
    traffic = RecentTraffic(world.connection)
    hour = NOW // HOUR_MS
    assert traffic.read(NOW) == {}
    world.take([event("a")])
    world.take([event("old")], at_ms=NOW - 5 * HOUR_MS)
    assert traffic.read(NOW)["support", hour] == {"rest": 1}
    world.take([event("b")])
    assert traffic.read(NOW)["support", hour] == {"rest": 2}
    # An hour gone by is read again with the next hour, and none is read after a week.
    world.take([event("late")], at_ms=NOW - 5 * HOUR_MS)
    assert traffic.read(NOW)["support", hour - 5] == {"rest": 1}
    assert traffic.read(NOW + HOUR_MS)["support", hour - 5] == {"rest": 2}
    week_later = NOW + 7 * 24 * HOUR_MS
    assert set(traffic.read(week_later)) == {("support", hour)}
    assert traffic.read(week_later + HOUR_MS) == {}
