"""One batch on its way: its line in the log, and what its span says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from structlog.testing import capture_logs

from service.bootstrap import Parts, build
from service.checks import CHECKS
from service.embedded import EmbeddedIntake
from service.events import trace_id_of
from service.ingest import Ingest
from service.metrics import Metrics
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.settings import Settings
from service.stages import Stages
from service.traces import MOST_LINKS, Span

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SECRET = "zQ-said"


class Recorder:
    """Keeps what it is given."""

    on = True

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def record(self, span: Span) -> str:
        self.spans.append(span)
        return "ab" * 16

    def close(self) -> None: ...


def event(event_id: str, **more: Any) -> bytes:
    body = {
        "event_id": event_id,
        "app": "support",
        "query": f"{SECRET}?",
        "retrieved": [{"ref": "pricing#plans", "text": SECRET}],
        "answer": f"{SECRET} [pricing#seats].",
    }
    return json.dumps(body | more).encode()


@pytest.fixture
def parts() -> Parts:
    quiet = AppPolicy(sampling=SamplingPolicy(audit=0))
    return build(Settings(), Policy(apps={"support": quiet}))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def intake(parts: Parts, recorder: Recorder, tmp_path: Any) -> Iterator[EmbeddedIntake]:
    ingest = Ingest(parts.store, parts.documents, parts.terms, parts.metrics, recorder)
    made = EmbeddedIntake(parts.store, ingest, tmp_path)
    made.open()
    yield made
    made.close()


def test_a_batch_is_one_line_of_numbers(intake: EmbeddedIntake) -> None:
    with capture_logs() as lines:
        intake.submit([event("a"), event("b", trace_id=SECRET), event("a"), b"{"])
    [line] = lines
    assert line.pop("seconds") > 0
    assert line == {
        "event": "batch", "log_level": "info", "source": "http", "partition": 0, "first": 0,
        "next": 4, "received": 4, "checked": 2, "duplicate": 1, "rejected": 1, "cases": 2,
        "trace_id": "ab" * 16,
    }  # fmt: skip


def test_a_batch_is_one_span_with_its_stages(intake: EmbeddedIntake, recorder: Recorder) -> None:
    ids = [f"{n:032x}" for n in range(1, MOST_LINKS + 9)]
    named = [event(name, trace_id=name) for name in ids]
    twice = event("twice", trace_id=ids[0])
    intake.submit([twice, event("odd", trace_id=SECRET), *named])
    [span] = recorder.spans
    assert [child.name for child in span.children] == [
        "parse", "lookup", "check", "store", "produce",
    ]  # fmt: skip
    assert span.links == tuple(ids[:MOST_LINKS])
    assert span.attributes["messaging.batch.message_count"] == len(ids) + 2
    times = [span.began_ns, *(child.began_ns for child in span.children), span.ended_ns]
    assert times == sorted(times)
    assert SECRET not in repr(span)


def test_without_traces_the_line_has_no_trace_id(parts: Parts, tmp_path: Any) -> None:
    made = EmbeddedIntake(parts.store, parts.ingest, tmp_path)
    made.open()
    with capture_logs() as lines:
        made.submit([event("a", trace_id=TRACE)])
    made.close()
    assert "trace_id" not in lines[0]


def test_a_stage_that_raised_failed() -> None:
    ticks = count()
    stages = Stages(Metrics(), clock_ns=lambda: next(ticks))
    with pytest.raises(ZeroDivisionError), stages.time("store"):
        raise ZeroDivisionError
    with stages.time("store"):
        pass
    assert [(span.failed, span.began_ns, span.ended_ns) for span in stages.spans] == [
        (True, 1, 2), (False, 3, 4),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (TRACE, TRACE),
        (TRACE.upper(), TRACE),
        (f"00-{TRACE}-00f067aa0ba902b7-01", TRACE),
        ("0" * 32, ""),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", ""),
        (TRACE[:-1], ""),
        (f"{TRACE} and more", ""),
        (f"{TRACE}\n", ""),
        (SECRET, ""),
        (None, ""),
        ("", ""),
    ],
)
def test_only_a_w3c_trace_id_is_one(told: str | None, found: str) -> None:
    assert trace_id_of(told) == found


def test_each_check_is_timed(intake: EmbeddedIntake, parts: Parts) -> None:
    assert check_seconds(parts) == dict.fromkeys(CHECKS, 0.0)
    intake.submit([event(f"e{n}") for n in range(20)])
    assert all(seconds > 0 for seconds in check_seconds(parts).values())


def check_seconds(parts: Parts) -> dict[str, float]:
    value, name = parts.metrics.registry.get_sample_value, "groundwatch_check_seconds_total"
    return {check: value(name, {"check": check}) or 0.0 for check in CHECKS}


def test_what_lies_between_two_groups_of_answers_is_no_check_s_time(monkeypatch) -> None:
    clock = iter([1.0, 1.5, 4.0, 9.0, 9.25])
    monkeypatch.setattr("service.stages.time.perf_counter", lambda: next(clock))
    stages = Stages(Metrics())
    for check in ("", "citations", "numbers", "", "citations"):
        stages.lap(check)
    assert stages.check_seconds == {"citations": 0.75, "numbers": 2.5}


def test_what_others_do_between_two_parts_of_a_stage_is_not_its_time(monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr("service.stages.time.perf_counter", lambda: now[0])
    metrics = Metrics()
    stages = Stages(metrics, clock_ns=lambda: int(now[0] * 1e9))

    def work(seconds: float) -> None:
        now[0] += seconds

    def fail_after(seconds: float) -> None:
        work(seconds)
        raise OSError("away")

    timer = stages.timer("store")
    with timer.part():
        work(1)
    work(30)
    assert stages.spans == []
    with timer.last():
        work(2)
    broken = stages.timer("store")
    with pytest.raises(OSError, match="away"), broken.part():
        fail_after(4)
    told = [(span.name, span.began_ns, span.ended_ns, span.failed) for span in stages.spans]
    assert told == [
        ("store", 0, 33_000_000_000, False), ("store", 33_000_000_000, 37_000_000_000, True),
    ]  # fmt: skip
    spent = metrics.registry.get_sample_value(
        "groundwatch_batch_stage_seconds_sum", {"stage": "store"}
    )
    assert spent == 7
