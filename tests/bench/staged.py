"""One consumer in this process with a stop-watch around each stage. Prints one line of JSON.

``python -m tests.bench.staged TOPIC EVENTS FOLDER``, settings from the environment as for
``consume``. The stop-watches read the CPU time of the thread that they run in; what the Kafka
clients' IO threads use is the rest of the process. Stages do not overlap: an inner one is taken
off the outer one.
"""

from __future__ import annotations

import functools
import json
import logging
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from consumers import answers, delivery
from consumers.kafka import PartitionConsumer, RecordProducer
from consumers.runtime import answers_consumer
from service import ingest, pipeline
from service.bootstrap import build
from service.checks import running
from service.documents import Documents
from service.health import Health
from service.logs import configure_logging
from service.metrics import Metrics
from service.settings import load_settings
from service.store.connection import Connection
from service.store.ledger import Ledger


class Stopwatch:
    """CPU seconds by stage, each in the thread that it runs in. ``aside``: those of other threads
    than the main one."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.aside = 0.0
        self._threads = threading.local()

    def clear(self) -> None:
        self.seconds.clear()
        self.aside = 0.0

    def _inner(self) -> list[float]:
        """What the stages under way in this thread spent in stages within them."""
        if not hasattr(self._threads, "inner"):
            self._threads.inner = [0.0]
        inner: list[float] = self._threads.inner
        return inner

    def around(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        clock, seconds = time.thread_time, self.seconds

        @functools.wraps(call)
        def timed(*positional: Any, **named: Any) -> Any:
            inner = self._inner()
            inner.append(0.0)
            began = clock()
            try:
                return call(*positional, **named)
            finally:
                spent = clock() - began
                own = spent - inner.pop()
                inner[-1] += spent
                seconds[stage] += own
                if threading.current_thread() is not threading.main_thread():
                    self.aside += own

        return timed


def main(topic: str, events: int) -> None:
    configure_logging("error")
    logging.getLogger("kafka").setLevel(logging.ERROR)
    watch = Stopwatch()
    for owner, name, stage in (
        (PartitionConsumer, "poll", "poll"),
        (PartitionConsumer, "pause", "poll"),
        (PartitionConsumer, "resume", "poll"),
        (PartitionConsumer, "commit", "commit"),
        (answers, "window", "window"),
        (pipeline, "parse_event", "parse"),
        (pipeline, "read_citations", "check:citations"),
        (pipeline, "draft_case", "cases"),
        (ingest, "process", "rows, sampling"),
        (Documents, "get", "lookup"),
        (Ledger, "look_up", "lookup"),
        (Ledger, "apply", "encode effects"),
        (Ledger, "outbox", "outbox"),
        (Ledger, "clear_outbox", "outbox"),
        (Ledger, "has_room", "store script"),
        (Connection, "run", "store script"),
        (ingest.Ingest, "record_bytes", "encode effects"),
        (RecordProducer, "send", "produce"),
        (delivery.Courier, "_send", "produce"),
        (Metrics, "observe_rows", "metrics"),
        (answers.AnswersConsumer, "turn", "loop"),
    ):
        setattr(owner, name, watch.around(stage, getattr(owner, name)))
    running._CHECKS = {
        name: watch.around(f"check:{name}", check) for name, check in running._CHECKS.items()
    }
    parts = build(load_settings())
    client, key = parts.store.connection.client, parts.store.connection.keys.totals
    stop = threading.Event()
    with answers_consumer(parts, Health(expects=("group",)), "earliest") as consumer:
        while not client.hget(key, "checked"):
            consumer.turn()
        watch.clear()
        before, wall, cpu, thread = _done(client, key), *_clocks()
        while (done := _done(client, key)) < events:
            for _ in range(20):
                consumer.turn()
        wall, cpu, thread = (
            now - then for now, then in zip(_clocks(), (wall, cpu, thread), strict=True)
        )
        stop.set()
        consumer.run(stop)
    per_answer = 1_000 / (done - before)
    stages = {stage: seconds * per_answer for stage, seconds in watch.seconds.items()}
    stages["client threads"] = (cpu - thread - watch.aside) * per_answer
    print(
        json.dumps(
            {"stages": stages, "cpu_ms": cpu * per_answer, "per_s": 1_000 / (wall * per_answer)}
        )
    )


def _clocks() -> tuple[float, float, float]:
    return time.monotonic(), time.process_time(), time.thread_time()


def _done(client: Any, key: str) -> int:
    totals = client.hmget(key, "checked", "rejected", "duplicate", "recorded")
    return sum(int(total or 0) for total in totals)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
