"""The web app over a store, asked without a socket: what routes, templates and JSON cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from service.health import Health
from service.intake import Receipt
from service.metrics import Metrics
from service.store import Store
from service.store.reviews import Desk
from service.web.app import create_app
from service.web.options import WebOptions
from service.web.ports import JudgeState

Get = Callable[[str], object]


class _Closed:
    """No answer is sent to this one."""

    asynchronous = False

    def submit(self, events: list[bytes]) -> list[Receipt]:
        raise NotImplementedError


@contextmanager
def site(store: Store, desk: Desk) -> Iterator[Get]:
    """Gets a path, and fails where the answer is no 200."""
    app = create_app(
        intake=_Closed(),
        cases=store.archive,
        tasks=store.tasks,
        books=store.archive.books,
        judge=JudgeState,
        counters=store.archive,
        desk=desk,
        secret=b"secret",
        health=Health(),
        metrics=Metrics(),
        settings=WebOptions(),
    )
    transport = httpx.ASGITransport(app)
    with asyncio.Runner() as runner:
        client = httpx.AsyncClient(transport=transport, base_url="http://groundwatch")

        def get(path: str) -> object:
            return runner.run(client.get(path)).raise_for_status()

        yield get
        runner.run(client.aclose())
