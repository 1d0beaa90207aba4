"""What a labelled line says about the check that it speaks about, and how that is scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.checks import CHECKS
from service.checks.model import CheckResult, Finding, Span
from service.evaluation.scores import Accuracy, Tally
from service.events import AnswerEvent

EXPECTATIONS = {
    "unresolved_citations": "citations",
    "unsupported_numbers": "numbers",
    **{check: check for check in CHECKS},
}
"""Which key of ``expect`` lists surfaces of which check."""

_KINDS = ("label", "measures")
"""What else a key of ``expect`` may name of a check: ``abstention_label``."""

TOLERANCE = 1e-6
"""By how much a measure may differ from the value that is expected."""

Fault = tuple[str, str, str]
"""What kind of fault, the surface or what was expected, and a detail."""


class EvaluationError(ValueError):
    """A line that cannot be scored; the message names its number and never its text."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"line {number}: {message}")
        self.number = number


@dataclass(frozen=True, slots=True)
class SurfaceLabels:
    """What a case expects: surfaces, and for each the others that would be as good.

    The surface "" stands for one finding, with or without a place, that no other surface claims.
    """

    check: str
    expected: Sequence[str]
    alternatives: Mapping[str, Sequence[str]]
    key: str = ""
    """Of ``expect``, for what is said about it."""

    def score(self, answer: str, findings: Sequence[Finding]) -> tuple[Tally, list[Fault]]:
        """An expected surface is found when a finding overlaps one of its occurrences; equal ones
        need a finding each, as far as the answer has that many."""
        right: set[int] = set()
        tally = Tally()
        wrong: list[Fault] = []
        named = Counter(self.expected)
        unnamed = named.pop("", 0)
        for surface, wanted in named.items():
            spans = list(_occurrences(answer, surface))
            hits = self._hits(answer, surface, spans, findings)
            right |= hits
            found = min(wanted, len(hits))
            if hits and len(spans) < wanted:
                found = max(found, wanted - max(0, len(spans) - len(hits)))
            tally.tp += found
            tally.fn += wanted - found
            wrong += [("missed", surface, "")] * (wanted - found)
        rest = [finding for place, finding in enumerate(findings) if place not in right]
        rest.sort(key=lambda finding: finding.start is not None)
        found = min(unnamed, len(rest))
        tally.tp += found
        tally.fn += unnamed - found
        wrong += [("missed", "", "a finding whose surface is not named")] * (unnamed - found)
        for finding in rest[found:]:
            tally.fp += 1
            wrong.append(("false", finding.surface, f"{finding.reason}: {finding.detail}"))
        return tally, wrong

    def doubts(self, event: AnswerEvent, findings: Sequence[Finding]) -> Iterator[str]:
        """Surfaces that nothing could be found by, by their number in the line: they count as
        missed, and may be mistyped. What a structured citation says, and the ref of a chunk, need
        not stand in the answer."""
        known = {finding.surface for finding in findings}
        known.update(chunk.ref for chunk in event.retrieved)
        for citation in event.citations:
            known.update(told for told in (citation.ref, citation.quote) if told)
        for place, surface in enumerate(self.expected, 1):
            names = (surface, *self.alternatives.get(surface, ()))
            if not any(name in event.answer or name in known for name in names):
                yield (
                    f"expect.{self.key}: surface {place} does not stand in the answer, so that no "
                    "finding can be it"
                )
        for place, surface in enumerate(self.alternatives, 1):
            if surface not in self.expected:
                yield f"alt: name {place} is none of the surfaces of expect.{self.key}"

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


@dataclass(frozen=True, slots=True)
class ClassLabel:
    """The class that a classifying check should decide on."""

    expected: str

    def score(self, label: str) -> tuple[Accuracy, list[Fault]]:
        if label == self.expected:
            return Accuracy(1, 1), []
        return Accuracy(0, 1), [("wrong", f"label {self.expected}", f"came {label or 'none'}")]


Measure = float | tuple[float, float]
"""The value of a measure, or the closed range in which it should lie."""


@dataclass(frozen=True, slots=True)
class MeasureLabels:
    """What a check should measure, by name; a measure that it does not return is wrong."""

    expected: Mapping[str, Measure]

    def score(self, measures: Mapping[str, float]) -> tuple[Accuracy, list[Fault]]:
        wrong: list[Fault] = [
            ("wrong", f"{name} {_shown(wanted)}", f"came {_shown(measures.get(name))}")
            for name, wanted in self.expected.items()
            if not _measures_up(measures.get(name), wanted)
        ]
        total = len(self.expected)
        return Accuracy(total - len(wrong), total), wrong


