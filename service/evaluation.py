"""``groundwatch evaluate``: precision and recall of the findings on labelled answers.

Two kinds of line are read. A *case* says what a careful human would flag: ``expect`` with the name
of a check (or ``unresolved_citations`` or ``unsupported_numbers``) and surfaces, and ``alt`` (other
surfaces for the same finding). A *public* line labels every number of a public data set:
``numbers`` with ``start``, ``end`` and ``gold``. A line speaks about one check, and only that check
is scored on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from service.checking import check_event, read_line
from service.checks import CHECKS
from service.checks.model import CheckResult, Finding, Outcome, Span
from service.events import Rejection
from service.policy import Policy

EXPECTATIONS = {
    "unresolved_citations": "citations",
    "unsupported_numbers": "numbers",
    **{check: check for check in CHECKS},
}
"""Which key of ``expect`` speaks about which check."""


class EvaluationError(ValueError):
    """A line that cannot be scored; the message names its number and never its text."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"line {number}: {message}")
        self.number = number


@dataclass(slots=True)
class Tally:
    """``tp``: expected things found; ``fp``: findings that are wrong; ``fn``: expected things
    missed; ``unscored``: findings on numbers that the labels leave open; ``skipped``: lines whose
    check was ``not_evaluated`` or ``disabled`` (what they expect is missed all the same)."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    lines: int = 0
    unscored: int = 0
    skipped: int = 0

    def add(self, other: Tally) -> None:
        self.tp += other.tp
        self.fp += other.fp
        self.fn += other.fn
        self.lines += other.lines
        self.unscored += other.unscored
        self.skipped += other.skipped

    @property
    def precision(self) -> float | None:
        """None without a scored finding."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else None

    @property
    def recall(self) -> float | None:
        """None where nothing was expected."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None

    @property
    def f1(self) -> float | None:
        errors = self.fp + self.fn
        return 2 * self.tp / (2 * self.tp + errors) if self.tp or errors else None


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that was missed or falsely flagged."""

    check: str
    line: int
    id: str
    kind: str
    fault: str  # "missed" | "false" | "skipped"
    surface: str
    detail: str


@dataclass(slots=True)
class Evaluation:
    """Tallies by check, by (check, kind or data set) and by (check, language)."""

    checks: dict[str, Tally] = field(default_factory=dict)
    kinds: dict[tuple[str, str], Tally] = field(default_factory=dict)
    languages: dict[tuple[str, str], Tally] = field(default_factory=dict)
    wrong: list[Wrong] = field(default_factory=list)

    def add(self, check: str, kind: str, language: str, tally: Tally) -> None:
        self.checks.setdefault(check, Tally()).add(tally)
        self.kinds.setdefault((check, kind), Tally()).add(tally)
        self.languages.setdefault((check, language), Tally()).add(tally)


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
    labels = _labels(number, labelled)
    result = check_event(event, policy.of(event.app))[labels.check]
    tally, wrong = labels.score(event.answer, result.findings)
    tally.lines = 1
    if result.outcome in (Outcome.NOT_EVALUATED, Outcome.DISABLED):
        tally.skipped = 1
        wrong.append(("skipped", result.outcome.value, _why_skipped(result)))
    kind = str(labelled.get("kind") or labelled.get("dataset") or "–")
    evaluation.add(labels.check, kind, str(labelled.get("lang") or "–"), tally)
    name = str(labelled.get("id") or event.event_id)
    evaluation.wrong += [
        Wrong(labels.check, number, name, kind, fault, surface, detail)
        for fault, surface, detail in wrong
    ]


def _why_skipped(result: CheckResult) -> str:
    reason = result.not_evaluated.value if result.not_evaluated else ""
    return f"{reason}: {result.error}" if result.error else reason


# -------------------------------------------------------------------------------------- the labels

Fault = tuple[str, str, str]
"""What kind of fault, the surface, and a detail."""


