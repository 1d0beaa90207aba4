"""Spans over OTLP/HTTP, by the OpenTelemetry SDK. The only module that imports it.

A collector that is away costs nothing but the spans: the queue is bounded, a thread of the SDK
sends, each attempt has a time limit, and the log hears of it once, not with every batch.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from importlib.metadata import version

import structlog
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import (
    Link,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    format_trace_id,
    set_span_in_context,
)

from service.traces import MOST_LINKS, Span

log = structlog.get_logger(__name__)

QUEUE = 2_048
AT_ONCE = 256
EVERY_MS = 2_000
TIMEOUT_S = 5.0
CLOSE_S = 3.0
"""At the end of the process; a collector that is away must not hold it up."""


class OtlpTraces:
    """``endpoint``: the whole URL, ``http://collector:4318/v1/traces``. Headers, certificates and
    the sampler follow the SDK's own ``OTEL_*`` variables."""

    on = True

    def __init__(self, endpoint: str) -> None:
        # It would say with every batch what we say once.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        named = {
            "service.name": "groundwatch",
            "service.version": version("groundwatch"),
        }
        self._provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
        self._exporter = _Telling(OTLPSpanExporter(endpoint, timeout=TIMEOUT_S))
        self._provider.add_span_processor(
            BatchSpanProcessor(self._exporter, QUEUE, EVERY_MS, AT_ONCE)
        )
        self._tracer = self._provider.get_tracer("groundwatch")

    def record(self, span: Span) -> str:
        # A context of its own: a span has no parent but the one that it is given.
        return format_trace_id(_record(self._tracer, span, Context()))

    def close(self) -> None:
        closing = threading.Thread(target=self._provider.shutdown, name="traces", daemon=True)
        closing.start()
        closing.join(CLOSE_S)
        self._exporter.hush()


def _record(tracer: Tracer, span: Span, parent: Context) -> int:
    made = tracer.start_span(
        span.name,
        context=parent,
        attributes=span.attributes,
        links=[_link(trace_id) for trace_id in span.links[:MOST_LINKS]],
        start_time=span.began_ns,
    )
    if span.failed:
        made.set_status(Status(StatusCode.ERROR))
    within = set_span_in_context(made, parent)
    for child in span.children:
        _record(tracer, child, within)
    made.end(end_time=span.ended_ns)
    return made.get_span_context().trace_id


def _link(trace_id: str) -> Link:
    """To a trace as a whole: which span of it gave the answer, nobody told. The SDK takes a link
    without a span where it has an attribute."""
    context = SpanContext(int(trace_id, 16), 0, is_remote=True, trace_flags=TraceFlags(1))
    return Link(context, {"groundwatch.link": "answer"})


class _Telling(SpanExporter):
    """Says once that spans are lost, and once that they are not any more."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._lost = 0
        self._hushed = False
        self._lock = threading.Lock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        # At the end the thread that closes sends too, beside the one that did until then.
        with self._lock:
            if not self._hushed:
                self._tell(result is SpanExportResult.SUCCESS, len(spans))
        return result

    def hush(self) -> None:
        """What is given up at the end may fail for a while yet, and nobody could mend it."""
        self._hushed = True

    def _tell(self, arrived: bool, spans: int) -> None:
        if arrived:
            if self._lost:
                log.info("traces_arrive_again", lost=self._lost)
            self._lost = 0
        else:
            if not self._lost:
                log.warning("traces_lost", mend="see GROUNDWATCH_TRACES_ENDPOINT")
            self._lost += spans

    def shutdown(self) -> None:
        self._exporter.shutdown()
