"""The monthly report, gathered from the store and written as one page and one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from service.calibrations import Calibrations, JudgeFigures, JudgeScope
from service.estimates.rates import RATES
from service.exporting.csv_cells import csv_line
from service.review.cases import CaseFilter
from service.review.labels import Change
from service.web.assets import STATIC
from service.web.charts import Plot, bar, line
from service.web.days import Days
from service.web.overview import Scope
from service.web.plots import day_told, introductions, trend
from service.web.ports import CaseReader, ChangeReader, ProbeReader
from service.web.rendering import templates
from service.web.report import (
    Month,
    Report,
    Worst,
    csv_rows,
    decided_of,
    in_month,
    rate_rows,
    shown_of,
    worst_of,
)
from service.web.texts import Tongue, texts

WORST = 10
LOOKED_AT = 1_000
"""Cases looked at for the worst: those of later months come first where they are graver."""
MOST_CHANGES = 20_000
CHARTED = ("unresolved", "unsupported", "abstained", "flagged")
STYLES = ("groundwatch.css", "overview.css", "report.css")
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Sources:
    """Raise ``service.outage.Outage`` while the store is away. ``calibrations``: over the month."""

    cases: CaseReader
    days: Days
    changes: ChangeReader
    calibrations: Calibrations | None
    probes: ProbeReader


def report_of(sources: Sources, month: Month, scope: Scope, now_ms: int) -> Report:
    today = now_ms // 86_400_000
    shown = shown_of(sources.days.between(*month.days_needed, today), scope, month)
    changes, incomplete = _changes(sources.changes, month)
    return Report(
        month,
        scope,
        shown,
        rate_rows(shown.now),
        _judged(sources.calibrations, scope),
        tuple(in_month(sources.probes(), month, scope.app)),
        decided_of(changes, scope, incomplete),
        tuple(_worst(sources.cases, month, scope)),
        now_ms,
    )


def html_of(report: Report, t: Tongue) -> str:
    """One page that needs nothing else: style sheet and plots stand in it, and no script."""
    styles = "\n".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)
    shown = report.shown
    return templates().get_template("report.html").render(
        t=t,
        report=report,
        shown=shown,
        styles=Markup(styles),  # noqa: S704 (our own style sheets)
        parts=RATES,
        trends=[
            (name, [_apart(trend(app, shown, name, t), name) for app in shown.by_app])
            for name in CHARTED
        ],
        signs={app: introductions(shown, app, t) for app in shown.by_app},
        day=lambda number: day_told(t, number),
        line=line,
        bar=bar,
    )  # fmt: skip


def _apart(named: tuple[str, Plot], rate: str) -> tuple[str, Plot]:
    """Plots of several rates on one page, each with an id of its own."""
    app, plot = named
    return app, replace(plot, ident=f"{plot.ident}-{rate}")


def csv_of(report: Report, t: Tongue) -> str:
    known = {
        key.removeprefix("define."): text
        for key, text in texts(t.lang).items()
        if key.startswith("define.")
    }
    return "\r\n".join(csv_line(row) for row in csv_rows(report, known)) + "\r\n"


def _judged(calibrations: Calibrations | None, scope: Scope) -> JudgeFigures | None:
    if calibrations is None:
        return None
    figures = calibrations.of(JudgeScope(scope.app, scope.language))
    return figures if figures.calibration.version else None


def _changes(reader: ChangeReader, month: Month) -> tuple[Sequence[Change], bool]:
    """Those of the month, and whether there are more than are read."""
    found: list[Change] = []
    cursor: str | None = None
    while True:
        page = reader.changes(cursor=cursor, limit=_PAGE)
        found += [one for one in page.changes if month.since_ms <= one.at_ms < month.until_ms]
        cursor = page.next_cursor
        if cursor is None or (page.changes and page.changes[-1].at_ms < month.since_ms):
            return found, False
        if len(found) >= MOST_CHANGES:
            return found, True


def _worst(cases: CaseReader, month: Month, scope: Scope) -> list[Worst]:
    """The gravest of the month that are still kept, whoever settled them."""
    filter = CaseFilter(scope.app, language=scope.language, status=None, since_ms=month.since_ms)
    found: list[Worst] = []
    cursor: str | None = None
    for _ in range(LOOKED_AT // _PAGE):
        page = cases.list_cases(filter, cursor, _PAGE)
        for summary in page.cases:
            if summary.occurred_ms < month.until_ms and len(found) < WORST:
                case = cases.case(summary.case_id)
                found += [worst_of(case)] if case is not None else []
        cursor = page.next_cursor
        if cursor is None or len(found) >= WORST:
            break
    return found
