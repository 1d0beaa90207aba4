"""compare: two runs of the same questions, or two releases by their live answers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from service.bootstrap import build
from service.cli.shared import fail, need_redis, printable, settings_of
from service.gating import known_apps
from service.measuring.compared_text import compared_lines, released_lines
from service.measuring.comparing import compare_runs
from service.measuring.releases import LiveComparison, compare_releases
from service.measuring.runs import Run, read_run

LIVE = "release:"
_HELP = "A run file, or release:ID."


def compare(
    a: Annotated[str, typer.Argument(help=_HELP, metavar="A")],
    b: Annotated[str, typer.Argument(help=_HELP, metavar="B")],
    app: Annotated[str | None, typer.Option(help="Of releases: only answers of this app.")] = None,
    days: Annotated[
        int, typer.Option(min=1, max=400, help="Of releases: answers of so many days.")
    ] = 30,
    format: Annotated[Literal["text", "json"], typer.Option(help="json: one object.")] = "text",
) -> None:
    """Holds B against A: what improved, what regressed, and what cannot be told.

    **Run files** (`groundwatch measure`, `groundwatch probe`) are paired by question: who improved
    and who regressed is named even where the means are equal, with an exact paired test, an
    interval on the difference, and tokens, latency and cost beside it.

    **Releases** (`release:2026-11-29.2`) are compared by their live answers in the store, over the
    mix of app, ruleset and language that both have.

    `groundwatch compare before.jsonl after.jsonl`

    `groundwatch compare release:2026-11-28.1 release:2026-11-29.2 --app support-assistant`
    """
    if a.startswith(LIVE) != b.startswith(LIVE):
        raise fail("a run file and a release cannot be compared: give two of a kind")
    if a.startswith(LIVE):
        live = _releases(a.removeprefix(LIVE), b.removeprefix(LIVE), app, days)
        _print(format, asdict(live), released_lines(live))
        return
    if app is not None:
        raise fail("--app goes with releases; a run file is of one app")
    runs = compare_runs(run_of(Path(a)), run_of(Path(b)))
    _print(format, asdict(runs), compared_lines(runs))


def run_of(path: Path) -> Run:
    """Raises OSError, and :class:`service.measuring.lines.BadLine` naming file and line."""
    with path.open("rb") as lines:
        return read_run(lines, str(path))


def _releases(first: str, second: str, app: str | None, days: int) -> LiveComparison:
    settings = settings_of(quiet=True)
    need_redis(settings)
    archive = build(settings).store.archive
    counters = archive.counters((int(time.time()) // 86_400 - days + 1) * 24)
    counted = {name for name, _ in counters}
    apps = counted if app is None else {app}
    makeups = [made for name in sorted(apps) for made in archive.makeups(name)]
    found = compare_releases(counters, makeups, first, second, app)
    for release, checked in zip((first, second), found.checked, strict=True):
        if not checked:
            of_app = "" if app is None else f" of app {app}; {known_apps(counted)}"
            raise fail(f"no answer of release {release!r} in the last {days} days{of_app}")
    return found


def _print(format: str, told: dict[str, Any], lines: Iterable[str]) -> None:
    if format == "json":
        typer.echo(json.dumps(told, ensure_ascii=False))
        return
    for line in lines:
        typer.echo(printable(line))
