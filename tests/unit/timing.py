"""What a call costs, measured so that nobody else on the machine decides, and no earlier test."""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable


def cpu_seconds(call: Callable[[], object], times: int = 2) -> float:
    """CPU time of this process for one call: the least of ``times``. Once only, where the code
    remembers what it was given.

    timeit keeps the garbage collector out: it goes through all that is alive in the process.
    """
    return min(timeit.repeat(call, timer=time.process_time, number=1, repeat=times))
