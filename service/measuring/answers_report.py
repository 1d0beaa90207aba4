"""What a measurement of the answer step says. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from service.measuring.answering import PassRate, Ruled, pass_rate
from service.measuring.rating import Rating
from service.measuring.report import mean_lines, means_json, tag_lines
from service.measuring.runs import Run
from service.measuring.summary import by_tag, means, shares


def answers_text(run: Run, found: Sequence[Ruled]) -> list[str]:
    tags = {tag: shares(told) for tag, told in by_tag(run.outcomes).items()}
    parts = (
        [f"The answer step, retrieval held fixed: {run.header.run}", denominator(run)],
        list(_case_lines(found)),
        list(_rate_lines(pass_rate(found))),
        mean_lines(shares(means(run.outcomes))),
        tag_lines(tags) if tags else [],
    )
    return [line for part in parts if part for line in (*part, "")][:-1]


def denominator(run: Run) -> str:
    used = run.header.questions
    told = f"{used.total} cases, {used.measured} measured, {used.total - used.measured} apart"
    reasons = [f"{count} {reason}" for reason, count in used.excluded.items()]
    return f"{told}: {', '.join(reasons)}." if reasons else f"{told}."


def _case_lines(found: Sequence[Ruled]) -> Iterator[str]:
    if not found:
        yield "nothing measured"
        return
    width = max(len("case"), *(len(one.case.case_id) for one in found))
    yield f"{'case':<{width}}  passed        faithful    why"
    for one in found:
        word = {True: "passed", False: "failed", None: "undetermined"}[one.passed]
        why = "; ".join(one.why) + (" (critical)" if one.case.critical and not one.passed else "")
        name = f"{one.case.case_id:<{width}}"
        yield f"{name}  {word:<12}  {_faithful(one):<10}  {why}".rstrip()


def _faithful(one: Ruled) -> str:
    got = one.answered.got
    if not isinstance(got, Rating):
        return "–"
    return {True: "yes", False: "no", None: "not judged"}[got.faithful]


def _rate_lines(rate: PassRate) -> Iterator[str]:
    if not rate.decided:
        yield "No case could be decided."
    else:
        share = rate.passed / rate.decided
        yield (
            f"{rate.passed} of {rate.decided} passed: {share:.3f} "
            f"[{rate.low:.3f},{rate.high:.3f}] (95 % interval, Wilson)."
        )
        yield (
            "That is the ceiling of the whole system on these questions: every case was given all "
            "chunks that it needs, which retrieval does not always do."
        )
    for reason, count in rate.undecided.items():
        yield f"In no rate: {count} {reason}."


def answers_json(run: Run, found: Sequence[Ruled]) -> dict[str, Any]:
    rate = pass_rate(found)
    return {
        "run": run.header,
        "denominator": denominator(run),
        "ceiling": {
            "passed": rate.passed,
            "decided": rate.decided,
            "share": rate.passed / rate.decided if rate.decided else None,
            "low": rate.low,
            "high": rate.high,
            "undecided": rate.undecided,
        },
        "means": means_json(means(run.outcomes)),
        "by_tag": {tag: means_json(told) for tag, told in by_tag(run.outcomes).items()},
        "cases": [
            {"why": one.why, "outcome": outcome}
            for one, outcome in zip(found, run.outcomes, strict=True)
        ],
    }
