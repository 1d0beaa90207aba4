"""Outages as the loops see them: noted once, retried for ever, reported when over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar

import structlog

from service.health import Health
from service.ingest import Job
from service.metrics import Metrics
from service.outage import Outage
from service.store import StoreOutage

log = structlog.get_logger(__name__)

RETRY_S = 0.5

T = TypeVar("T")


class Outages:
    """Which dependencies are away. Health and metrics hear of the beginning and the end.

    ``failures``: calls to Redis that failed so far.
    """

    def __init__(self, metrics: Metrics, health: Health) -> None:
        self._metrics = metrics
        self._health = health
        self.down: set[Literal["kafka", "redis"]] = set()
        self.failures = 0
        for dependency in ("kafka", "redis"):
            health.set(dependency, True)

    def note(self, outage: Outage) -> None:
        dependency: Literal["kafka", "redis"] = (
            "redis" if isinstance(outage, StoreOutage) else "kafka"
        )
        self._health.set(dependency, False, str(outage))
        self.failures += dependency == "redis"
        if dependency not in self.down:
            self.down.add(dependency)
            self._metrics.observe_outage(dependency)
            log.error("outage", dependency=dependency, error=str(outage))

    def over(self, *dependencies: Literal["kafka", "redis"]) -> None:
        for dependency in dependencies:
            if dependency in self.down:
                self.down.discard(dependency)
                self._health.set(dependency, True)
                log.info("outage_over", dependency=dependency)

    def retried(self, call: Callable[[], T]) -> Job[T]:
        """The call's result, however often a dependency is away in between."""
        while True:
            try:
                return call()
            except Outage as outage:
                self.note(outage)
            yield from sleep(RETRY_S)

    def retried_job(self, begin: Callable[[], Job[T]]) -> Job[T]:
        """The job's result, begun anew as often as a dependency is away in between."""
        while True:
            try:
                return (yield from begin())
            except Outage as outage:
                self.note(outage)
            yield from sleep(RETRY_S)


def sleep(seconds: float) -> Job[None]:
    """Let the loop go round for at least ``seconds``."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield
