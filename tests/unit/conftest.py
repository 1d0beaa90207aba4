"""How hypothesis and logging behave here."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

# No clock decides: machines of CI are busy. Nor does chance: what CI says of a commit must stay
# so; `make fuzz` looks for what these examples do not show.
settings.register_profile(
    "groundwatch",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("groundwatch")


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """A command configures logging to the standard error that it was run with, which is closed
    when its test ends."""
    handlers = list(logging.root.handlers)
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
