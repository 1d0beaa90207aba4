"""Is this process alive, and may it be given work? Shared by ``serve`` and ``consume``.

Alive: the loop ticked lately. A slow batch or an outage must not restart a process, so nothing
else enters. Ready: everything it depends on reported well. Lag is a metric, never a health signal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

MAX_TICK_AGE_S = 30.0
"""A loop that has not ticked for this long (seconds) is taken for dead."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What one dependency last reported. ``detail`` is for an operator and never holds payload."""

    ok: bool
    detail: str = ""


class Health:
    """Thread-safe. ``expects``: names that must report well before the process is ready;
    ``tolerates``: those whose trouble is told and leaves it ready."""

    def __init__(
        self,
        expects: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
        tolerates: Iterable[str] = (),
    ) -> None:
        self._clock = clock
        self._tolerated = frozenset(tolerates)
        self._lock = threading.Lock()
        self._conditions = {name: Condition(False, "not reported yet") for name in expects}
        self._ticked = clock()

    def tick(self) -> None:
        """The loop went round once more."""
        self._ticked = self._clock()

    def set(self, name: str, ok: bool, detail: str = "") -> None:
        with self._lock:
            self._conditions[name] = Condition(ok, detail)

    def tick_age(self) -> float:
        """Seconds since the last tick (since the start when there was none)."""
        return max(0.0, self._clock() - self._ticked)

    def alive(self, max_age_s: float = MAX_TICK_AGE_S) -> bool:
        return self.tick_age() <= max_age_s

    def ready(self) -> tuple[bool, dict[str, Condition]]:
        """Whether every condition holds that is not tolerated, and all of them by name."""
        with self._lock:
            conditions = dict(self._conditions)
        troubles = {name for name, condition in conditions.items() if not condition.ok}
        return troubles <= self._tolerated, conditions


def liveness(health: Health, max_age_s: float = MAX_TICK_AGE_S) -> tuple[int, dict[str, Any]]:
    """HTTP status (200 or 503) and JSON body of ``/healthz``."""
    age = health.tick_age()
    alive = age <= max_age_s
    body = {"alive": alive, "tick_age_seconds": round(age, 3), "max_age_seconds": max_age_s}
    return (200 if alive else 503), body


def readiness(health: Health) -> tuple[int, dict[str, Any]]:
    """HTTP status (200 or 503) and JSON body of ``/readyz``."""
    ready, conditions = health.ready()
    checks = {
        name: {"ok": condition.ok, "detail": condition.detail}
        for name, condition in sorted(conditions.items())
    }
    return (200 if ready else 503), {"ready": ready, "checks": checks}
