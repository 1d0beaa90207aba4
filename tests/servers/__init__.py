"""Real servers for the tests: started, stopped, frozen and killed at will."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """The workers of a parallel run, and other runs of this user, wait for each other here."""
    with Path(tempfile.gettempdir(), f"groundwatch-tests-{os.getuid()}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def unavailable(reason: str) -> NoReturn:
    """Skipped where a developer lacks a server, said loudly; in CI nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