def _measures_up(value: float | None, wanted: Measure) -> bool:
    if value is None:
        return False
    if isinstance(wanted, tuple):
        return wanted[0] <= value <= wanted[1]
    return abs(value - wanted) <= TOLERANCE


def _shown(measure: Measure | None) -> str:
    if measure is None:
        return "none"
    if isinstance(measure, tuple):
        return f"[{measure[0]:g}, {measure[1]:g}]"
    return f"{measure:.9g}"


@dataclass(frozen=True, slots=True)
class Labels:
    """All that a line says about its one check."""

    check: str
    findings: SurfaceLabels | NumberLabels | None = None
    label: ClassLabel | None = None
    measures: MeasureLabels | None = None

    def doubts(self, event: AnswerEvent, result: CheckResult) -> Iterator[str]:
        """What may be a slip of whoever labelled the line."""
        if isinstance(self.findings, SurfaceLabels):
            yield from self.findings.doubts(event, result.findings)

    def score(
        self, answer: str, result: CheckResult
    ) -> Iterator[tuple[str, Tally | Accuracy, list[Fault]]]:
        """A row's name, score and faults for each thing that the line speaks about."""
        if self.findings is not None:
            yield self.check, *self.findings.score(answer, result.findings)
        if self.label is not None:
            yield f"{self.check} label", *self.label.score(result.label)
        if self.measures is not None:
            yield f"{self.check} measures", *self.measures.score(dict(result.measures))


# ------------------------------------------------------------------------------------- reading them


def read_labels(number: int, line: Mapping[str, Any]) -> Labels | None:
    """What a line says; None for an empty ``expect``, which names no check."""
    if isinstance(line.get("numbers"), list):
        unsupported = [_span(number, label) for label in _graded(number, line, "unsupported")]
        supported = [_span(number, label) for label in _graded(number, line, "supported")]
        return Labels("numbers", NumberLabels(unsupported, supported))
    expect = line.get("expect")
    if not isinstance(expect, dict):
        raise EvaluationError(number, "expect: required, but missing (or numbers with gold)")
    if not expect:
        return None
    surfaces = [key for key in EXPECTATIONS if key in expect]
    named = {EXPECTATIONS[key] for key in surfaces}
    named |= {check for check in CHECKS for kind in _KINDS if f"{check}_{kind}" in expect}
    if len(named) != 1 or len(surfaces) > 1:
        raise EvaluationError(
            number,
            f"expect: needs exactly one of {', '.join(EXPECTATIONS)}, "
            "or <check>_label or <check>_measures of the same check",
        )
    (check,) = named
    return Labels(
        check,
        _surfaces(number, surfaces[0], expect, line.get("alt") or {}) if surfaces else None,
        _label(number, f"{check}_label", expect),
        _measures(number, f"{check}_measures", expect),
    )


def _surfaces(
    number: int, key: str, expect: Mapping[str, Any], alternatives: object
) -> SurfaceLabels:
    if not _are_texts(expect[key]):
        raise EvaluationError(number, f"expect.{key}: must be a list of strings")
    if not isinstance(alternatives, dict) or not all(
        _are_texts(others) and all(others) for others in alternatives.values()
    ):
        raise EvaluationError(number, "alt: must be an object of lists of strings, none empty")
    return SurfaceLabels(EXPECTATIONS[key], expect[key], alternatives, key)


def _label(number: int, key: str, expect: Mapping[str, Any]) -> ClassLabel | None:
    if key not in expect:
        return None
    label = expect[key]
    if not isinstance(label, str) or not label:
        raise EvaluationError(number, f"expect.{key}: must be a string that is not empty")
    return ClassLabel(label)


def _measures(number: int, key: str, expect: Mapping[str, Any]) -> MeasureLabels | None:
    if key not in expect:
        return None
    found = expect[key]
    if not isinstance(found, dict) or not found:
        raise EvaluationError(number, f"expect.{key}: must be an object that is not empty")
    return MeasureLabels({name: _measure(number, key, value) for name, value in found.items()})


def _measure(number: int, key: str, found: object) -> Measure:
    match found:
        case int() | float() if not isinstance(found, bool):
            return found
        case [int() | float() as low, int() | float() as high] if low <= high:
            return low, high
    raise EvaluationError(number, f"expect.{key}: each must be a number or [low, high]")


def _are_texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(text, str) for text in found)


def _graded(number: int, line: Mapping[str, Any], gold: str) -> Iterator[Mapping[str, Any]]:
    for label in line["numbers"]:
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
