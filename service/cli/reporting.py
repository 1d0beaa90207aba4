"""report: a month on one page and in one table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.bootstrap import Parts, build, desk
from service.cli.shared import err, need_redis, progress, settings_of

if TYPE_CHECKING:
    from service.reporting import Sources
    from service.web.report import Month


def report(
    month: Annotated[
        str | None, typer.Option(help="Such as 2026-11; else the last whole month.")
    ] = None,
    app: Annotated[str | None, typer.Option(help="Only this app's answers.")] = None,
    language: Annotated[
        Literal["en", "de"], typer.Option(help="Of the report's own words.")
    ] = "en",
    out: Annotated[
        Path, typer.Option(help="The directory that it is written to; made when absent.")
    ] = Path(),
) -> None:
    """Writes a month's report: one HTML page that needs nothing else, and one CSV.

    Every rate with its definition, denominator, what it leaves out and its interval; releases and
    rulesets; the worst cases; what people decided and the labels spent. The page holds questions
    and answers as the store keeps them (redacted): share it with people who may read these.

    `groundwatch report --month 2026-11 --app support-assistant --out reports`
    """
    settings = settings_of(quiet=True)
    need_redis(settings)
    # The pages' templates take a while to load.
    from service.reporting import csv_of, html_of, report_of
    from service.web.overview import Scope
    from service.web.report import Month
    from service.web.texts import Tongue

    now = time.time()
    today = int(now) // 86_400
    chosen = Month.of(month or Month.before(today), today)
    with progress("reading"):
        sources = _sources(build(settings), chosen)
        found = report_of(sources, chosen, Scope(app), int(now * 1000))
    out.mkdir(parents=True, exist_ok=True)
    tongue, name = Tongue(language), f"groundwatch-{chosen.name}"
    for ending, text in (("html", html_of(found, tongue)), ("csv", csv_of(found, tongue))):
        file = out / f"{name}.{ending}"
        file.write_text(text, encoding="utf-8", newline="")
        typer.echo(str(file))
    if not found.shown.now.checked:
        err.print(f"no answer was checked in {chosen.name}", highlight=False)


def _sources(parts: Parts, month: Month) -> Sources:
    from service.calibrations import calibrations_over
    from service.reporting import Sources
    from service.web.days import Days

    store, end_s = parts.store, month.until_ms / 1000 - 1
    return Sources(
        store.archive,
        Days(store.archive, time.monotonic),
        desk(parts, lambda: None),
        calibrations_over(store, month.length, lambda: end_s, time.monotonic),
        store.probes.results,
    )
