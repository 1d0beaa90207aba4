"""The demo: bundled answers through the embedded monitor."""

from __future__ import annotations

import contextlib
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.live import Live

from service.bootstrap import Parts, build
from service.cli.printing import print_books_line, print_judged, print_waiting, summary_table
from service.cli.serving import judge_thread, serve_pages
from service.cli.shared import embedded_intake, out, progress
from service.embedded import EmbeddedIntake
from service.health import Health
from service.logs import configure_logging
from service.replay import Summary
from service.settings import (
    Settings,
    load_settings,
    parse_policy,
)

if TYPE_CHECKING:
    pass


def demo(
    port: Annotated[
        int | None, typer.Option(help="Port [default: 8321]; 0 takes any free one.")
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Print the summary and end, without serving.")
    ] = False,
    delay_ms: Annotated[
        int, typer.Option(help="Pause between two events, so that one can watch.", min=0)
    ] = 15,
    with_scripted_judge: Annotated[
        bool,
        typer.Option(
            "--with-scripted-judge",
            help="Show judged cases too. No model rules: a script does, and each page says so.",
        ),
    ] = False,
) -> None:
    """Streams the bundled answers and serves the filled queue.

    Two days of an invented product's support answers, German and English, two releases. Needs no
    Kafka, no Redis, no key, and keeps nothing.
    """
    from service import demo as bundled

    configure_logging("warning")
    policy = parse_policy(bundled.policy(judged=with_scripted_judge), "of the demo")
    with contextlib.ExitStack() as stack:
        settings = _demo_settings(port, stack if with_scripted_judge else None)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="groundwatch-demo-"))
        parts = build(settings, policy)
        chunks = bundled.load_knowledge_base()
        parts.documents.load((chunk["ref"], chunk["text"]) for chunk in chunks)
        intake = stack.enter_context(
            embedded_intake(parts, Path(folder), clock_ms=lambda: DEMO_NOW_MS)
        )
        _stream_demo(intake, bundled.load_events(), 0.0 if once else delay_ms / 1000)
        if settings.judging:
            _judge_demo(parts, intake)
        print_books_line(parts.store.archive.books())
        print_waiting(parts.store)
        if not once:
            out.print("Ctrl-C ends the demo; nothing is kept.")
            sink = intake if settings.judging else None
            serve_pages(
                parts, intake, settings, sink, settings.judging, now=lambda: DEMO_NOW_MS / 1000
            )


DEMO_NOW_MS = int(datetime(2026, 11, 30, 9, tzinfo=UTC).timestamp() * 1000)
"""The bundled events are of fixed days; "now" is the hour after the last one."""
DEMO_JUDGING_S = 120.0


def _demo_settings(port: int | None, judged: contextlib.ExitStack | None) -> Settings:
    """``judged``: where the scripted judge lives; None for a demo without one."""
    from service.demo import SAMPLING_SECRET

    fixed: dict[str, Any] = {"port": port, "sampling_secret": SAMPLING_SECRET}
    if judged is not None:
        from service.demo.scripted_judge import MODEL, demo_judge

        judge = judged.enter_context(demo_judge())
        fixed |= {"judge_base_url": judge.base_url, "judge_model": MODEL, "judge_concurrency": 8}
    return load_settings({}, **fixed)


def _stream_demo(intake: EmbeddedIntake, events: list[bytes], pause_s: float) -> None:
    summary = Summary()
    with Live(summary_table(summary), console=out, refresh_per_second=12) as live:
        for event in events:
            for receipt in intake.submit([event]):
                summary.add(receipt)
            live.update(summary_table(summary))
            time.sleep(pause_s)


def _judge_demo(parts: Parts, intake: EmbeddedIntake) -> None:
    """Let the script rule on everything that was drawn."""
    judging = judge_thread(parts, intake, Health(), scripted=True)
    until = time.monotonic() + DEMO_JUDGING_S
    try:
        with progress("judging") as tell:
            while (waiting := parts.store.jobs.pending()) and time.monotonic() < until:
                tell(f"{waiting} answers wait")
                time.sleep(0.1)
    finally:
        judging.close()
    print_judged(parts.store)
