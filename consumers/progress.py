"""How far the answers are checked. Feedback may be read before its answer is: after an outage, or
from a topic with less in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

LOOK_EVERY_S = 1.0


class AnswersProgress:
    """For one thread. ``ends``: partition → offset after the last answer that stands in the topic;
    ``checked``: partition → next answer to be checked. Both may raise :class:`Outage`."""

    def __init__(
        self,
        ends: Callable[[], Mapping[int, int]],
        checked: Callable[[], Mapping[int, int]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ends = ends
        self._checked = checked
        self._clock = clock
        self._wanted: Mapping[int, int] | None = None
        self._wanted_at = 0.0
        self._look_at = 0.0
        self._covered = float("-inf")

    def covers(self, moment: float) -> bool:
        """Whether each answer that stood in the topic at ``moment`` (of the clock) is known to be
        checked. Asks nobody."""
        return moment <= self._covered

    def look(self) -> None:
        """Ask, at most once in :data:`LOOK_EVERY_S`."""
        now = self._clock()
        if now < self._look_at:
            return
        if self._wanted is None:
            self._wanted, self._wanted_at = self._ends(), now
        checked = self._checked()
        if all(checked.get(partition, 0) >= end for partition, end in self._wanted.items()):
            self._covered, self._wanted = self._wanted_at, None
        self._look_at = now + LOOK_EVERY_S
