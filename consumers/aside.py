"""Calls that wait for another server, made beside the loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from consumers.outages import Job

T = TypeVar("T")


class Aside:
    """A thread that waits in the loop's place, which goes on with other partitions meanwhile. It
    makes the calls one after the other, in the order in which they were given."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="aside")

    def run(self, call: Callable[[], T]) -> Job[T]:
        """What the call returns or raises. Where nobody waits for it any more it is not begun; if
        it is under way it goes on, like that of a process which lost its partition."""
        pending = self._thread.submit(call)
        try:
            while not pending.done():
                yield
            return pending.result()
        finally:
            pending.cancel()

    def close(self) -> None:
        """Wait for the call that is under way; forget the others."""
        self._thread.shutdown(cancel_futures=True)
