"""The web over a store in memory, with a review desk and people who speak JSON."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from service.calibrations import calibrations_over
from service.health import Health
from service.metrics import Metrics
from service.policy import ReviewPolicy
from service.review.cases import CaseFilter
from service.store import MEMORY_URL, connect
from service.store.reviews import Desk
from service.web.app import create_app
from service.web.options import WebOptions
from service.web.ports import JudgeState
from tests.contract.reviewing import REVIEW, case, desk_of, flag, policy, reviewed_world, task
from tests.contract.world import NOW
from tests.contract.world import World as Store
from tests.unit.web.world import LOOP, RecordingIntake

HERE = "127.0.0.1"
ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"


class Reviewed:
    """``audit``: the share of answers that are audited; ``names``: answers, and what each cites
    for nothing."""

    def __init__(self, audit: float = 0.0, review: ReviewPolicy = REVIEW, **names: str) -> None:
        self.connection = connect(MEMORY_URL)
        self.store = reviewed_world(lambda **caps: Store(self.connection, **caps), audit, review)
        flag(self.store, names)
        self.desk: Desk = desk_of(self.connection, policy(audit, review))
        self.now_s = NOW / 1000
        self.app = create_app(
            intake=RecordingIntake(),
            cases=self.store.archive,
            tasks=self.store.store.tasks,
            books=self.store.archive.books,
            judge=JudgeState,
            counters=self.store.archive,
            desk=self.desk,
            secret=b"secret",
            health=Health(),
            metrics=Metrics(),
            settings=WebOptions(),
            calibrations=calibrations_over(
                # Each reading is minutes after the last one: nothing is remembered.
                self.store.store,
                28,
                lambda: self.now_s,
                itertools.count(0, 120).__next__,
            ),
            questions=self.store.store.questions,
            now=lambda: self.now_s,
        )

    def close(self) -> None:
        self.connection.client.close()

    def ask(
        self,
        method: str,
        path: str,
        reviewer: str | None = None,
        json: Any = None,
        token: str | None = None,
        version: int | None = None,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> httpx.Response:
        """POST and PUT send ``json``, ``{}`` without any."""
        sent = {
            "X-Reviewer": reviewer,
            "X-Lease-Token": token,
            "If-Match": None if version is None else f'"{version}"',
            **(headers or {}),
        }
        named = {name: value for name, value in sent.items() if value is not None}
        parts: dict[str, Any] = {"headers": named}
        if method in ("POST", "PUT"):
            parts["json"] = {} if json is None else json
        return self.request(method, path, **parts)

    def request(self, method: str, path: str, client: str = HERE, **parts: Any) -> httpx.Response:
        """``client``: the address that asks."""

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, client=(client, 1234))
            async with httpx.AsyncClient(transport=transport, base_url="http://groundwatch") as one:
                return await one.request(method, path, **parts)

        return LOOP.run_until_complete(ask())

    def get(self, path: str, reviewer: str | None = None) -> httpx.Response:
        return self.ask("GET", path, reviewer)

    def claim(self, path: str, reviewer: str = ANN) -> str:
        """The token of the lease."""
        claimed = self.ask("POST", f"{path}/lease", reviewer)
        assert claimed.status_code == 200, claimed.text
        return str(claimed.json()["token"])

    def save(self, path: str, json: Any, reviewer: str = ANN, version: int = 0) -> httpx.Response:
        token = self.claim(path, reviewer)
        return self.ask("PUT", f"{path}/label", reviewer, json, token, version)

    def finding(self, path: str) -> dict[str, Any]:
        """The first of a case, as a label names it."""
        found = self.get(path).json()["findings"][0]
        return {name: found[name] for name in ("check", "reason", "surface", "start")}

    def group(self) -> str:
        """The address of the first group."""
        [first, *_] = self.desk.groups(CaseFilter()).groups
        return f"/v1/groups/{first.group_id}"

    def pages(self, path: str, name: str) -> Iterator[dict[str, Any]]:
        """Each row of a list that is read two by two."""
        cursor = ""
        while cursor is not None:
            page = self.get(f"{path}?limit=2&cursor={cursor}").json()
            yield from page[name]
            cursor = page["next_cursor"]


def case_path(name: str) -> str:
    return f"/v1/cases/{case(name).partition(':')[2]}"


def task_path(name: str) -> str:
    return f"/v1/tasks/{task(name).partition(':')[2]}"
