"""An outage is noted once, retried for ever, and reported when it is over."""

from __future__ import annotations

from typing import Any

import pytest

from consumers.outages import RETRY_S, Outages, sleep
from service.health import Health
from service.ingest import Job
from service.metrics import Metrics
from service.outage import Outage
from service.store import StoreOutage


@pytest.fixture(autouse=True)
def clock(monkeypatch) -> list[float]:
    """``clock[0]``: the time that the module sees, in seconds."""
    now = [100.0]
    monkeypatch.setattr("consumers.outages.time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def health() -> Health:
    return Health(clock=lambda: 0.0)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def outages(metrics: Metrics, health: Health) -> Outages:
    return Outages(metrics, health)


def counted(metrics: Metrics, dependency: str) -> float | None:
    return metrics.registry.get_sample_value(
        "groundwatch_outages_total", {"dependency": dependency}
    )


def run(job: Job[object], clock: list[float], step: float = 0.25, turns: int = 100) -> object:
    """The job's result; each time it yields, ``step`` seconds pass."""
    for _ in range(turns):
        try:
            next(job)
        except StopIteration as done:
            return done.value
        clock[0] += step
    raise AssertionError("not done")


def test_sleeping_lets_the_loop_go_round(clock) -> None:
    job = sleep(1.0)
    turns = 0
    for _ in job:
        turns += 1
        clock[0] += 0.25
    assert turns == 4


def test_an_outage_is_counted_once_however_often_it_is_noted(outages, metrics, health) -> None:
    for _ in range(3):
        outages.note(StoreOutage("Redis is away"))
    assert outages.down == {"redis"}
    assert counted(metrics, "redis") == 1
    assert counted(metrics, "kafka") == 0
    assert not health.ready()[0]
    assert health.ready()[1]["redis"].detail == "Redis is away"
    outages.over("kafka")
    assert outages.down == {"redis"}
    outages.over("kafka", "redis")
    assert health.ready()[0]
    outages.note(StoreOutage("Redis is away"))
    assert counted(metrics, "redis") == 2


def test_what_is_no_outage_of_the_store_is_kafka_s(outages, metrics) -> None:
    outages.note(Outage("no broker"))
    assert outages.down == {"kafka"}
    assert counted(metrics, "kafka") == 1


def test_a_call_is_retried_until_it_succeeds(outages, clock) -> None:
    answers: list[Any] = [Outage("away"), StoreOutage("away"), 42]

    def call() -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    started = clock[0]
    assert run(outages.retried(call), clock) == 42
    assert clock[0] - started >= 2 * RETRY_S
    assert answers == []


def test_any_other_fault_is_not_retried(outages, clock) -> None:
    def call() -> int:
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        run(outages.retried(call), clock)
    assert outages.down == set()
