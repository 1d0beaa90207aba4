"""The JSON API of what the judge said, corrected by people, and of how good the judge is."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel

from service.calibrations import Calibrations, JudgeFigures, JudgeScope
from service.estimates.confusion import CLASSES, Confusion
from service.judging.calibration import Calibration, share_bad
from service.judging.drift import Drift
from service.web.api import Name, json_response, problems
from service.web.desk_api import answer
from service.web.figures_api import (
    CoverageBody,
    EstimateBody,
    coverage_body,
    estimate_body,
)


class JudgedRateBody(EstimateBody):
    """``answers``: judged ones that it rests on; each counts 1/π times."""

    answers: int


class ByVerdict(EstimateBody):
    """Of the labelled answers whose gravest verdict it is: the share that people call bad."""

    labels: int


class CalibrationBody(BaseModel):
    """Of one judge ``version`` (model, rubric, parameters). ``judged``, ``undecided``: answers that
    it ruled on, and could not; ``labels``: audits that say whether such an answer is grounded,
    ``unsaid``: that do not, ``unmatched``: of answers that it did not judge. ``calibrated``: there
    is any label for this very version. ``corrected``: the share of answers with a bad claim, to be
    reported; ``judge_says``, ``people_say``: by one of the two alone. ``labels_needed``: for ± 2
    points, null where no number would do. ``counts``: [i][j]: the judge said ``classes[i]``, people
    ``classes[j]``. ``missed``, ``false_alarms``: ids of audited answers on which they differ."""

    version: str
    calibrated: bool
    judged: int
    undecided: int
    labels: int
    unsaid: int
    unmatched: int
    labels_needed: int | None
    corrected: EstimateBody
    judge_says: EstimateBody
    people_say: EstimateBody
    sensitivity: EstimateBody
    specificity: EstimateBody
    kappa: EstimateBody
    ac1: EstimateBody
    classes: list[str]
    counts: list[list[int]]
    by_verdict: dict[str, ByVerdict]
    missed: list[str]
    false_alarms: list[str]


class JudgedBody(BaseModel):
    """``days``: read, today's included; ``rates``: by name, of the version that judged last;
    ``calibration``: of that version, ``earlier``: of those before it; ``coverage``: of what was
    drawn for the judge; ``family``: of the judge, where a generator shares it."""

    days: int
    rates: dict[str, JudgedRateBody]
    calibration: CalibrationBody
    earlier: list[CalibrationBody]
    by_app: dict[str, CalibrationBody]
    by_language: dict[str, CalibrationBody]
    coverage: CoverageBody
    rulesets: list[str]
    generators: list[str]
    family: str | None


_ESTIMATE = {"value": 0.08, "low": 0.05, "high": 0.13}
_CALIBRATION: dict[str, Any] = {
    "version": "judge-model/5f0c6a1e2b3d/91ab02cd", "calibrated": True, "judged": 1_950,
    "undecided": 12, "labels": 200, "unsaid": 3, "unmatched": 40, "labels_needed": 350,
    "corrected": _ESTIMATE, "judge_says": _ESTIMATE, "people_say": _ESTIMATE,
    "sensitivity": {"value": 0.75, "low": 0.5, "high": 0.9},
    "specificity": {"value": 0.93, "low": 0.9, "high": 0.95},
    "kappa": {"value": 0.61, "low": 0.42, "high": 0.8},
    "ac1": {"value": 0.88, "low": 0.82, "high": 0.94},
    "classes": list(CLASSES), "counts": [[12, 13], [4, 171]],
    "by_verdict": {"contradicted": {"labels": 9, "value": 0.78, "low": 0.45, "high": 0.94}},
    "missed": ["5f0c6a1e"], "false_alarms": [],
}  # fmt: skip
_EXAMPLE: dict[str, Any] = {
    "days": 28,
    "rates": {"faithfulness": {"answers": 1_950, "value": 0.91, "low": 0.89, "high": 0.93}},
    "calibration": _CALIBRATION,
    "earlier": [],
    "by_app": {},
    "by_language": {},
    "coverage": {"value": 0.98, "selected": 1_960, "budget_skipped": 40},
    "rulesets": ["1-5f0c6a1e"],
    "generators": ["oak-2"],
    "family": None,
}


def judged_routes(calibrations: Calibrations) -> APIRouter:
    router = APIRouter(tags=["figures"])

    @router.get(
        "/v1/judged-rates",
        summary="Read the judge's rates, what people make of them, and how good the judge is",
        responses=answer(JudgedBody, _EXAMPLE, "The rates") | problems(422, 503),
    )
    def read_judged_rates(app: Name = None, language: Name = None) -> Response:
        """Of the last days of `CALIBRATION_DAYS`, weighted by 1/π. Only audits correct them: what
        people said of cases that they opened is no sample. Remembered for a minute."""
        return json_response(
            figures_body(calibrations.of(JudgeScope(app or None, language or None)))
        )

    return router


def figures_body(found: JudgeFigures) -> dict[str, Any]:
    return {
        "days": found.days,
        "rates": {
            name: {"answers": rate.answers} | estimate_body(rate.estimate)
            for name, rate in found.rates.items()
        },
        "calibration": _calibration(found.calibration),
        "earlier": [_calibration(one) for one in found.earlier],
        "by_app": {name: _calibration(one) for name, one in found.by_app.items()},
        "by_language": {name: _calibration(one) for name, one in found.by_language.items()},
        "coverage": coverage_body(found.coverage),
        "rulesets": found.rulesets,
        "generators": found.generators,
        "family": found.family or None,
    }


def _calibration(found: Calibration) -> dict[str, Any]:
    return {
        "version": found.version,
        "calibrated": found.calibrated,
        "judged": found.judged,
        "undecided": found.undecided,
        "labels": found.labels,
        "unsaid": found.unsaid,
        "unmatched": found.unmatched,
        "labels_needed": found.needed,
        "corrected": estimate_body(found.corrected),
        "judge_says": estimate_body(found.judge_says),
        "people_say": estimate_body(found.people_say),
        **_against_people(found.confusion),
        "by_verdict": {
            word: {"labels": int(one.labels)} | estimate_body(share_bad(one))
            for word, one in found.by_word.items()
        },
        "missed": found.missed,
        "false_alarms": found.false_alarms,
    }


def drift_body(found: Drift) -> dict[str, Any]:
    """For ``groundwatch judge-check --rejudge``."""
    return {
        "answers": found.answers,
        "undecided": found.undecided,
        "agreement": estimate_body(found.agreement.observed),
        "before": _against_people(found.before),
        "now": _against_people(found.now),
        "changed": [one._asdict() for one in found.changed],
    }


def _against_people(found: Confusion) -> dict[str, Any]:
    agreed = found.agreement
    return {
        "sensitivity": estimate_body(found.sensitivity),
        "specificity": estimate_body(found.specificity),
        "kappa": estimate_body(agreed.kappa),
        "ac1": estimate_body(agreed.ac1),
        "classes": agreed.table.categories,
        "counts": agreed.table.counts,
    }
