from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.web.world import LOOP


@pytest.fixture(scope="session", autouse=True)
def _close_the_loop() -> Iterator[None]:
    yield
    LOOP.run_until_complete(LOOP.shutdown_asyncgens())
    LOOP.run_until_complete(LOOP.shutdown_default_executor())
    LOOP.close()
