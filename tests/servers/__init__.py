"""Real servers for the tests: started, stopped, frozen and killed at will."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def unavailable(reason: str) -> NoReturn:
    """Skipped where a developer lacks a server, said loudly; in CI nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