@dataclass(frozen=True, slots=True)
class SurfaceLabels:
    """What a case expects: surfaces, and for each the others that would be as good."""

    check: str
    expected: Sequence[str]
    alternatives: Mapping[str, Sequence[str]]

    def score(self, answer: str, findings: Sequence[Finding]) -> tuple[Tally, list[Fault]]:
        """An expected surface is found when a finding overlaps one of its occurrences; equal ones
        need a finding each, as far as the answer has that many."""
        right: set[int] = set()
        tally = Tally()
        wrong: list[Fault] = []
        for surface, wanted in Counter(self.expected).items():
            spans = list(_occurrences(answer, surface))
            hits = self._hits(answer, surface, spans, findings)
            right |= hits
            found = min(wanted, len(hits))
            if hits and len(spans) < wanted:
                found = max(found, wanted - max(0, len(spans) - len(hits)))
            tally.tp += found
            tally.fn += wanted - found
            wrong += [("missed", surface, "")] * (wanted - found)
        for place, finding in enumerate(findings):
            if place not in right:
                tally.fp += 1
                wrong.append(("false", finding.surface, f"{finding.reason}: {finding.detail}"))
        return tally, wrong

    def _hits(
        self, answer: str, surface: str, spans: Sequence[Span], findings: Sequence[Finding]
    ) -> set[int]:
        alternatives = self.alternatives.get(surface, ())
        spans = [*spans, *(span for other in alternatives for span in _occurrences(answer, other))]
        names = {surface, *alternatives}
        return {
            place
            for place, finding in enumerate(findings)
            if finding.surface in names or _overlaps(finding, spans)
        }


@dataclass(frozen=True, slots=True)
class NumberLabels:
    """What a public line says about every number: ``supported``, ``unsupported``, or open."""

    unsupported: Sequence[Span]
    supported: Sequence[Span]
    check: str = "numbers"

    def score(self, answer: str, findings: Sequence[Finding]) -> tuple[Tally, list[Fault]]:
        """A finding that touches neither an unsupported nor a supported number is not scored."""
        tally = Tally()
        wrong: list[Fault] = []
        for span in self.unsupported:
            if any(_overlaps(finding, (span,)) for finding in findings):
                tally.tp += 1
            else:
                tally.fn += 1
                wrong.append(("missed", answer[span[0] : span[1]], ""))
        for finding in findings:
            if _overlaps(finding, self.unsupported):
                continue
            if _overlaps(finding, self.supported):
                tally.fp += 1
                wrong.append(("false", finding.surface, f"{finding.reason}: {finding.detail}"))
            else:
                tally.unscored += 1
        return tally, wrong


Labels = SurfaceLabels | NumberLabels


def _labels(number: int, line: Mapping[str, Any]) -> Labels:
    if isinstance(line.get("numbers"), list):
        return NumberLabels(
            [_span(number, label) for label in _graded(number, line["numbers"], "unsupported")],
            [_span(number, label) for label in _graded(number, line["numbers"], "supported")],
        )
    expect = line.get("expect")
    if not isinstance(expect, dict):
        raise EvaluationError(number, "expect: required, but missing (or numbers with gold)")
    keys = [key for key in EXPECTATIONS if key in expect]
    if len(keys) != 1:
        raise EvaluationError(number, f"expect: needs exactly one of {', '.join(EXPECTATIONS)}")
    alternatives = line.get("alt") or {}
    if not _are_texts(expect[keys[0]]):
        raise EvaluationError(number, f"expect.{keys[0]}: must be a list of strings")
    if not isinstance(alternatives, dict) or not all(map(_are_texts, alternatives.values())):
        raise EvaluationError(number, "alt: must be an object of lists of strings")
    return SurfaceLabels(EXPECTATIONS[keys[0]], expect[keys[0]], alternatives)


def _are_texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(text, str) and text for text in found)


def _graded(number: int, labels: Sequence[object], gold: str) -> Iterator[Mapping[str, Any]]:
    for label in labels:
        if not isinstance(label, dict) or label.get("gold") not in (
            "unsupported",
            "supported",
            "ambiguous",
        ):
            raise EvaluationError(number, "numbers: gold must be unsupported, supported, ambiguous")
        if label["gold"] == gold:
            yield label


