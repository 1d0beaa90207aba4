"""The checks over labelled lines: what they found, missed and made up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from service.checking import check_event, read_line
from service.checks.model import CheckResult, Outcome
from service.evaluation.labels import EvaluationError, read_labels
from service.evaluation.scores import Accuracy, Scores, Tally
from service.events import Rejection
from service.policy import Policy


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that was missed or falsely flagged, or a value that is not the expected one."""

    check: str
    line: int
    id: str
    kind: str
    fault: str  # "missed" | "false" | "wrong" | "skipped"
    surface: str  # for "wrong": what was expected
    detail: str


@dataclass(slots=True)
class Evaluation(Scores[Tally]):
    """The scores of findings; ``values``: those of labels and measures, by ``<check> label`` and
    ``<check> measures``; ``unnamed``: how many lines name no check; ``doubts``: what a line says
    that may be a slip of whoever labelled it."""

    values: Scores[Accuracy] = field(default_factory=Scores)
    wrong: list[Wrong] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    unnamed: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether no line was there at all."""
        return not (self.checks or self.values.checks or self.unnamed)


def evaluate(
    lines: Iterable[str],
    on_progress: Callable[[int], None] | None = None,
    policy: Policy | None = None,
) -> Evaluation:
    """Run the checks over labelled lines and count what they found, missed and made up.

    ``on_progress`` is called after every line with how many are done. Blank lines are passed over.
    Raises :class:`EvaluationError` for a line that is no labelled answer.
    """
    policy = policy or Policy()
    evaluation = Evaluation()
    for number, line in enumerate(lines, 1):
        if line.strip():
            _evaluate_line(number, line, policy, evaluation)
        if on_progress is not None:
            on_progress(number)
    return evaluation


def _evaluate_line(number: int, line: str, policy: Policy, evaluation: Evaluation) -> None:
    labelled, event = read_line(line)
    if isinstance(event, Rejection):
        raise EvaluationError(number, f"{event.reason.value}: {event.message}")
    if "event" not in labelled:
        raise EvaluationError(number, "event: required, but missing")
    labels = read_labels(number, labelled)
    if labels is None:
        evaluation.unnamed += 1
        return
    result = check_event(event, policy.of(event.app))[labels.check]
    doubts = labels.doubts(event, result)
    evaluation.doubts += [f"line {number}: {doubt}" for doubt in doubts]
    skipped = result.outcome in (Outcome.NOT_EVALUATED, Outcome.DISABLED)
    name = str(labelled.get("id") or event.event_id)
    kind = str(labelled.get("kind") or labelled.get("dataset") or "–")
    language = str(labelled.get("lang") or "–")
    for row, score, faults in labels.score(event.answer, result):
        score.lines, score.skipped = 1, int(skipped)
        if isinstance(score, Tally):
            evaluation.add(row, kind, language, score)
        else:
            evaluation.values.add(row, kind, language, score)
        evaluation.wrong += [Wrong(row, number, name, kind, *fault) for fault in faults]
    if skipped:
        why = _why_skipped(result)
        evaluation.wrong.append(
            Wrong(labels.check, number, name, kind, "skipped", result.outcome.value, why)
        )


def _why_skipped(result: CheckResult) -> str:
    reason = result.not_evaluated.value if result.not_evaluated else ""
    return f"{reason}: {result.error}" if result.error else reason
