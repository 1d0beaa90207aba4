"""Two releases in a store: compared and gated by the commands, over a real Redis."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from service.estimates.bounds import Outcome
from service.gating import Gatekeeper
from service.policy import AppPolicy, Policy
from service.store import Connection
from tests.contract.world import MakeWorld, World, event
from tests.servers import commands

RULES = """\
gates:
  release:
    - {rate: unresolved, at_most_ratio: 1.1, margin: 0.01}
  bound:
    - {rate: unresolved, at_most: 0.5}
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


def fill(world: World, now_ms: int) -> None:
    """r1 cites well in 60 answers; r2, seen later, cites nothing that was retrieved in 30 of 60."""
    old = [event(f"a{n}", release={"id": "r1", "model": "m", "prompt": "p1"}) for n in range(60)]
    new = [
        event(f"b{n}", "ghost" if n % 2 else "plans",
              release={"id": "r2", "model": "m", "prompt": "p2"})
        for n in range(60)
    ]  # fmt: skip
    world.take(old, at_ms=now_ms - 2 * 3_600_000)
    world.take(new, at_ms=now_ms - 3_600_000)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES)
    return path


@pytest.fixture
def run(_redis_url: str, redis_connection: Connection) -> Run:
    fill(World(redis_connection), int(time.time() * 1000))
    environ = {**os.environ, "GROUNDWATCH_REDIS_URL": _redis_url}
    return lambda *arguments: commands.run(arguments, environ)


def test_a_gate_finds_the_new_release_and_the_one_before(
    make_world: MakeWorld, rules: Path
) -> None:
    world, now = make_world(), time.time()
    fill(world, int(now * 1000))
    found = Gatekeeper(rules, world.archive, lambda: now).decide("release")
    assert (found.release, found.state) == ("r2", Outcome.FAIL)
    assert "0.00% in r1, 50.00% in r2 over 120 answers" in found.rulings[0].told


def test_a_gate_holds_the_channels_equal(make_world: MakeWorld, rules: Path) -> None:
    """r2 fails as often as r1 in each channel, but most of its answers are by phone."""
    world, now = make_world(), time.time()
    app = AppPolicy.model_validate(
        {"sampling": {"audit": 0}, "dimensions": {"channel": ["web", "phone"]}}
    )
    world.terms = replace(world.terms, policy=Policy(apps={"support": app}))
    for release, sizes in (("r1", {"web": 400, "phone": 100}), ("r2", {"web": 100, "phone": 400})):
        events = [
            event(f"{release}-{channel}-{n}", "ghost" if channel == "phone" and n % 2 else "plans",
                  release={"id": release}, tags={"channel": channel})
            for channel, size in sizes.items() for n in range(size)
        ]  # fmt: skip
        world.take(events, at_ms=int(now * 1000) - 3_600_000 * (2 if release == "r1" else 1))
    found = Gatekeeper(rules, world.archive, lambda: now).decide("release")
    told = found.rulings[0].told
    assert found.state is not Outcome.FAIL
    assert "25.00% in r1, 25.00% in r2 over 1,000 answers of one mix of app, ruleset, " in told
    assert "language and tag channel" in told


def test_releases_are_compared_from_the_command_line(run: Run) -> None:
    told = run("compare", "release:r1", "release:r2")
    assert told.returncode == 0, told.stderr
    assert "attributable: one recorded part differs (prompt: p1 → p2)" in told.stdout
    assert "higher by +50.00 points" in told.stdout
    found = json.loads(run("compare", "release:r1", "release:r2", "--format", "json").stdout)
    assert found["checked"] == [60, 60]
    gone = run("compare", "release:r1", "release:r9")
    assert gone.returncode == 2
    assert "no answer of release 'r9'" in gone.stderr
    nobody = run("compare", "release:r1", "release:r2", "--app", "[/suport]")
    assert nobody.returncode == 2
    assert "of app [/suport]; counted are " in nobody.stderr


def test_gates_end_with_their_exit_codes(run: Run, rules: Path) -> None:
    failed = run("gate", str(rules), "--gate", "release")
    assert (failed.returncode, failed.stdout.splitlines()[0]) == (1, "release: fail (release r2)")
    undecided = run("gate", str(rules), "--gate", "bound")
    assert undecided.returncode == 3, undecided.stderr
    passed = run("gate", str(rules), "--gate", "bound", "--release", "r1")
    assert passed.returncode == 0, passed.stderr
    wrong = run("gate", str(rules), "--gate", "none")
    assert wrong.returncode == 2
    assert "it has bound, release" in wrong.stderr


def test_the_report_of_the_month_is_written(run: Run, tmp_path: Path) -> None:
    month = time.strftime("%Y-%m", time.gmtime(time.time() - 3_600))
    told = run("report", "--month", month, "--out", str(tmp_path / "reports"))
    assert told.returncode == 0, told.stderr
    page, table = (tmp_path / "reports" / f"groundwatch-{month}.{kind}" for kind in ("html", "csv"))
    assert told.stdout.splitlines() == [str(page), str(table)]
    assert "unresolvable" in page.read_text().lower()
    assert '"release support r2"' in table.read_text()
    wrong = run("report", "--month", "2026-13")
    assert (wrong.returncode, "a month is written as 2026-11" in wrong.stderr) == (2, True)
