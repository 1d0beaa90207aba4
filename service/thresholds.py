"""What counts as too much: thresholds.yaml beside this file, typed.

Alerts, dashboards and pages take their numbers from here, so that a page is red when, and only
when, an alert would say so.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

Unit = Literal["ratio", "seconds", "hours", "answers"]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Threshold(_Closed):
    """``value`` in ``unit``; a ratio is between 0 and 1. ``sentence``: what it separates."""

    value: float = Field(gt=0, allow_inf_nan=False)
    unit: Unit
    sentence: str = Field(min_length=1)

    @model_validator(mode="after")
    def _ratio_is_a_share(self) -> Self:
        if self.unit == "ratio" and self.value > 1:
            raise ValueError("a ratio is between 0 and 1: write 0.05 for 5 %")
        return self


class Band(NamedTuple):
    """``kind``: elevated or severe; ``above``: the share that a rate is surely above."""

    kind: str
    above: float


class Thresholds(_Closed):
    """Every threshold by its name; none may be missing, none may be unknown."""

    fewest_answers: Threshold
    unresolvable_citations_elevated: Threshold
    unresolvable_citations_severe: Threshold
    unresolvable_citations_risen: Threshold
    unsupported_numbers_elevated: Threshold
    unsupported_numbers_severe: Threshold
    unsupported_numbers_risen: Threshold
    without_evidence_high: Threshold
    abstentions_risen: Threshold
    not_citing_risen: Threshold
    not_evaluated_high: Threshold
    false_alarms_high: Threshold
    mislabelled_high: Threshold
    event_age_late: Threshold
    turn_overdue: Threshold
    dead_letters_elevated: Threshold
    dead_letters_severe: Threshold
    silent_app_answers: Threshold
    redis_memory_high: Threshold
    judge_calls_failing: Threshold
    judge_undetermined_high: Threshold
    judge_job_old: Threshold
    judge_budget_low: Threshold
    judge_budget_hours: Threshold
    recall_wanted: Threshold
    precision_wanted: Threshold
    faithfulness_wanted: Threshold
    relevance_wanted: Threshold
    context_precision_wanted: Threshold
    high_case_old: Threshold
    other_case_old: Threshold

    def band(self, figure: str, low: float, answers: float) -> Band | None:
        """The gravest band of ``figure`` (unresolvable_citations, unsupported_numbers) that a share
        is surely above: ``low`` is the lower bound of its interval, of so many ``answers``. None
        where it is in none. The alerts decide by the same."""
        if answers < self.fewest_answers.value:
            return None
        found = self.by_name()
        bands = [Band(kind, found[f"{figure}_{kind}"].value) for kind in ("severe", "elevated")]
        return next((band for band in bands if low > band.above), None)

    @model_validator(mode="after")
    def _bands_are_in_order(self) -> Self:
        found = self.by_name()
        for name, threshold in found.items():
            below = found.get(name.replace("_severe", "_elevated"), threshold)
            if below.value > threshold.value:
                raise ValueError(f"{name} is below its elevated band")
        return self

    def by_name(self) -> dict[str, Threshold]:
        """In the order of the file's model."""
        return {name: getattr(self, name) for name in type(self).model_fields}


def read(text: str) -> Thresholds:
    """``text``: YAML. Raises pydantic's ValidationError for a value, a unit or a name that is
    wrong, missing or unknown, and for bands in the wrong order."""
    return Thresholds.model_validate(yaml.safe_load(text))


@cache
def thresholds() -> Thresholds:
    """The packaged ones."""
    return read(files("service").joinpath("thresholds.yaml").read_text(encoding="utf-8"))
