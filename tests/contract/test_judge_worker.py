"""The worker's readiness: what waits for a dependency shows until that very thing went well."""

from __future__ import annotations

import asyncio
from typing import Any

from consumers.judge import JudgeOptions, JudgeWorker
from service.health import Health
from service.metrics import Metrics
from service.outage import Outage
from tests.contract.world import MakeWorld


def test_what_goes_well_elsewhere_does_not_hide_what_waits(make_world: MakeWorld) -> None:
    unused: Any = None
    health = Health()
    worker = JudgeWorker(
        make_world().store, unused, unused, unused, Metrics(), health, JudgeOptions(says="asks m")
    )  # fmt: skip
    away = {"kafka", "redis"}

    def asking(name: str) -> None:
        if name in away:
            raise Outage(f"{name} is away")

    async def wait(name: str) -> None:
        await worker._patiently(lambda: asking(name))

    def told() -> tuple[bool, str]:
        ready, conditions = health.ready()
        return ready, conditions["judge"].detail

    async def run() -> None:
        waits = {name: asyncio.create_task(wait(name)) for name in ("kafka", "redis")}
        await asyncio.sleep(0.2)
        await wait("nothing")
        assert told()[0] is False
        away.remove("redis")
        await waits["redis"]
        await wait("nothing")
        assert told() == (False, "kafka is away")
        away.clear()
        await waits["kafka"]
        assert told() == (True, "asks m")

    asyncio.run(run())
