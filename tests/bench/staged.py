"""One consumer in this process with a stop-watch around each stage. Prints one line of JSON.

``python -m tests.bench.staged TOPIC EVENTS FOLDER``, settings from the environment as for
``consume``. The stop-watches read the CPU time of the consumer's own thread; what the Kafka
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
from service.store.ledger import Applying, Ledger, LookUp


class Stopwatch:
    """CPU seconds of this thread by stage."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inner = [0.0]

    def around(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        clock, seconds, inner = time.thread_time, self.seconds, self._inner

        @functools.wraps(call)
        def timed(*positional: Any, **named: Any) -> Any:
            inner.append(0.0)
            began = clock()
            try:
                return call(*positional, **named)
            finally:
                spent = clock() - began
                seconds[stage] += spent - inner.pop()
                inner[-1] += spent

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
        (Ledger, "begin_look_up", "lookup"),
        (LookUp, "result", "lookup"),
        (Ledger, "begin", "encode effects"),
        (Applying, "result", "store script"),
        (Ledger, "outbox", "outbox"),
        (Ledger, "clear_outbox", "outbox"),
        (Ledger, "has_room", "store script"),
        (Connection, "run", "store script"),
        (Connection, "begin", "store script"),
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
        watch.seconds.clear()
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
    stages["client threads"] = (cpu - thread) * per_answer
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
