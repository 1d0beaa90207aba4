"""Check ``citation_coverage``: in an app that must cite, every assertion is under a citation.

A citation covers its own sentence and what it visibly closes; docs/checks/citation_coverage.md
says what that is. Whether the citation resolves is the business of ``citations``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from service.checks import citations
from service.checks.abstention import own_phrases
from service.checks.citations import CitationReading
from service.checks.model import (
    CheckInput,
    CheckResult,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
    Span,
)
from service.checks.reading import speech
from service.checks.reading.marks import says_nothing, touched
from service.checks.reading.sentences import Kind
from service.checks.reading.sources import in_german
from service.checks.reading.speech import Spoken
from service.checks.reading.speech_phrases import Act

NAME = "citation_coverage"
MAX_ANSWER = citations.MAX_ANSWER
"""Characters of an answer past which it is not evaluated (``too_large``)."""
MAX_FINDINGS = 20
"""Findings of one answer; ``failed`` and the measures count on."""

UNCITED_SENTENCE = "uncited_sentence"
SEVERITY: dict[str, Severity] = {UNCITED_SENTENCE: Severity.MEDIUM}
"""Every reason of this check, and how bad it is."""

_LONGEST_SURFACE = 500


def check(given: CheckInput, reading: CitationReading | None = None) -> CheckResult:
    """Measure ``share_covered`` of the ``sentences`` that assert something; each uncovered one is
    a finding. ``not_applicable`` where the policy does not require citations, for a truncated
    answer, and where nothing is asserted. ``reading`` is read anew when absent.
    """
    event = given.event
    if not given.policy.citations.required or event.status == "truncated":
        return CheckResult(Outcome.NOT_APPLICABLE)
    answer = event.answer
    if len(answer) > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    if reading is None:
        reading = citations.read(event, given.policy.citations)
    if reading.too_large:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    spoken = speech.read(answer, own_phrases(given.policy.abstention))
    structured = _structured(given)
    spans = [span for span in structured if span is not None]
    lines = _lines(answer, spoken, reading, spans)
    asserting = [line for line in lines if line.asserts]
    if not asserting:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if len(spans) < len(structured):
        # the API says that the answer as a whole has this source, and not where
        _all(lines)
    else:
        _cover(answer, lines)
    bare = [line for line in asserting if not line.covered]
    findings = tuple(_findings(given, bare, len(asserting)))
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        findings,
        evaluated=len(asserting),
        failed=len(bare),
        measures=(
            ("share_covered", 1 - len(bare) / len(asserting)),
            ("sentences", float(len(asserting))),
        ),
    )


# ── the sentences, and the citations in them ──────────────────────────────────────────────────


@dataclass(slots=True)
class _Line:
    """One sentence. ``unit`` numbers the paragraph, list item or row that it is part of."""

    start: int
    end: int
    kind: Kind
    block: int
    unit: int
    asserts: bool
    marks: list[Span] = field(default_factory=list)
    """The markers in it. Structured citations without one only set ``covered``."""
    is_source: bool = False
    """It is nothing but citations: [1], or Quelle: kb-101."""
    covered: bool = False


def _structured(given: CheckInput) -> list[Span | None]:
    """The part of the answer that each structured citation covers; None for one without a place."""
    forms = given.policy.citations.forms
    if forms is not None and "structured" not in forms:
        return []
    length = len(given.event.answer)
    spans: list[Span | None] = []
    for one in given.event.citations:
        start = one.start
        if start is None or not 0 <= start <= length:
            spans.append(None)
        else:
            spans.append((start, one.end if one.end is not None else start + 1))
    return spans


_NOTHING = re.compile(r"[\s\W_]*")
_BOLD = re.compile(r"(?:\*\*[^*\n0-9]{1,120}\*\*|__[^_\n0-9]{1,120}__)")


def _lines(
    answer: str, spoken: Sequence[Spoken], reading: CitationReading, spans: Sequence[Span]
) -> list[_Line]:
    lines: list[_Line] = []
    unit, last_end, last_block = 0, 0, -1
    for one, act in spoken:
        start, end, kind, block = one.start, one.end, one.kind, one.block
        # between two items stands the marker of the second, within one only white space
        if block != last_block or kind is Kind.ROW or not answer[last_end:start].isspace():
            unit += 1
        last_end, last_block = end, block
        lines.append(_Line(start, end, kind, block, unit, act is Act.ASSERTS))
    starts = [line.start for line in lines]
    for cited in reading.citations:
        if cited.start is not None and cited.end is not None:
            for at in touched(starts, cited.start, cited.end):
                lines[at].covered = True
                lines[at].marks.append((cited.start, cited.end))
    for start, end in spans:
        for at in touched(starts, start, end):
            lines[at].covered = True
    definitions = {bisect_right(starts, start) - 1 for start, _ in reading.definitions}
    for number, line in enumerate(lines):
        if number in definitions:
            line.asserts = False
        elif line.marks and says_nothing(answer, line.start, line.end, line.marks):
            line.is_source, line.asserts = True, False
        elif line.kind is Kind.ITEM and line.asserts and number + 1 < len(lines):
            line.asserts = not _leads(answer, line, lines[number + 1])
    return lines


def _leads(answer: str, line: _Line, following: _Line) -> bool:
    """An item that is all bold, over items that stand further in: their heading."""
    return (
        following.block == line.block
        and following.unit != line.unit
        and _BOLD.fullmatch(answer, line.start, line.end) is not None
        and _column(answer, following.start) > _column(answer, line.start)
    )


def _column(answer: str, at: int) -> int:
    return at - answer.rfind("\n", 0, at)


# ── what a citation covers ────────────────────────────────────────────────────────────────────


def _cover(answer: str, lines: list[_Line]) -> None:
    if any(line.is_source for line in lines) and not any(
        line.covered and not line.is_source for line in lines
    ):
        if lines[-1].is_source:
            _all(lines)
            return
    units = [list(group) for _, group in groupby(lines, key=lambda line: line.unit)]
    for unit in units:
        _close(answer, unit)
    blocks = [list(group) for _, group in groupby(lines, key=lambda line: line.block)]
    for block in blocks:
        if block[0].kind in (Kind.ITEM, Kind.ROW) or block[-1].kind is Kind.ROW:
            _close(answer, block)
            if block[0].kind is Kind.HEADING and block[0].marks:
                _all(block)
    _join(answer, blocks)


def _all(lines: list[_Line]) -> None:
    for line in lines:
        line.covered = True


def _close(answer: str, lines: list[_Line]) -> None:
    """The only citations of a paragraph, an item or a list, at its end, cover all of it."""
    said = [line for line in lines if not line.is_source]
    if any(line.is_source for line in lines[-1:]) and not any(line.covered for line in said):
        _all(lines)
    elif lines[-1].marks and not any(line.covered for line in lines[:-1]):
        after = answer[max(end for _, end in lines[-1].marks) : lines[-1].end]
        if _NOTHING.fullmatch(after) is not None:
            _all(lines)


def _join(answer: str, blocks: list[list[_Line]]) -> None:
    """What reaches over blocks: a cited heading, a lead-in, a line of sources."""
    heading = False
    for number, block in enumerate(blocks):
        if block[0].kind is Kind.HEADING and len(block) == 1:
            heading = bool(block[0].marks)
        elif heading:
            _all(block)
        before = blocks[number - 1] if number else []
        if before and answer[before[-1].start : before[-1].end].endswith((":", "：")):
            if before[-1].marks:
                _all(block)
            elif all(line.covered for line in block if line.asserts):
                before[-1].covered = True
        if before and all(line.is_source for line in block):
            _all(before)
            if number > 1 and answer[: before[0].start].rstrip().endswith((":", "：")):
                blocks[number - 2][-1].covered = True


# ── what is reported ──────────────────────────────────────────────────────────────────────────


def _findings(given: CheckInput, bare: list[_Line], asserting: int) -> Iterator[Finding]:
    german = in_german(given)
    covered = asserting - len(bare)
    if german:
        detail = f"Zu diesem Satz fehlt ein Beleg; belegt sind {covered} von {asserting} Aussagen."
    else:
        detail = f"No citation covers this sentence; {covered} of {asserting} are covered."
    cause = "some_cited" if covered else "nothing_cited"
    for line in bare[:MAX_FINDINGS]:
        end = min(line.end, line.start + _LONGEST_SURFACE)
        yield Finding(
            NAME,
            UNCITED_SENTENCE,
            given.event.answer[line.start : end],
            line.start,
            end,
            detail,
            SEVERITY[UNCITED_SENTENCE],
            cause,
        )
