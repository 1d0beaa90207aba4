"""What holds for every test: no sockets in the pure ones, and no skip that goes unnoticed."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
WITHOUT_SOCKETS = (TESTS / "unit", TESTS / "architecture")


def pytest_configure() -> None:
    """A shell's own settings must not steer a test, nor a process that one starts."""
    for name in [name for name in os.environ if name.startswith("GROUNDWATCH_")]:
        del os.environ[name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in WITHOUT_SOCKETS):
            item.add_marker(pytest.mark.disable_socket)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the very end, in red, what was not tested and why."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report) for report in skipped)
    if not reasons:
        return
    terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} test(s) skipped: {reason}", red=True)


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr)
