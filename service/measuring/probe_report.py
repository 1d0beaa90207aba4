"""What a probe found, as lines of text: first what an alert would say. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from service.measuring.probed import ProbeResult
from service.measuring.questions import Selection
from service.measuring.report import attainable_lines, mean_lines, missing_lines, stale_lines
from service.measuring.runs import Run
from service.measuring.summary import denominator, means


def probe_text(run: Run, selection: Selection, result: ProbeResult) -> list[str]:
    header = run.header
    release = header.release.get("id") or "that no answer names"
    parts = (
        [f"Probe: app {header.app}, release {release}", denominator(header.questions)],
        _alerts(result),
        _limits(run, result),
        missing_lines(run, result.k),
        mean_lines(means(run.outcomes)),
        attainable_lines(run, result.k),
        stale_lines(selection),
    )
    return [line for part in parts if part for line in (*part, "")][:-1]


def _alerts(result: ProbeResult) -> list[str]:
    found = (
        ("Critical questions without a hit", result.lost, result.lost_ids),
        ("Unanswerable questions that got an answer", result.answered, result.answered_ids),
    )
    return [f"{what}: {count} ({_named(count, ids)})" for what, count, ids in found if count]


def _named(count: int, ids: Sequence[str]) -> str:
    more = f" and {count - len(ids)} more" if count > len(ids) else ""
    return ", ".join(ids) + more


def _limits(run: Run, result: ProbeResult) -> list[str]:
    """What this probe cannot tell."""
    lines = []
    if result.failed:
        lines.append(f"Without an answer, and in no mean: {result.failed} of {result.questions}.")
    answered = [each for each in run.outcomes if each.error is None]
    needed = [each for each in answered if each.behaviour == "answer"]
    if needed and all(each.measures.get(f"hit@{result.k}") is None for each in needed):
        lines.append("The target does not say what it retrieved, so no hit is known.")
    if not result.unanswerable:
        lines.append("No question is unanswerable (behaviour no_answer or deny).")
    if not any(each.critical for each in run.outcomes):
        lines.append("No question is critical.")
    return lines
