"""The overview and the comparison: routes, and what their templates show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from pydantic import BeforeValidator
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.estimates.rates import Difference, Rate, Rates, difference
from service.review.cases import DAY_MS, CaseFilter, CaseSummary
from service.web.api import Day
from service.web.charts import Plot, Point, Sign, bar, line, stack
from service.web.days import Days
from service.web.judging import judge_line
from service.web.labelled import RecentChanges, confirmed, faults_of
from service.web.overview import (
    PERIODS,
    RATES,
    Introduced,
    Overview,
    Scope,
    first_day_needed,
    overview,
    rates_between,
)
from service.web.ports import CaseReader, JudgeState
from service.web.rendering import Renderer
from service.web.texts import Speaking, Tongue
from service.web.views import books_line, queue_url

WORST = 5
EXCERPT = 700
"""Characters of an answer that stand on the overview."""
CHARTED = ("unresolved", "unsupported", "abstained", "flagged")
"""Rates that the lines by app can show."""
COMPARED = ("unresolved", "unresolved_citations", "unsupported", "abstained", "citing",
            "unread_citations", "unread_numbers", "flagged")  # fmt: skip
CHECK_OF = {"unresolved": "citations", "unresolved_citations": "citations",
            "unsupported": "numbers", "abstained": "abstention"}  # fmt: skip
"""The check whose cases a rate counts."""
MOST_DAYS = 400
SHOWN_RELEASES = 12

Name = Annotated[str, Query(max_length=2048)]
DayOf = Annotated[
    Day | None,
    BeforeValidator(lambda given: given or None),  # as a form sends an empty field
    Query(),
]


@dataclass(frozen=True, slots=True)
class Worst:
    case: CaseSummary
    answer: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared. Days as dates, both included."""

    release: str
    first: date
    last: date

    @property
    def days(self) -> tuple[int, int]:
        return _number(self.first), _number(self.last)

    @property
    def sensible(self) -> bool:
        first, last = self.days
        return first <= last < first + MOST_DAYS


