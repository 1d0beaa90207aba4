"""The checks in their order, and one answer or a few on their way through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from traceback import walk_tb

from service.checks import (
    abstention,
    access,
    citation_coverage,
    citations,
    identifiers,
    links,
    numbers,
    overlap,
    quotes,
    retrieval,
    scope,
)
from service.checks.citations import CitationReading
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome, Span


@dataclass(slots=True)
class _Run:
    """One answer on its way through the checks: what the earlier ones found and claimed."""

    given: CheckInput
    reading: CitationReading | None
    owned: tuple[Span, ...] = ()
    results: dict[str, CheckResult] = field(default_factory=lambda: dict(_NONE))


_CHECKS: Mapping[str, Callable[[_Run], CheckResult]] = {
    "citations": lambda run: citations.check(run.given, run.reading),
    "links": lambda run: links.check(run.given, run.owned),
    "quotes": lambda run: quotes.check(run.given, run.owned),
    "numbers": lambda run: numbers.check(run.given, run.owned, run.reading),
    "identifiers": lambda run: identifiers.check(run.given, run.owned),
    "citation_coverage": lambda run: citation_coverage.check(run.given, run.reading),
    "abstention": lambda run: abstention.check(run.given),
    "access": lambda run: access.check(run.given, run.reading),
    "retrieval": lambda run: retrieval.check(run.given, run.reading),
    "scope": lambda run: scope.check(run.given, run.results["numbers"].evidence),
    "overlap": lambda run: overlap.check(run.given, run.reading),
}

CHECKS: tuple[str, ...] = tuple(_CHECKS)
_IN_TURN = ("overlap", *(name for name in CHECKS if name != "overlap"))
"""As they run. ``overlap``, which looks at every word of the chunks, leaves ``numbers`` fewer to
look at."""
# So that the results stand in the order of the checks, in whatever turn they are made.
_NONE: Mapping[str, CheckResult] = dict.fromkeys(CHECKS, CheckResult(Outcome.DISABLED))

REASONS: Mapping[str, tuple[str, ...]] = {
    "citations": tuple(citations.SEVERITY),
    "links": links.REASONS,
    "quotes": tuple(quotes.SEVERITY),
    "numbers": tuple(numbers.SEVERITY),
    "identifiers": identifiers.REASONS,
    "citation_coverage": tuple(citation_coverage.SEVERITY),
    "abstention": tuple(abstention.SEVERITY),
    "access": tuple(access.SEVERITY),
    "retrieval": (),
    "scope": (),
    "overlap": (),
}
"""The closed set of finding reasons of each check. The last three measure and never fail."""


def run_checks(given: CheckInput, reading: CitationReading | None = None) -> dict[str, CheckResult]:
    """One result a check, in the order of :data:`CHECKS`; never raises for a check that raises.

    A span has one owner: what an earlier check claims, a later one leaves alone. ``reading`` is
    what :func:`service.checks.citations.read` returned for this event; it is read anew when absent.
    """
    return run_together([(given, reading)])[0]


TOGETHER = 8
"""Answers that are best checked together: a check goes over all of them before the next begins, so
that its code stays in the processor's cache, and few enough for their texts to stay there too. What
the checks of one answer share has to be remembered for as many."""


Lap = Callable[[str], object]
"""A stopwatch's button: pressed with the name of a check when that is through its answers, and with
none before the first one."""


def run_together(
    asked: Iterable[tuple[CheckInput, CitationReading | None]], lap: Lap = lambda _: None
) -> list[dict[str, CheckResult]]:
    """What :func:`run_checks` returns for each, in order."""
    runs = [_Run(given, reading) for given, reading in asked]
    lap("")
    for name in _IN_TURN:
        check = _CHECKS[name]
        for run in runs:
            result = _result(name, check, run)
            run.owned += result.owned
            run.results[name] = result
        lap(name)
    return [run.results for run in runs]


def _result(name: str, check: Callable[[_Run], CheckResult], run: _Run) -> CheckResult:
    if name in run.given.policy.disabled_checks:
        return CheckResult(Outcome.DISABLED)
    try:
        return check(run)
    except Exception as error:  # noqa: BLE001 (a fault of one check: counted, the others go on)
        return CheckResult(
            Outcome.NOT_EVALUATED,
            not_evaluated=NotEvaluated.CHECK_ERROR,
            error=where(error),
        )


def where(error: BaseException) -> str:
    """``ValueError at numbers.py:88``: the class and the innermost frame. The message of an
    exception may repeat the answer, so it is not shown."""
    place = ""
    for frame, line in walk_tb(error.__traceback__):
        place = f" at {PurePath(frame.f_code.co_filename).name}:{line}"
    return f"{type(error).__name__}{place}"
