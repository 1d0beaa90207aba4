"""The JSON API of what people said and how well: labels, disagreements, agreement, precision; and
of the rates that the overview shows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from service.estimates.agreement import Agreement
from service.estimates.coverage import Coverage, coverage_by_stratum, coverage_of
from service.estimates.double_labels import SCALES, agreement_on
from service.estimates.estimate import Estimate
from service.estimates.precision import Precision, precisions
from service.estimates.rates import RATES, Rate, rates_of
from service.review.cases import DAY_MS
from service.review.desk import ChangePage, DisagreementPage, ReviewDesk
from service.review.standing import standing_everywhere
from service.web.api import (
    EXAMPLE_CURSOR,
    Cursor,
    Limit,
    Name,
    OptionalDay,
    cursor_fault,
    json_response,
    problems,
)
from service.web.days import Days
from service.web.desk_api import answer
from service.web.desk_bodies import CHANGE
from service.web.guarding import guarded
from service.web.identity import Reader
from service.web.labelled import READ_DAYS, RecentChanges, blind_pairs
from service.web.overview import Scope, measures_between
from service.web.ports import TaskReader
from service.web.sight import Sight

MOST_DAYS = 400
Cut = Literal["check", "reason", "ruleset", "app", "release", "language"]
Back = Annotated[
    int, Query(ge=1, le=READ_DAYS, description="Of labels given in so many days until now.")
]
_EPOCH = date(1970, 1, 1)
_FIRST_DAY = (date.min - _EPOCH).days


class EstimateBody(BaseModel):
    """``value``: null where the data do not define one; ``low``, ``high``: ends of its 95 %
    interval, null where the data do not show how uncertain it is."""

    value: float | None
    low: float | None
    high: float | None


class PartAgreement(BaseModel):
    """On one part of a label. ``n``: tasks of which both people said it; ``counts``: [i][j]: the
    first label was ``categories[i]``, the second ``categories[j]``."""

    part: str
    n: int
    observed: EstimateBody
    kappa: EstimateBody
    ac1: EstimateBody
    categories: list[str]
    counts: list[list[int]]


class AgreementBody(BaseModel):
    """``tasks``: that two people labelled blind; ``since_ms``: of labels given since then,
    milliseconds since 1970: later than ``days`` ago where more than 5,000 changes were made."""

    days: int
    since_ms: int
    tasks: int
    parts: list[PartAgreement]


class PrecisionRow(BaseModel):
    """``of``: what tells the row apart; ``why``: of the false alarms by reason given (empty: none
    was); ``cases``: that the findings come from."""

    of: dict[str, str]
    findings: int
    real: int
    false_alarms: int
    why: dict[str, int]
    cases: int
    precision: EstimateBody


class PrecisionBody(BaseModel):
    """``since_ms``: as in the agreement."""

    days: int
    since_ms: int
    rows: list[PrecisionRow]


class RateBody(EstimateBody):
    """``hits`` of ``trials``, which come from ``answers``."""

    hits: int
    trials: int
    answers: int


class CoverageBody(BaseModel):
    """Of the answers drawn for the judge: ``selected`` it has or will have, ``budget_skipped`` the
    budget or the backlog refused, not at random. ``value``: the share selected, null where nothing
    was drawn."""

    value: float | None
    selected: int
    budget_skipped: int


class JudgeCoverageBody(CoverageBody):
    """``by_stratum``: those of which anything was drawn."""

    by_stratum: dict[str, CoverageBody]


class RatesBody(BaseModel):
    """``first``, ``last``: days (UTC), both included; ``checked``: answers; ``rates``: by name;
    ``judge_coverage``: to be read beside every judged rate."""

    first: date
    last: date
    checked: int
    rates: dict[str, RateBody]
    judge_coverage: JudgeCoverageBody


_ESTIMATE = {"value": 0.9, "low": 0.786, "high": 0.957}
_AGREEMENT: dict[str, Any] = {
    "days": 60,
    "since_ms": 1_790_816_000_000,
    "tasks": 50,
    "parts": [
        {
            "part": "grounded",
            "n": 50,
            "observed": _ESTIMATE,
            "kappa": {"value": 0.746, "low": 0.537, "high": 0.955},
            "ac1": {"value": 0.875, "low": 0.769, "high": 0.982},
            "categories": ["yes", "no", "cant_tell"],
            "counts": [[34, 3, 0], [2, 11, 0], [0, 0, 0]],
        }
    ],
}
_PRECISION: dict[str, Any] = {
    "days": 60,
    "since_ms": 1_790_816_000_000,
    "rows": [
        {
            "of": {"check": "numbers"},
            "findings": 50,
            "real": 45,
            "false_alarms": 5,
            "why": {"computed": 4, "": 1},
            "cases": 50,
            "precision": _ESTIMATE,
        }
    ],
}
_RATES: dict[str, Any] = {
    "first": "2026-11-24",
    "last": "2026-11-30",
    "checked": 80,
    "rates": {"flagged": {"hits": 4, "trials": 80, "answers": 80, "value": 0.05, "low": 0.02,
                          "high": 0.12}},
    "judge_coverage": {"value": 0.95, "selected": 19, "budget_skipped": 1,
                       "by_stratum": {"flagged": {"value": 0.95, "selected": 19,
                                                  "budget_skipped": 1}}},
}  # fmt: skip


def figure_routes(
    desk: ReviewDesk,
    tasks: TaskReader,
    changes: RecentChanges,
    counted: Days,
    now: Callable[[], float],
) -> APIRouter:
    """``now``: seconds since 1970."""
    router = APIRouter(tags=["figures"], route_class=guarded())
    sight = Sight(tasks)

    def since(back: int) -> int:
        return int(now() * 1000) - back * DAY_MS

    def period(back: int) -> dict[str, int]:
        return {"days": back, "since_ms": changes.reach(since(back))}

    @router.get(
        "/v1/labels",
        summary="List changes of labels and decisions, the newest first",
        responses=answer(ChangePage, {"changes": [CHANGE], "next_cursor": EXAMPLE_CURSOR}, "A page")
        | problems(403, 422, 503),
    )
    def list_labels(
        reader: Reader,
        reviewer: Annotated[
            str | None, Query(max_length=200, description="Of this person alone.")
        ] = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Response:
        """A page may hold fewer than `limit`: what others said of an audit task is left out until
        you have labelled it or enough others have. Follow `next_cursor` until it is null."""
        with cursor_fault(cursor):
            page = desk.changes(reviewer=reviewer or None, cursor=cursor or None, limit=limit)
        return json_response(ChangePage(sight.of(page.changes, reader), page.next_cursor))

    @router.get(
        "/v1/disagreements",
        summary="List audit tasks that two people labelled differently",
        responses=answer(
            DisagreementPage,
            {
                "disagreements": [{"task_id": "5f0c6a1e", "first": CHANGE, "second": CHANGE}],
                "next_cursor": EXAMPLE_CURSOR,
            },
            "A page",
        )
        | problems(422, 503),
    )
    def list_disagreements(cursor: Cursor = None, limit: Limit = 50) -> Response:
        """The newest first. Follow `next_cursor` until it is null."""
        with cursor_fault(cursor):
            return json_response(desk.disagreements(cursor or None, limit))

    @router.get(
        "/v1/agreement",
        summary="Read how far two people agree who labelled the same audit task",
        responses=answer(AgreementBody, _AGREEMENT, "By part of the label") | problems(422, 503),
    )
    def read_agreement(days: Back = READ_DAYS) -> Response:
        """Their first, blind labels. Cohen's kappa falls towards 0 where nearly all is of one
        class, Gwet's AC1 does not: read both beside the observed agreement."""
        pairs = blind_pairs(changes.since(since(days)))
        parts = [_agreement(part, agreement_on(part, pairs)) for part in SCALES]
        return json_response(period(days) | {"tasks": len(pairs), "parts": parts})

    @router.get(
        "/v1/precision",
        summary="Read how often each check was right, by people's labels",
        responses=answer(PrecisionBody, _PRECISION, "One row a cut") | problems(422, 503),
    )
    def read_precision(
        by: Annotated[list[Cut], Query(max_length=6)] = ["check"],  # noqa: B006 (FastAPI copies it)
        days: Back = READ_DAYS,
    ) -> Response:
        """Of the findings that people called in cases they opened, the share that was real. Those
        are the gravest and newest cases, no sample of all; what came with a bulk label does not
        count."""
        cut = tuple(dict.fromkeys(by))
        found = precisions(standing_everywhere(changes.since(since(days))), cut)
        rows = [_precision(dict(zip(cut, of, strict=True)), row) for of, row in found.items()]
        return json_response(period(days) | {"rows": rows})

    @router.get(
        "/v1/rates",
        summary="Read the rates of a period, each with its interval",
        responses=answer(RatesBody, _RATES, "The rates") | problems(422, 503),
    )
    def read_rates(
        app: Name = None,
        release: Name = None,
        language: Name = None,
        days: Annotated[int, Query(ge=1, le=MOST_DAYS, description="How many.")] = 7,
        last: Annotated[
            OptionalDay, Query(description="The last of them, UTC; else today.")
        ] = None,
    ) -> Response:
        """Counted on all checked answers: exact as counts of what the checks said, not of truth.
        `value` is null without data."""
        today = int(now()) // 86_400
        end = today if last is None else (last - _EPOCH).days
        begin = max(end - days + 1, _FIRST_DAY)
        read = counted.between(begin, end, today)
        scope = Scope(app or None, language or None, release or None)
        measures = measures_between(read, scope)
        rates, strata = rates_of(measures), coverage_by_stratum(measures)
        return json_response(
            {
                "first": _date(begin),
                "last": _date(end),
                "checked": rates.checked,
                "rates": {name: rate_body(part(rates)) for name, part in RATES.items()},
                "judge_coverage": {
                    **coverage_body(coverage_of(measures)),
                    "by_stratum": {
                        stratum: coverage_body(part) for stratum, part in strata.items()
                    },
                },
            }
        )

    return router


def _date(day: int) -> date:
    """Of days since 1970."""
    return _EPOCH + timedelta(days=day)


def estimate_body(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def rate_body(rate: Rate) -> dict[str, Any]:
    counts = {"hits": rate.hits, "trials": rate.trials, "answers": rate.answers}
    return counts | estimate_body(rate.estimate)


def coverage_body(coverage: Coverage) -> dict[str, Any]:
    return {
        "value": coverage.value,
        "selected": coverage.selected,
        "budget_skipped": coverage.skipped,
    }


def _agreement(part: str, found: Agreement) -> dict[str, Any]:
    return {
        "part": part,
        "n": found.n,
        "observed": estimate_body(found.observed),
        "kappa": estimate_body(found.kappa),
        "ac1": estimate_body(found.ac1),
        "categories": found.table.categories,
        "counts": found.table.counts,
    }


def _precision(of: dict[str, str], row: Precision) -> dict[str, Any]:
    return {
        "of": of,
        "findings": row.findings,
        "real": row.real,
        "false_alarms": row.false_alarms,
        "why": dict(row.why),
        "cases": row.cases,
        "precision": estimate_body(row.precision),
    }
