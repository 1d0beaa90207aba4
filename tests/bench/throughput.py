"""How fast one or two consumer processes work off a filled topic, and what CPU that takes."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from service.metrics import Stage
from tests.bench.installation import Consumer, Installation
from tests.bench.machine import cpu_seconds, stolen
from tests.bench.memory import by_family
from tests.bench.servers import Filled, Servers

SAMPLE_S = 0.05
TARGET_PER_S = 2_000
"""Answers a second that one consumer is to do, of the Zipf run."""
STAGES: tuple[Stage, ...] = ("parse", "lookup", "check", "store", "produce")


@dataclass(frozen=True)
class Throughput:
    """``per_s``: answers a second from the first stored batch to the last. ``steady_per_s``: while
    all partitions were under way. ``cpu_ms``: milliseconds of CPU an answer, by process (what
    serves ``received`` polls is in Redis' share). ``stage_ms``: milliseconds an answer on the
    clock, by stage. ``memory``: bytes an answer in Redis, by family of keys. ``stolen``: the share
    of the machine's CPU that the hypervisor gave to others meanwhile."""

    consumers: int
    events: int
    per_s: float
    steady_per_s: float
    cpu_ms: dict[str, float]
    stage_ms: dict[str, float]
    memory: dict[str, float]
    flagged: int
    imbalance: int
    stolen: float

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def measure(servers: Servers, filled: Filled, consumers: int, folder: Path) -> Throughput:
    folder.mkdir(parents=True)
    installation = Installation(servers, filled, folder)
    memory = installation.parts.store.connection.client.info("memory")["used_memory"]
    with installation.consumers(consumers) as started:
        stolen_before, ticks_before = stolen()
        installation.release()
        samples, cpu = _watch(servers, installation, started, filled.events)
        stolen_after, ticks_after = stolen()
        stages = _stages(started)
    books = installation.parts.store.archive.books()
    (begin, first), (end, last) = samples[0], samples[-1]
    counted = sum(last) - sum(first)
    # The CPU of the batches stored before the first sample was not watched either.
    per_answer = 1_000 / counted
    grown = installation.parts.store.connection.client.info("memory")["used_memory"] - memory
    return Throughput(
        consumers=consumers,
        events=filled.events,
        per_s=counted / (end - begin),
        steady_per_s=_steady(samples),
        cpu_ms={name: seconds * per_answer for name, seconds in cpu.items()},
        stage_ms={name: seconds * 1_000 / filled.events for name, seconds in stages.items()},
        memory={
            "used_memory": grown / filled.events,
            **by_family(installation.parts.store.connection, filled.events),
        },
        flagged=books.totals.get("flagged", 0),
        imbalance=sum(abs(equation.imbalance) for equation in books.equations),
        stolen=(stolen_after - stolen_before) / max(1, ticks_after - ticks_before),
    )


Sample = tuple[float, list[int]]
"""(seconds, records in the books by partition)."""


def _watch(
    servers: Servers, installation: Installation, consumers: list[Consumer], events: int
) -> tuple[list[Sample], dict[str, float]]:
    pids = {f"consumer {n + 1}": consumer.pid for n, consumer in enumerate(consumers)}
    pids |= {"redis": servers.redis_pid or 0, "broker": servers.broker_pid or 0}
    samples: list[Sample] = []
    before: dict[str, float] = {}
    give_up = time.monotonic() + 60 + events / 100
    while True:
        received = installation.received()
        if sum(received) and not samples:
            before = {name: cpu_seconds(pid or None) for name, pid in pids.items()}
        if sum(received):
            samples.append((time.monotonic(), received))
        if sum(received) >= events:
            break
        if time.monotonic() > give_up:
            raise SystemExit(f"only {received} of {events} records; see {installation.folder}")
        time.sleep(SAMPLE_S)
    after = {name: cpu_seconds(pid or None) for name, pid in pids.items()}
    return samples, {name: after[name] - before[name] for name in pids}


def _steady(samples: list[Sample]) -> float:
    """Between the first sample at which every partition has begun and the first at which one of
    them is done; 0 when too short to say."""
    done = samples[-1][1]
    window = [
        sample
        for sample in samples
        if all(sample[1]) and all(n < all_n for n, all_n in zip(sample[1], done, strict=True))
    ]
    if len(window) < 10:
        return 0.0
    (begin, first), (end, last) = window[0], window[-1]
    return (sum(last) - sum(first)) / (end - begin)


def _stages(consumers: list[Consumer]) -> dict[str, float]:
    sums = dict.fromkeys(STAGES, 0.0)
    for consumer in consumers:
        metrics = consumer.metrics()
        for stage in STAGES:
            sums[stage] += metrics[f'groundwatch_batch_stage_seconds_sum{{stage="{stage}"}}']
    return {str(stage): seconds for stage, seconds in sums.items()}
