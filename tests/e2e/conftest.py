from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser as Chromium

from tests.e2e.browser import Browser, BrowserMissing
from tests.e2e.reviewing import installed_chromium
from tests.e2e.serving import Stranger, stranger
from tests.servers import unavailable


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    try:
        return Browser(tmp_path_factory.mktemp("browser"))
    except BrowserMissing as error:
        unavailable(str(error))


@pytest.fixture(scope="module")
def chrome() -> Iterator[Chromium]:
    """The browser that reviewers sit at. Its driver keeps a loop running in this thread: it ends
    with the module, or no other test could run a loop of its own."""
    with installed_chromium() as browser:
        yield browser


@pytest.fixture
def elsewhere() -> Iterator[Stranger]:
    with stranger() as server:
        yield server
