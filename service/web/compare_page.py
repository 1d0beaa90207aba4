"""The comparison of two periods, two releases, or both at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BeforeValidator
from starlette.responses import HTMLResponse, Response

from service.estimates.differences import HeldEqual, held_equal
from service.estimates.rates import RATES, Rate
from service.estimates.strata import one_rate
from service.review.cases import DAY_MS
from service.web.api import Day as DayText
from service.web.days import Day, Days
from service.web.overview import Scope, rates_between, strata_between
from service.web.plots import date_of, number_of
from service.web.rendering import Renderer
from service.web.texts import Speaking

COMPARED = ("unresolved", "unresolved_citations", "unsupported", "abstained", "citing",
            "unread_citations", "unread_numbers", "flagged")  # fmt: skip
MOST_DAYS = 400

Name = Annotated[str, Query(max_length=2048)]
DayOf = Annotated[
    DayText | None,
    BeforeValidator(lambda given: given or None),  # as a form sends an empty field
    Query(),
]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared. Days as dates, both included."""

    release: str
    first: date
    last: date

    @property
    def days(self) -> tuple[int, int]:
        return number_of(self.first), number_of(self.last)

    @property
    def sensible(self) -> bool:
        first, last = self.days
        return first <= last < first + MOST_DAYS


def compare_routes(render: Renderer, days: Days) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

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
        today = date_of(render.now_ms // DAY_MS)
        week = timedelta(days=7)
        second = Side(b_release, b_from or today - week + timedelta(days=1), b_to or today)
        first = Side(a_release, a_from or second.first - week,
                     a_to or second.first - timedelta(days=1))  # fmt: skip
        scope = Scope(app or None, language or None)
        sensible = first.sensible and second.sensible
        number = number_of(today)
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
    """``first``, ``second``: as they are; ``held``: their difference over one mix of traffic, None
    where the sides share none."""

    name: str
    first: Rate
    second: Rate
    held: HeldEqual | None


@dataclass(frozen=True, slots=True)
class Compared:
    checked: tuple[int, int]
    rows: tuple[ComparedRate, ...]
    rulesets: tuple[tuple[str, ...], tuple[str, ...]]


def _compare(days: Days, scope: Scope, first: Side, second: Side, today: int) -> Compared:
    read = [days.between(*side.days, today) for side in (first, second)]
    parts = [replace(scope, release=side.release or None) for side in (first, second)]
    before, after = (rates_between(*side) for side in zip(read, parts, strict=True))
    rulesets = [_rulesets(*side) for side in zip(read, parts, strict=True)]
    # Where no ruleset is shared the page warns, and shows what can be shown.
    by_ruleset = bool(set(rulesets[0]) & set(rulesets[1]))
    strata = [strata_between(*side, by_ruleset) for side in zip(read, parts, strict=True)]
    return Compared(
        (before.checked, after.checked),
        tuple(
            ComparedRate(
                name,
                RATES[name](before),
                RATES[name](after),
                held_equal(one_rate(strata[0], name), one_rate(strata[1], name)),
            )
            for name in COMPARED
        ),
        (rulesets[0], rulesets[1]),
    )


def _rulesets(days: Mapping[int, Day], part: Scope) -> tuple[str, ...]:
    places = {place for day in days.values() for place in day.places if part.holds(place)}
    return tuple(sorted({place.ruleset for place in places}))
