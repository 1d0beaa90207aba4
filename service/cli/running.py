"""The processes: serve, consume, judge."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Annotated

import structlog
import typer

from service.bootstrap import Parts, build, controller
from service.cli.serving import check_door, serve_pages
from service.cli.shared import embedded_intake, patiently, settings_of, start_of, stop_on_signals
from service.controller import ControllerKeeper
from service.embedded import EmbeddedIntake
from service.health import Health
from service.intake import Intake
from service.outage import Misconfiguration, Outage
from service.settings import Settings

if TYPE_CHECKING:
    from consumers.kafka.topics import Start
log = structlog.get_logger(__name__)


def serve(
    host: Annotated[str | None, typer.Option(help="Where to listen [default: 127.0.0.1].")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port [default: 8321]; 0 takes any free one.")
    ] = None,
) -> None:
    """Pages and HTTP API; with no Kafka configured also the monitor itself (embedded).

    Send an event to `POST /v1/answers`, look at it under `/queue`. `/metrics`, `/healthz` and
    `/readyz` are for Prometheus and the orchestrator.

    On loopback nobody is asked who they are. Elsewhere it needs `GROUNDWATCH_AUTH=required`, with
    keys for machines (`groundwatch keys`) and a proxy that signs people in.
    """
    settings = settings_of(host=host, port=port)
    check_door(settings)
    parts = build(settings)
    with contextlib.ExitStack() as stack:
        intake: Intake
        if settings.embedded:
            intake = stack.enter_context(embedded_intake(parts, settings.data_dir))
            log.info("embedded", data_dir=str(settings.data_dir))
            sink: EmbeddedIntake | None = intake
        else:
            from consumers import runtime

            intake, sink = stack.enter_context(runtime.kafka_intake(parts)), None
        serve_pages(parts, intake, settings, sink)


def consume(
    start: Annotated[
        str,
        typer.Option(
            "--from",
            help="Where a first start begins: earliest, latest, or a time such as "
            "2026-11-30T08:00:00Z. Later starts go on from the checkpoint.",
        ),
    ] = "earliest",
    metrics_port: Annotated[
        int | None, typer.Option(help="Port of /metrics, /healthz and /readyz [default: 9464].")
    ] = None,
) -> None:
    """Reads answers from Kafka, checks them, stores the effects. One process, one consumer.

    Run as many as the topic has partitions; they share them. SIGTERM drains, flushes and commits.
    """
    from consumers import runtime
    from service.probes import serve_probes

    settings = settings_of(metrics_port=metrics_port)
    begin = start_of(start)
    stop = stop_on_signals()
    health = Health(expects=("group", "kafka", "redis"))
    parts = patiently(lambda: build(settings), stop)
    if parts is None:
        return
    probes = serve_probes(settings.metrics_host, settings.metrics_port, health, parts.metrics)
    log.info("probes", port=probes.port)
    try:
        with runtime.feedback_thread(parts, health):
            _consume(parts, health, begin, stop)
    finally:
        probes.close()
        parts.traces.close()
    log.info("stopped")


def _consume(parts: Parts, health: Health, begin: Start, stop: threading.Event) -> None:
    """Until ``stop`` is set, however often Kafka is away at the start."""
    from consumers import runtime

    settings = parts.settings
    while not stop.is_set():
        try:
            with runtime.answers_consumer(parts, health, begin) as consumer:
                log.info("consuming", topic=settings.topic_answers, group=settings.group)
                consumer.run(stop)
        except Outage as outage:
            health.set("kafka", False, str(outage))
            log.error("outage", dependency="kafka", error=str(outage))
            health.tick()
            stop.wait(2.0)


def judge(
    metrics_port: Annotated[
        int | None, typer.Option(help="Port of /metrics, /healthz and /readyz [default: 9464].")
    ] = None,
) -> None:
    """Rules on the answers that were drawn for the judge, claim by claim.

    Asks the OpenAI-compatible endpoint `GROUNDWATCH_JUDGE_BASE_URL` for the model
    `GROUNDWATCH_JUDGE_MODEL`. Run as many as you like; they share the jobs and the budget. Without
    Kafka, `serve` does this itself.
    """
    from consumers import runtime
    from consumers.judge import run_judge
    from service.probes import serve_probes

    settings = settings_of(metrics_port=metrics_port)
    _require_judge(settings)
    stop = stop_on_signals()
    health = Health(expects=("judge",))
    parts = patiently(lambda: build(settings), stop)
    if parts is None:
        return
    probes = serve_probes(settings.metrics_host, settings.metrics_port, health, parts.metrics)
    keeper = ControllerKeeper(controller(parts))
    keeper.start()
    log.info("probes", port=probes.port)
    log.info("judging", model=settings.judge_model)
    try:
        with runtime.verdict_sink(parts, health) as sink:
            asyncio.run(run_judge(parts, sink, health, stop))
    finally:
        keeper.close()
        probes.close()
        parts.traces.close()
    log.info("stopped")


def _require_judge(settings: Settings) -> None:
    if not settings.judging:
        raise Misconfiguration(
            "the judge is off: set GROUNDWATCH_JUDGE_BASE_URL and GROUNDWATCH_JUDGE_MODEL"
        )
    if settings.embedded:
        raise Misconfiguration(
            "without Kafka the judge runs in `groundwatch serve`; else set "
            "GROUNDWATCH_KAFKA_BOOTSTRAP=host:port"
        )
