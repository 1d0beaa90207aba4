"""The free checks: pure functions of one answer event and its app's policy.

:data:`CHECKS` names them in the order in which they own spans of the answer; :func:`run_checks`
runs them all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from traceback import walk_tb

from service.checks import citations, numbers
from service.checks.citations import CitationReading
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome, Span

CHECKS: tuple[str, ...] = ("citations", "numbers")


def run_checks(given: CheckInput, reading: CitationReading | None = None) -> dict[str, CheckResult]:
    """One result a check, in the order of :data:`CHECKS`; never raises for a check that raises.

    A span has one owner: what ``citations`` claims, ``numbers`` leaves alone. ``reading`` is what
    :func:`service.checks.citations.read` returned for this event; it is read anew when absent.
    """
    disabled = given.policy.disabled_checks
    results: dict[str, CheckResult] = {}
    owned: tuple[Span, ...] = ()
    for name in CHECKS:
        if name in disabled:
            results[name] = CheckResult(Outcome.DISABLED)
            continue
        check = _CHECKS[name]
        try:
            result = check(given, reading, owned)
        except Exception as error:  # noqa: BLE001
            result = CheckResult(
                Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.CHECK_ERROR, error=where(error)
            )
        owned += result.owned
        results[name] = result
    return results


Check = Callable[[CheckInput, CitationReading | None, tuple[Span, ...]], CheckResult]


def _citations(
    given: CheckInput, reading: CitationReading | None, owned: tuple[Span, ...]
) -> CheckResult:
    return citations.check(given, reading)


def _numbers(
    given: CheckInput, reading: CitationReading | None, owned: tuple[Span, ...]
) -> CheckResult:
    return numbers.check(given, owned)


_CHECKS: dict[str, Check] = {"citations": _citations, "numbers": _numbers}


def where(error: BaseException) -> str:
    """``ValueError at numbers.py:88``: the class and the innermost frame. The message of an
    exception may repeat the answer, so it is not shown."""
    place = ""
    for frame, line in walk_tb(error.__traceback__):
        place = f" at {PurePath(frame.f_code.co_filename).name}:{line}"
    return f"{type(error).__name__}{place}"
