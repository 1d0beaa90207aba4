"""The overview: its route, and what its template shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.calibrations import Calibrations, JudgeFigures, JudgeScope
from service.estimates.rates import RATES
from service.estimates.spread import TENTHS
from service.measuring.probed import ProbeResult, latest_of
from service.review.cases import DAY_MS, CaseFilter, CaseSummary
from service.review.labels import Change
from service.web.charts import bar, columns, line, stack
from service.web.days import Days
from service.web.judge_page import judge_url
from service.web.judging import judge_line
from service.web.labelled import RecentChanges, confirmed, faults_of
from service.web.overview import (
    PERIODS,
    Overview,
    Scope,
    band_of,
    first_day_needed,
    overview,
)
from service.web.plots import date_of, day_told, figures, flow, introductions, trend
from service.web.ports import CaseReader, JudgeState, ProbeReader
from service.web.rendering import Renderer
from service.web.texts import Speaking, Tongue
from service.web.tree import Line, tree_of
from service.web.views import books_line, queue_url

WORST = 5
EXCERPT = 700
"""Characters of an answer that stand on the overview."""
CHARTED = ("unresolved", "unsupported", "abstained", "flagged")
"""Rates that the lines by app can show."""
CHECK_OF = {"unresolved": "citations", "unresolved_citations": "citations",
            "unsupported": "numbers", "abstained": "abstention"}  # fmt: skip
"""The check whose cases a rate counts."""
SHOWN_RELEASES = 12
MOST_TREES = 12

Name = Annotated[str, Query(max_length=2048)]


@dataclass(frozen=True, slots=True)
class Worst:
    case: CaseSummary
    answer: str
    cut: bool


def overview_routes(
    render: Renderer,
    cases: CaseReader,
    days: Days,
    books: Callable[[], Books],
    judge: Callable[[], JudgeState],
    changes: RecentChanges | None,
    calibrations: Calibrations | None,
    gaps_kept: bool,
    public_url: str,
    probes: ProbeReader,
    wanted: Mapping[str, float],
) -> APIRouter:
    """``changes``: what people said, None where no desk keeps it; ``calibrations``: what the judge
    said, None where nobody reads it; ``gaps_kept``: whether there is a page of knowledge gaps;
    ``probes``: what they found last; ``wanted``: targets of the diagnosis tree that are set."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    @page("/")
    async def home() -> Response:
        return RedirectResponse("/overview", 307)

    @page("/overview")
    def overview_page(
        t: Speaking,
        app: Name = "",
        language: Name = "",
        days_shown: Annotated[Literal["1", "7", "30"], Query(alias="days")] = "7",
        rate: Literal["unresolved", "unsupported", "abstained", "flagged"] = "unresolved",
    ) -> Response:
        length, now_hour = int(days_shown), render.now_ms // 3_600_000
        scope = Scope(app or None, language or None)
        today = now_hour // 24
        read = days.between(first_day_needed(today, length), today, today)
        shown = overview(read, scope, length, now_hour)
        since_ms = shown.period[0] * DAY_MS
        said = changes.since(since_ms) if changes is not None else []
        state, account, probed = judge(), books_line(books()), list(probes())
        by_severity = cases.open_by_severity()
        return render(
            t,
            "overview.html",
            shown=shown,
            scope=scope,
            length=length,
            periods=PERIODS,
            rate=rate,
            charted=CHARTED,
            parts=RATES,
            figures=figures(shown, t),
            flow=flow(shown, t),
            trends=[trend(app, shown, rate, t) for app in shown.by_app],
            signs={app: introductions(shown, app, t) for app in shown.by_app},
            top={name: _top(shown, name) for name in ("unresolved", "unsupported")},
            releases=_by_app(shown),
            shown_releases=SHOWN_RELEASES,
            confirmed=confirmed(said),
            people=faults_of(said),
            judged=_judged(calibrations, scope),
            trees=_trees(calibrations, probed, said, scope, shown, wanted),
            columns=columns,
            spread_labels=partial(_spread_label, t),
            judge_url=judge_url(JudgeScope(scope.app, scope.language)),
            probes=latest_of(one for one in probed if scope.app in (None, one.app)),
            worst=_worst(cases, scope, since_ms),
            open_cases=sum(by_severity.values()),
            oldest_ms=cases.oldest_open_ms(),
            books=account,
            judge=judge_line(state, t),
            scripted_judge=state.scripted,
            band_of=band_of,
            line=line,
            bar=bar,
            stack=stack,
            fault_parts=partial(_fault_parts, t),
            silent_since=_silent_since(shown, t),
            day=partial(day_told, t),
            iso_day=lambda number: date_of(number).isoformat(),
            url=partial(_url, scope, length, rate),
            cases_url=partial(_cases_url, scope, since_ms),
            compare_url=partial(_compare_url, scope, shown),
            check_of=CHECK_OF,
            gaps_kept=gaps_kept,
            public_url=public_url,
        )

    return router