def overview_routes(
    render: Renderer,
    cases: CaseReader,
    days: Days,
    books: Callable[[], Books],
    judge: Callable[[], JudgeState],
    changes: RecentChanges | None,
    public_url: str,
) -> APIRouter:
    """``changes``: what people said, None where no desk keeps it."""
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
        state, account = judge(), books_line(books())
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
            figures=_figures(shown, t),
            flow=_flow(shown, t),
            trends=[_trend(app, shown, rate, t) for app in shown.by_app],
            signs={app: _introductions(shown, app, t) for app in shown.by_app},
            top={name: _top(shown, name) for name in ("unresolved", "unsupported")},
            releases=_by_app(shown),
            shown_releases=SHOWN_RELEASES,
            confirmed=confirmed(said),
            people=faults_of(said),
            worst=_worst(cases, scope, since_ms),
            open_cases=sum(by_severity.values()),
            oldest_ms=cases.oldest_open_ms(),
            books=account,
            judge=judge_line(state, t),
            scripted_judge=state.scripted,
            line=line,
            bar=bar,
            stack=stack,
            fault_parts=partial(_fault_parts, t),
            silent_since=_silent_since(shown, t),
            day=partial(_day, t),
            url=partial(_url, scope, length, rate),
            cases_url=partial(_cases_url, scope, since_ms),
            compare_url=partial(_compare_url, scope, shown),
            check_of=CHECK_OF,
            public_url=public_url,
        )

    @page("/compare")
    def compare_page(
        t: Speaking,
        app: Name = "",
        language: Name = "",
        a_release: Name = "",
        a_from: DayOf = None,
        a_to: DayOf = None,
        b_release: Name = "",
        b_from: DayOf = None,
        b_to: DayOf = None,
    ) -> Response:
        today = _date(render.now_ms // DAY_MS)
        week = timedelta(days=7)
        second = Side(b_release, b_from or today - week + timedelta(days=1), b_to or today)
        first = Side(a_release, a_from or second.first - week,
                     a_to or second.first - timedelta(days=1))  # fmt: skip
        scope = Scope(app or None, language or None)
        sensible = first.sensible and second.sensible
        number = _number(today)
        known = days.between(number - 29, number, number)
        places = {place for day in known.values() for place in day.places}
        return render(
            t,
            "compare.html",
            scope=scope,
            sides=(first, second),
            apps=sorted({place.app for place in places}),
            languages=sorted({place.language for place in places if place.language}),
            releases=sorted({place.release for place in places if scope.holds(place)}),
            compared=_compare(days, scope, first, second, number) if sensible else None,
        )

    return router


@dataclass(frozen=True, slots=True)
class ComparedRate:
    name: str
    first: Rate
    second: Rate
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Compared:
    checked: tuple[int, int]
    rows: tuple[ComparedRate, ...]
    rulesets: tuple[tuple[str, ...], tuple[str, ...]]


def _compare(days: Days, scope: Scope, first: Side, second: Side, today: int) -> Compared:
    rates: list[Rates] = []
    rulesets: list[tuple[str, ...]] = []
    for side in (first, second):
        read = days.between(*side.days, today)
        part = replace(scope, release=side.release or None)
        rates.append(rates_between(read, part))
        places = {place for day in read.values() for place in day.places if part.holds(place)}
        rulesets.append(tuple(sorted({place.ruleset for place in places})))
    before, after = rates
    return Compared(
        (before.checked, after.checked),
        tuple(
            ComparedRate(
                name,
                RATES[name](before),
                RATES[name](after),
                difference(RATES[name](before), RATES[name](after)),
            )
            for name in COMPARED
        ),
        (rulesets[0], rulesets[1]),
    )


def _figures(shown: Overview, t: Tongue) -> list[tuple[str, Rate, Difference | None, Rate, Plot]]:
    """(name, rate, change, rate before, line) of the rates in the first row."""
    return [
        (
            name,
            RATES[name](shown.now),
            shown.changes[name],
            RATES[name](shown.before),
            _line(f"line-{name}", name, shown.days, t),
        )
        for name in ("unresolved", "unsupported")
    ]


def _flow(shown: Overview, t: Tongue) -> dict[str, Plot]:
    """The lines of the two counts: checked answers, and flagged ones."""
    counts: dict[str, tuple[str, Callable[[Rates], int]]] = {
        "checked": (t.say("overview.checked"), lambda rates: rates.checked),
        "flagged": (t.say("rate.flagged"), lambda rates: rates.flagged.hits),
    }
    plots = {}
    for name, (title, number) in counts.items():
        points = [
            Point(
                t.say("overview.day.none", day=_day(t, day))
                if rates is None
                else t.say("overview.day.count", day=_day(t, day), n=number(rates)),
                None if rates is None else float(number(rates)),
            )
            for day, rates in shown.days.items()
        ]
        plots[name] = _plot(f"line-{name}", title, points, t, lambda value: t.count(int(value)))
    return plots


def _trend(app: str, shown: Overview, rate: str, t: Tongue) -> tuple[str, Plot]:
    number = list(shown.by_app).index(app)
    plot = _line(f"trend-{number}", rate, shown.by_app[app], t)
    signs = [
        Sign(sign.index, sign.kind, sign.text, sign.label)
        for sign, _ in _introductions(shown, app, t)
    ]
    return app, replace(plot, height=132, signs=signs, title=f"{app}: {plot.title}")


def _introductions(shown: Overview, app: str, t: Tongue) -> list[tuple[Sign, Sequence[Introduced]]]:
    """One sign a day, numbered, with what began on it."""
    first = next(iter(shown.days))
    of_app = [one for one in shown.introduced if one.app == app]
    signs: list[tuple[Sign, Sequence[Introduced]]] = []
    by_day = groupby(of_app, key=lambda one: one.day)
    for number, (day, group) in enumerate(by_day, start=1):
        began = list(group)
        told = ", ".join(t.say(f"overview.introduced.{one.kind}", name=one.name) for one in began)
        kind = "ruleset" if any(one.kind == "ruleset" for one in began) else "release"
        label = f"{_day(t, day)}: {told}"
        signs.append((Sign(day - first, kind, str(number), label), began))
    return signs


def _line(ident: str, name: str, days: Mapping[int, Rates | None], t: Tongue) -> Plot:
    points = []
    for day, rates in days.items():
        rate = RATES[name](rates) if rates is not None else None
        if rate is None or rate.value is None:
            points.append(Point(t.say("overview.day.none", day=_day(t, day)), None))
            continue
        low, high = rate.estimate.low or 0.0, rate.estimate.high or 0.0
        told = t.say(
            "overview.day", day=_day(t, day), value=t.percent(rate.value), low=t.percent(low),
            high=t.percent(high), hits=rate.hits, trials=rate.trials,
        )  # fmt: skip
        points.append(Point(told, rate.value, low, high))
    return _plot(ident, t.say(f"rate.{name}"), points, t, t.percent)


def _plot(
    ident: str, title: str, points: list[Point], t: Tongue, tell: Callable[[float], str]
) -> Plot:
    values = [point.value for point in points if point.value is not None]
    told = (
        t.say("overview.line.told", days=len(points), low=tell(min(values)),
              high=tell(max(values)), last=tell(values[-1]))
        if values
        else t.say("overview.line.none", days=len(points))
    )  # fmt: skip
    return Plot(ident, t.say("overview.line", what=title), told, points)


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
    return f"{when:%H:%M} UTC" if today else f"{_day(t, hour // 24)}, {when:%H:%M} UTC"


def _day(t: Tongue, day: int) -> str:
    return f"{_date(day):%d.%m.%Y}" if t.lang == "de" else f"{_date(day):%Y-%m-%d}"


def _date(day: int) -> date:
    return date(1970, 1, 1) + timedelta(days=day)


def _number(day: date) -> int:
    return (day - date(1970, 1, 1)).days


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
    terms |= {name: _date(day).isoformat() for name, day in places.items()}
    kept = {name: value for name, value in terms.items() if value}
    return f"/compare?{urlencode(kept, errors='replace')}"
