"""How often a check was right, by the people who opened its cases.

Of the findings that people called, the share that was real. It speaks of the opened cases: they are
the gravest and the newest, no sample of all. Rates of all answers come from audit tasks alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from service.estimates.estimate import Estimate
from service.estimates.wilson import wilson
from service.review.labels import Change, FindingCall, FindingLabel

OF_FINDING = ("check", "reason")
"""What may tell rows apart; anything else is a key of :attr:`Change.context`, such as ruleset."""


@dataclass(slots=True)
class Precision:
    """``real``, ``false_alarms``: findings that people called so; ``why``: of the false alarms, by
    reason given ("" where none was); ``by_case``: how many findings each case contributed, by
    subject."""

    real: int = 0
    false_alarms: int = 0
    why: Counter[str] = field(default_factory=Counter)
    by_case: Counter[str] = field(default_factory=Counter)

    @property
    def findings(self) -> int:
        return self.real + self.false_alarms

    @property
    def cases(self) -> int:
        return len(self.by_case)

    @property
    def precision(self) -> Estimate:
        """Real ones of all, with a Wilson interval on the effective number of findings."""
        return _share(self.real, self.findings, self.effective)

    @property
    def false_alarm_rate(self) -> Estimate:
        """False alarms of all: 1 - precision."""
        return _share(self.false_alarms, self.findings, self.effective)

    @property
    def effective(self) -> float:
        """What the findings are worth. Those of one case are right or wrong together more often
        than not: one mistaken rule, one odd text. If they always were, the share would vary like
        that of (Σ m)² / Σ m² findings on their own, for cases of m findings each (L. Kish, Survey
        Sampling, 1965: effective sample size). It is their number where each case has one."""
        squares = sum(count * count for count in self.by_case.values())
        return self.findings**2 / squares if squares else 0.0


def precisions(
    opened: Iterable[Change], by: Sequence[str] = ("check",)
) -> dict[tuple[str, ...], Precision]:
    """Precision by parts, such as ``("check", "reason", "ruleset")``: {values of the parts: it}.

    ``opened``: labels that stand (:func:`service.review.standing.standing_everywhere`); what came
    with a group's bulk label is passed over, as nobody opened those cases, and so are skips.
    """
    rows: dict[tuple[str, ...], Precision] = {}
    for change in opened:
        if change.group or change.label is None or change.label.skipped:
            continue
        for finding in change.label.findings:
            _count(rows.setdefault(_cut(finding, change, by), Precision()), change.subject, finding)
    return dict(sorted(rows.items()))


def _cut(finding: FindingLabel, change: Change, by: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        getattr(finding, part) if part in OF_FINDING else str(change.context.get(part, ""))
        for part in by
    )


def _count(row: Precision, subject: str, finding: FindingLabel) -> None:
    row.by_case[subject] += 1
    if finding.call is FindingCall.REAL:
        row.real += 1
        return
    row.false_alarms += 1
    row.why[finding.why.value if finding.why is not None else ""] += 1


def _share(part: int, whole: int, effective: float) -> Estimate:
    if not whole:
        return Estimate(None)
    share = part / whole
    return Estimate(share, *wilson(share * effective, effective))