def _trees(
    calibrations: Calibrations | None,
    probes: Iterable[ProbeResult],
    said: Sequence[Change],
    scope: Scope,
    shown: Overview,
    wanted: Mapping[str, float],
) -> list[tuple[str, tuple[Line, ...]]]:
    """Of each app shown of which anything is known."""
    found = []
    last = {result.app: result for result in latest_of(probes)}
    for app in [scope.app] if scope.app else shown.apps[:MOST_TREES]:
        judged = _judged(calibrations, Scope(app, scope.language))
        of_app = [change for change in said if change.context.get("app") == app]
        rates = judged.rates if judged is not None else {}
        lines = tree_of(last.get(app), of_app, rates, wanted)
        if any(line.n for line in lines):
            found.append((app, lines))
    return found


def _spread_label(t: Tongue, index: int, count: int) -> str:
    low, high = (t.decimal(edge / TENTHS) for edge in (index, index + 1))
    return t.say("tree.spread.bin", low=low, high=high, n=count)


def _top(shown: Overview, name: str) -> float:
    """The right edge of the bars: the highest rate, and room for its interval."""
    values = [RATES[name](row.rates).value or 0.0 for row in shown.releases]
    return 1.3 * max(values, default=0.0) or 0.01


def _by_app(shown: Overview) -> list[tuple[str, list[tuple[object, object]]]]:
    """App → its releases, each with the one before it (None of the first)."""
    found: list[tuple[str, list[tuple[object, object]]]] = []
    for app, group in groupby(shown.releases, key=lambda row: row.app):
        rows = list(group)
        found.append((app, list(zip(rows, [*rows[1:], None], strict=True))))
    return found


def _judged(calibrations: Calibrations | None, scope: Scope) -> JudgeFigures | None:
    """None where nothing was judged."""
    if calibrations is None:
        return None
    figures = calibrations.of(JudgeScope(scope.app, scope.language))
    return figures if figures.calibration.version else None


def _worst(cases: CaseReader, scope: Scope, since_ms: int) -> list[Worst]:
    filter = CaseFilter(app=scope.app, language=scope.language, since_ms=since_ms)
    worst = []
    for summary in cases.list_cases(filter, None, WORST).cases:
        case = cases.case(summary.case_id)
        answer = case.event.get("answer") if case is not None else None
        text = answer if isinstance(answer, str) else ""
        worst.append(Worst(summary, text[:EXCERPT], len(text) > EXCERPT))
    return worst


def _fault_parts(t: Tongue, split: Mapping[str, int]) -> list[tuple[str, int, str]]:
    return [
        (f"cause-{name}", number, f"{t.word('fault', name)}: {t.count(number)}")
        for name, number in split.items()
    ]


def _silent_since(shown: Overview, t: Tongue) -> str:
    hour = shown.silence.since_hour
    if hour is None:
        return ""
    when = datetime.fromtimestamp(hour * 3600, UTC)
    today = hour // 24 == shown.period[1]
    return f"{when:%H:%M} UTC" if today else f"{day_told(t, hour // 24)}, {when:%H:%M} UTC"


def _url(scope: Scope, length: int, shown: str, /, **changes: str | int | None) -> str:
    terms = {"app": scope.app, "language": scope.language, "days": length, "rate": shown} | changes
    kept = {
        name: value
        for name, value in terms.items()
        if value not in (None, "") and (name, value) not in _USUAL
    }
    return "/overview" + (f"?{urlencode(kept, errors='replace')}" if kept else "")


_USUAL = {("days", 7), ("rate", "unresolved")}


def _cases_url(scope: Scope, since_ms: int, /, **terms: str | None) -> str:
    """The cases that a number of the period counts."""
    filter = CaseFilter(scope.app, language=scope.language, status=None, since_ms=since_ms)
    return queue_url(filter, **{name: value for name, value in terms.items() if value})


def _compare_url(scope: Scope, shown: Overview, app: str = "", first: str = "",
                 second: str = "") -> str:  # fmt: skip
    """Two releases over the period and the one before, or else the two periods."""
    start, end = shown.period
    length = end - start + 1
    terms = {"app": app or scope.app, "language": scope.language}
    if first or second:
        terms |= {"a_release": first, "b_release": second}
        places = {"a_from": start - length, "a_to": end, "b_from": start - length, "b_to": end}
    else:
        places = {"a_from": start - length, "a_to": start - 1, "b_from": start, "b_to": end}
    terms |= {name: date_of(day).isoformat() for name, day in places.items()}
    kept = {name: value for name, value in terms.items() if value}
    return f"/compare?{urlencode(kept, errors='replace')}"
