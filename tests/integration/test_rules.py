"""Rules, alerts and routes, by the programs that will read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers import unavailable
from tests.servers.prometheus import PrometheusMissing, amtool, program, promtool
from tests.unit.dashboards.rules import FILES, FOLDER, TESTS


@pytest.fixture(autouse=True, scope="module")
def _programs() -> None:
    try:
        program("promtool")
        program("amtool")
    except PrometheusMissing as error:
        unavailable(str(error))


def test_prometheus_takes_the_rules() -> None:
    done = promtool("check", "rules", *FILES)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_rules_do_what_their_tests_say(path: Path) -> None:
    done = promtool("test", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_alertmanager_takes_the_example() -> None:
    done = amtool("check-config", FOLDER / "alertmanager.example.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("labels", "receiver"),
    [
        (("alertname=GroundwatchBooksOutOfBalance", "severity=page"), "on-call"),
        (("alertname=GroundwatchCasesTooOld", "severity=ticket"), "tickets"),
    ],
)
def test_only_pages_wake_somebody(labels: tuple[str, ...], receiver: str) -> None:
    config = FOLDER / "alertmanager.example.yaml"
    done = amtool("config", "routes", "test", f"--config.file={config}", *labels)
    assert done.stdout.strip() == receiver
