from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.browser import Browser, BrowserMissing
from tests.e2e.serving import Stranger, stranger
from tests.servers import unavailable


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    try:
        return Browser(tmp_path_factory.mktemp("browser"))
    except BrowserMissing as error:
        unavailable(str(error))


@pytest.fixture
def elsewhere() -> Iterator[Stranger]:
    with stranger() as server:
        yield server
