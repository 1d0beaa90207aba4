"""What holds for every test: no sockets in the pure ones, none but to this machine in the others,
and no skip that goes unnoticed."""

from __future__ import annotations

import gc
import logging
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import structlog

TESTS = Path(__file__).parent
WITHOUT_SOCKETS = (TESTS / "unit", TESTS / "architecture")
LOOPBACK = ["127.0.0.1", "::1", "localhost"]
SERVERS = ("TEST_KAFKA_BOOTSTRAP", "TEST_REDIS_URL")
"""Name servers that may stand elsewhere."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """A shell's own settings must not steer a test, nor a process that one starts. Sockets of this
    machine's file system reach no other one, and an event loop wakes itself up through a pair. The
    workers of a parallel run would flush each other's Redis if one were given."""
    if config.getoption("numprocesses", None) and os.environ.get("TEST_REDIS_URL"):
        raise pytest.UsageError("TEST_REDIS_URL names one server: run with -n 0")
    config.option.allow_unix_socket = True
    for name in [name for name in os.environ if name.startswith("GROUNDWATCH_")]:
        del os.environ[name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    hosts = LOOPBACK + [host for name in SERVERS for host in _hosts_in(os.environ.get(name, ""))]
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in WITHOUT_SOCKETS):
            item.add_marker(pytest.mark.disable_socket)
        elif item.get_closest_marker("allow_hosts") is None:
            item.add_marker(pytest.mark.allow_hosts(hosts))


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """A command configures logging to the standard error that it was run with, which is closed
    when its test ends."""
    handlers = list(logging.root.handlers)
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers


def pytest_collection_finish() -> None:
    """Thousands of tests, and what they import, stay alive to the end: no later collection of
    garbage has to go through them."""
    gc.collect()
    gc.freeze()


def _hosts_in(addresses: str) -> list[str]:
    """The hosts of a URL, or of ``host:port,host:port``."""
    urls = [url if "://" in url else f"//{url}" for url in addresses.split(",")]
    return [host for url in urls if (host := urlsplit(url).hostname)]


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
