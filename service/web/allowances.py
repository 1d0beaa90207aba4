"""How often somebody may do something: a bucket of tokens for each name, in bounded memory."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable

MOST_NAMES = 4_096


class Allowances:
    """``a_minute``: how many at once, and how many come back in a minute. Of more than
    :data:`MOST_NAMES` names the one that was seen longest ago is forgotten, and starts anew.
    ``monotonic``: seconds. Safe to be asked by several threads."""

    def __init__(self, a_minute: int, monotonic: Callable[[], float]) -> None:
        self._most = a_minute
        self._monotonic = monotonic
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, name: str) -> int:
        """Whole seconds until the next one is allowed; 0 for now. Takes nothing."""
        with self._lock:
            missing = 1.0 - self._now(name)
        return math.ceil(missing * 60 / self._most) if missing > 0 else 0

    def take(self, name: str) -> int:
        """Take one, where one is left; else as :meth:`wait_s`."""
        with self._lock:
            left = self._now(name)
            if left < 1.0:
                return math.ceil((1.0 - left) * 60 / self._most)
            self._left[name] = left - 1.0, self._monotonic()
            self._left.move_to_end(name)
            if len(self._left) > MOST_NAMES:
                self._left.popitem(last=False)
        return 0

    def _now(self, name: str) -> float:
        left, at = self._left.get(name, (float(self._most), self._monotonic()))
        return min(float(self._most), left + (self._monotonic() - at) * self._most / 60)
