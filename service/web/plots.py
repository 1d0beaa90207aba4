"""The plots of the overview: which points, and what they say in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby

from service.estimates.differences import Difference
from service.estimates.rates import RATES, Rate, Rates
from service.web.charts import Plot, Point, Sign
from service.web.overview import Introduced, Overview
from service.web.texts import Tongue


def figures(shown: Overview, t: Tongue) -> list[tuple[str, Rate, Difference | None, Rate, Plot]]:
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


def flow(shown: Overview, t: Tongue) -> dict[str, Plot]:
    """The lines of the two counts: checked answers, and flagged ones."""
    counts: dict[str, tuple[str, Callable[[Rates], int]]] = {
        "checked": (t.say("overview.checked"), lambda rates: rates.checked),
        "flagged": (t.say("rate.flagged"), lambda rates: rates.flagged.hits),
    }
    plots = {}
    for name, (title, number) in counts.items():
        points = [
            Point(
                t.say("overview.day.none", day=day_told(t, day))
                if rates is None
                else t.say("overview.day.count", day=day_told(t, day), n=number(rates)),
                None if rates is None else float(number(rates)),
            )
            for day, rates in shown.days.items()
        ]
        plots[name] = _plot(f"line-{name}", title, points, t, lambda value: t.count(int(value)))
    return plots


def trend(app: str, shown: Overview, rate: str, t: Tongue) -> tuple[str, Plot]:
    number = list(shown.by_app).index(app)
    plot = _line(f"trend-{number}", rate, shown.by_app[app], t)
    signs = [
        Sign(sign.index, sign.kind, sign.text, sign.label)
        for sign, _ in introductions(shown, app, t)
    ]
    return app, replace(plot, height=132, signs=signs, title=f"{app}: {plot.title}")


def introductions(shown: Overview, app: str, t: Tongue) -> list[tuple[Sign, Sequence[Introduced]]]:
    """One sign a day, numbered, with what began on it."""
    first = next(iter(shown.days))
    of_app = [one for one in shown.introduced if one.app == app]
    signs: list[tuple[Sign, Sequence[Introduced]]] = []
    by_day = groupby(of_app, key=lambda one: one.day)
    for number, (day, group) in enumerate(by_day, start=1):
        began = list(group)
        told = ", ".join(t.say(f"overview.introduced.{one.kind}", name=one.name) for one in began)
        kind = "ruleset" if any(one.kind == "ruleset" for one in began) else "release"
        label = f"{day_told(t, day)}: {told}"
        signs.append((Sign(day - first, kind, str(number), label), began))
    return signs


def _line(ident: str, name: str, days: Mapping[int, Rates | None], t: Tongue) -> Plot:
    points = []
    for day, rates in days.items():
        rate = RATES[name](rates) if rates is not None else None
        if rate is None or rate.value is None:
            points.append(Point(t.say("overview.day.none", day=day_told(t, day)), None))
            continue
        low, high = rate.estimate.low or 0.0, rate.estimate.high or 0.0
        told = t.say(
            "overview.day", day=day_told(t, day), value=t.percent(rate.value), low=t.percent(low),
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


def day_told(t: Tongue, day: int) -> str:
    return f"{date_of(day):%d.%m.%Y}" if t.lang == "de" else f"{date_of(day):%Y-%m-%d}"


def date_of(day: int) -> date:
    return date(1970, 1, 1) + timedelta(days=day)


def number_of(day: date) -> int:
    return (day - date(1970, 1, 1)).days
