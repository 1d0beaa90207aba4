"""Traces over OTLP/HTTP, as a collector decodes them; and what one that is away costs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from service.demo.scripted_judge import ScriptedJudge
from service.demo.scripted_rulings import Oracle
from service.traces import Span
from service.traces.otlp import CLOSE_S, QUEUE, OtlpTraces
from tests.integration.world import World, answer_event
from tests.servers.collector import Collector, attributes
from tests.servers.kafka import free_port

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SECRET = "zQ-what-was-said"
EVERYTHING = (
    "default: &all {sampling: {audit: 0, flagged_high: 1, flagged: 1, abstained: 1, "
    "low_overlap: 1, rest: 1}}\napps: {support: *all}"
)


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        yield made


def span(name: str = "batch", **parts: Any) -> Span:
    return Span(name, 1_000, 9_000, **parts)


def test_a_span_arrives_as_it_was_recorded(collector: Collector) -> None:
    traces = OtlpTraces(collector.endpoint)
    store = Span("store", 2_000, 3_000, failed=True)
    trace_id = traces.record(
        span(attributes={"groundwatch.first": 7}, children=[store], links=[TRACE])
    )
    other = traces.record(span("judge"))
    traces.close()
    arrived = {each.name: each for each in collector.spans}
    assert set(arrived) == {"batch", "store", "judge"}
    batch, child = arrived["batch"], arrived["store"]
    assert batch.trace_id.hex() == child.trace_id.hex() == trace_id != other
    assert (batch.parent_span_id, child.parent_span_id) == (b"", batch.span_id)
    assert (batch.start_time_unix_nano, batch.end_time_unix_nano) == (1_000, 9_000)
    assert attributes(batch) == {"groundwatch.first": 7}
    assert [link.trace_id.hex() for link in batch.links] == [TRACE]
    assert (batch.status.code, child.status.code) == (0, 2)


def test_consumers_and_judges_trace_what_they_do(
    make_world: Callable[..., World], collector: Collector
) -> None:
    with ScriptedJudge(Oracle(lambda *_: False)) as endpoint:
        world = make_world(
            partitions=1,
            judge_base_url=endpoint.base_url,
            judge_model="scripted-oracle",
            judge_flip_share=0,
            traces_endpoint=collector.endpoint,
        )
        Path(world.environment["GROUNDWATCH_POLICY"]).write_text(EVERYTHING)
        world.send_all(answer_event("a", trace_id=TRACE, query=SECRET), b"{", answer_event("b"))
        world.consume()
        world.judge()
        collector.until(lambda now: [one.name for one in now].count("judge") == 2)
        for process in world.processes:
            assert world.stop(process) == 0
    spans = collector.spans  # the consumer may have sent its own as late as on its way out
    batches = [one for one in spans if attributes(one).get("groundwatch.received") == 3]
    [batch] = batches
    assert attributes(batch)["messaging.destination.name"] == world.answers
    assert attributes(batch)["groundwatch.rejected"] == 1
    assert [link.trace_id.hex() for link in batch.links] == [TRACE]
    stages = [one.name for one in spans if one.parent_span_id == batch.span_id]
    assert sorted(stages) == ["check", "lookup", "parse", "produce", "store"]
    assert f'"trace_id": "{batch.trace_id.hex()}"' in world.log(0)
    judged = [one for one in spans if one.name == "judge"]
    assert {attributes(one)["groundwatch.status"] for one in judged} == {"judged"}
    assert sorted(len(one.links) for one in judged) == [0, 1]
    assert not any(SECRET.encode() in body for body in collector.bodies)


@pytest.mark.parametrize("status", ["away", None, 503, 400])
def test_a_collector_that_fails_costs_nothing_but_the_spans(status: Any) -> None:
    with Collector(None if status == "away" else status) as collector:
        away = f"http://127.0.0.1:{free_port()}/v1/traces"
        traces = OtlpTraces(away if status == "away" else collector.endpoint)
        with capture_logs() as lines:
            began = time.process_time(), time.monotonic()
            for _ in range(3 * QUEUE):
                traces.record(span(children=[span("store")]))
            assert time.monotonic() - began[1] < 5
            ended = time.monotonic()
            traces.close()
            assert time.monotonic() - ended < CLOSE_S + 1
    assert len(lines) <= 1
    assert all(line["event"] == "traces_lost" for line in lines)


def test_the_log_hears_once_that_spans_are_lost_and_once_that_they_arrive(
    collector: Collector,
) -> None:
    collector.status = 400
    traces = OtlpTraces(collector.endpoint)
    with capture_logs() as lines:
        for _ in range(3):
            collector.bodies.clear()
            traces.record(span())
            collector.until(bool)
        collector.status = 200
        traces.record(span())
        traces.close()
    assert [line["event"] for line in lines] == ["traces_lost", "traces_arrive_again"]


def test_nothing_of_it_is_loaded_where_it_is_off() -> None:
    # Parts of the SDK are loaded all the same: redis-py looks for its metrics.
    ours = ("service.traces.otlp", "opentelemetry.exporter", "opentelemetry.sdk.trace")
    program = (
        "import sys; from service.bootstrap import build; from service.settings import Settings; "
        "parts = build(Settings()); assert not parts.traces.on; "
        f"sys.exit(any(name.startswith({ours}) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
