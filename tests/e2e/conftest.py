from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.e2e.browser import Browser, BrowserMissing
from tests.e2e.serving import Stranger, stranger


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    try:
        return Browser(tmp_path_factory.mktemp("browser"))
    except BrowserMissing as error:
        # Said loudly where a developer lacks it; in CI nothing may be missing.
        if os.environ.get("CI") == "true":
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))


@pytest.fixture
def elsewhere() -> Iterator[Stranger]:
    with stranger() as server:
        yield server
