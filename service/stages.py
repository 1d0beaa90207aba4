"""One batch on its way: how long each stage took, for the metrics, the log and the traces."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice

import structlog

from service.accounting import partition_counts
from service.events import Rejection, trace_id_of
from service.metrics import Metrics, Stage
from service.pipeline import Batch, Effects
from service.store import Applied
from service.traces import MOST_LINKS, NO_TRACES, Span, Traces

log = structlog.get_logger(__name__)


class StageTimer:
    """``with timer.part(): …``, as often as need be, then ``with timer.last(): …``. A part that
    raises is the last one. ``ended`` is told the span, from first to last, and the seconds at work.
    """

    def __init__(
        self, stage: Stage, clock_ns: Callable[[], int], ended: Callable[[Span, float], None]
    ) -> None:
        self._stage = stage
        self._clock_ns = clock_ns
        self._ended = ended
        self._began_ns: int | None = None
        self._seconds = 0.0

    def part(self) -> AbstractContextManager[None]:
        return self._time(is_last=False)

    def last(self) -> AbstractContextManager[None]:
        return self._time(is_last=True)

    @contextmanager
    def _time(self, *, is_last: bool) -> Iterator[None]:
        if self._began_ns is None:
            self._began_ns = self._clock_ns()
        began, failed = time.perf_counter(), True
        try:
            yield
            failed = False
        finally:
            self._seconds += time.perf_counter() - began
            if is_last or failed:
                span = Span(self._stage, self._began_ns, self._clock_ns(), failed=failed)
                self._ended(span, self._seconds)


class Stages:
    """``clock_ns``: since 1970."""

    def __init__(
        self,
        metrics: Metrics,
        traces: Traces = NO_TRACES,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._metrics = metrics
        self._traces = traces
        self._clock_ns = clock_ns
        self._began_ns = clock_ns()
        self.spans: list[Span] = []
        self.check_seconds: dict[str, float] = {}
        self._lap_began = 0.0

    def lap(self, check: str) -> None:
        """Since the last lap, this check was at work; none was before the first one."""
        now = time.perf_counter()
        if check:
            spent = self.check_seconds.get(check, 0.0) + now - self._lap_began
            self.check_seconds[check] = spent
        self._lap_began = now

    def time(self, stage: Stage) -> AbstractContextManager[None]:
        """``with stages.time("check"): …``; a stage may come more than once."""
        return self.timer(stage).last()

    def timer(self, stage: Stage) -> StageTimer:
        """Of a stage in parts: what others do between them is not its time."""
        return StageTimer(stage, self._clock_ns, self._ended)

    def _ended(self, span: Span, seconds: float) -> None:
        self._metrics.observe_stage(span.name, seconds)
        self.spans.append(span)

    def close(self, effects: Effects, applied: Applied) -> None:
        """The batch is stored and on record: one line in the log, one span."""
        batch, ended = effects.batch, self._clock_ns()
        self._metrics.observe_check_seconds(self.check_seconds)
        counts = {
            "received": batch.received,
            **partition_counts(effects.rows),
            "cases": applied.cases,
            "lost": sum(batch.lost.values()),
        }
        trace_id = self._record(effects, counts, ended) if self._traces.on else ""
        log.info(
            "batch",
            source=batch.source,
            partition=batch.partition,
            first=batch.first,
            next=batch.next,
            **{name: number for name, number in counts.items() if number},
            seconds=round((ended - self._began_ns) / 1e9, 4),
            **({"trace_id": trace_id} if trace_id else {}),
        )

    def _record(self, effects: Effects, counts: dict[str, int], ended_ns: int) -> str:
        batch = effects.batch
        attributes: dict[str, str | int] = {
            "messaging.destination.name": batch.source,
            "messaging.destination.partition.id": str(batch.partition),
            "messaging.batch.message_count": batch.received,
            "groundwatch.first": batch.first,
            "groundwatch.next": batch.next,
        }
        attributes |= {f"groundwatch.{name}": number for name, number in counts.items()}
        return self._traces.record(
            Span("batch", self._began_ns, ended_ns, attributes, self.spans, _links(batch))
        )


def _links(batch: Batch) -> tuple[str, ...]:
    """Trace ids of its answers, each once, the first ones."""
    told = (
        trace_id_of(item.event.trace_id)
        for item in batch.items
        if not isinstance(item.event, Rejection)
    )
    return tuple(islice(dict.fromkeys(filter(None, told)), MOST_LINKS))
