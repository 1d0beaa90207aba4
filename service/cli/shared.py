"""What the commands share: settings, errors, signals, the embedded intake, progress."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import structlog
import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from service.bootstrap import Parts
from service.embedded import EmbeddedIntake
from service.logs import configure_logging
from service.outage import Misconfiguration, Outage
from service.settings import (
    Settings,
    load_settings,
)

if TYPE_CHECKING:
    from consumers.kafka import TopicFacts
    from consumers.kafka.topics import Start
log = structlog.get_logger(__name__)
out = Console()
err = Console(stderr=True)


def settings_of(*, quiet: bool = False, **overrides: Any) -> Settings:
    settings = load_settings(**overrides)
    configure_logging("warning" if quiet else settings.log_level, settings.log_format)
    return settings


def need_redis(settings: Settings) -> None:
    if settings.redis_url == "memory://":
        raise Misconfiguration(
            "this command works on a Redis store: set GROUNDWATCH_REDIS_URL=redis://host:6379/0 "
            "(the memory:// store lives inside the process that serves)"
        )


@contextlib.contextmanager
def topic_facts(settings: Settings) -> Iterator[TopicFacts]:
    from consumers import runtime
    from consumers.kafka import TopicFacts

    facts = TopicFacts(runtime.kafka_options(settings))
    try:
        yield facts
    finally:
        facts.close()


def start_of(text: str) -> Start:
    if text == "earliest":
        return "earliest"
    if text == "latest":
        return "latest"
    try:
        time_ = datetime.fromisoformat(text)
    except ValueError:
        raise fail(
            f"{text!r} is neither earliest, latest nor a time like 2026-11-30T08:00:00Z"
        ) from None
    return time_ if time_.tzinfo else time_.replace(tzinfo=UTC)


def printable(text: str) -> str:
    """Text under watch, for a terminal: what would steer it is shown, not obeyed."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def fail(message: str) -> typer.Exit:
    print_error(message)
    return typer.Exit(2)


def utf8_lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a file or of standard input. Ends the command at one that is not UTF-8."""
    for number, raw in enumerate(file, 1):
        try:
            yield raw.decode()
        except UnicodeDecodeError:
            raise fail(f"{file.name}: line {number} is not UTF-8 text") from None


def print_warning(message: str) -> None:
    err.print("[yellow]warning:[/yellow]", end=" ")
    err.print(printable(message), highlight=False, markup=False, soft_wrap=True)


def print_error(message: str) -> None:
    """In one piece, for people and for grep. It may repeat a name out of a file, or what somebody
    typed: nothing in it steers the terminal."""
    lines = "\n".join(map(printable, message.splitlines()))
    err.print("[red]error:[/red]", end=" ")
    err.print(lines, highlight=False, markup=False, soft_wrap=True)


def stop_on_signals() -> threading.Event:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def patiently(make: Any, stop: threading.Event) -> Parts | None:
    """Wait for a dependency that is not up yet: things start in any order."""
    while not stop.is_set():
        try:
            parts: Parts = make()
        except Outage as outage:
            log.error("outage", error=str(outage))
            stop.wait(2.0)
        else:
            return parts
    return None


@contextlib.contextmanager
def embedded_intake(parts: Parts, data_dir: Path, **options: Any) -> Iterator[EmbeddedIntake]:
    intake = EmbeddedIntake(parts.store, parts.ingest, data_dir, **options)
    intake.open()
    try:
        yield intake
    finally:
        intake.close()


@contextlib.contextmanager
def progress(what: str) -> Iterator[Any]:
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), console=err, transient=True
    ) as bar:
        task = bar.add_task(what)
        yield lambda text: bar.update(task, description=f"{what}: {text}")