def _span(number: int, label: Mapping[str, Any]) -> Span:
    start, end = label.get("start"), label.get("end")
    if not isinstance(start, int) or not isinstance(end, int) or start >= end:
        raise EvaluationError(number, "numbers: start and end must be offsets, start before end")
    return start, end


def _occurrences(answer: str, surface: str) -> Iterator[Span]:
    start = answer.find(surface)
    while start >= 0:
        yield start, start + len(surface)
        start = answer.find(surface, start + 1)


def _overlaps(finding: Finding, spans: Iterable[Span]) -> bool:
    start, end = finding.start, finding.end
    if start is None or end is None:
        return False
    return any(start < right and left < end for left, right in spans)


# ------------------------------------------------------------------------------------- the report


def wilson(hits: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval of a proportion, 95 % by default; (0, 1) without a trial."""
    if not trials:
        return 0.0, 1.0
    share = hits / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    margin = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / scale
    return max(0.0, centre - margin), min(1.0, centre + margin)


def render(evaluation: Evaluation, quiet: bool) -> str:
    """The report as text. ``quiet`` leaves the wrong lines out; the last lines are one of totals a
    check."""
    blocks: list[str] = []
    if not quiet and evaluation.wrong:
        blocks.append("\n".join(["wrong lines", *map(_wrong_row, evaluation.wrong)]))
    for title, tallies in (("kind", evaluation.kinds), ("language", evaluation.languages)):
        if tallies:
            blocks.append(_table(title, tallies))
    checks = max([10, *map(len, evaluation.checks)])
    totals = [
        _totals(check.ljust(checks), tally) for check, tally in sorted(evaluation.checks.items())
    ]
    blocks.append("\n".join(totals) if totals else "nothing to score: no labelled line")
    return "\n\n".join(blocks)


def _wrong_row(wrong: Wrong) -> str:
    cells = [wrong.id, wrong.kind, f"{wrong.fault:<7}", wrong.surface, wrong.detail]
    return "  " + "  ".join(_one_line(cell) for cell in cells if cell)


def _one_line(text: str) -> str:
    """Labelled text is text from outside: no control character of it reaches the terminal."""
    return "".join(char if char.isprintable() else "·" for char in text)[:240]


def _table(title: str, tallies: Mapping[tuple[str, str], Tally]) -> str:
    width = max(len(title), *(len(_one_line(name)) for _, name in tallies))
    checks = max(10, *(len(check) for check, _ in tallies))
    head = f"  {'check':<{checks}} {title:<{width}}  lines     tp    fp    fn"
    head += "  precision  recall      F1"
    rows = [
        f"  {check:<{checks}} {_one_line(name):<{width}}  {tally.lines:>5}  "
        f"{tally.tp:>5} {tally.fp:>5} {tally.fn:>5}  {_share(tally.precision):>9}  "
        f"{_share(tally.recall):>6}  {_share(tally.f1):>6}"
        for (check, name), tally in sorted(tallies.items())
    ]
    return "\n".join([f"by {title}", head, *rows])


def _totals(check: str, tally: Tally) -> str:
    precision = wilson(tally.tp, tally.tp + tally.fp)
    recall = wilson(tally.tp, tally.tp + tally.fn)
    line = (
        f"{check} precision {_share(tally.precision)} {_interval(precision)}  "
        f"recall {_share(tally.recall)} {_interval(recall)}  F1 {_share(tally.f1)}  "
        f"tp {tally.tp} fp {tally.fp} fn {tally.fn}  lines {tally.lines}"
    )
    if tally.unscored:
        line += f"  not scored {tally.unscored}"
    if tally.skipped:
        line += f"  not evaluated {tally.skipped}"
    return line


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"


def _interval(bounds: tuple[float, float]) -> str:
    return f"[{bounds[0]:.2f},{bounds[1]:.2f}]"
