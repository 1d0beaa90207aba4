"""Gates over files and counters, on the command line and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from service import cli
from service.gating import Gatekeeper
from service.measuring.rules import BadRules
from service.measuring.runs import Run, write_run
from tests.unit.measuring.made_runs import made_run
from tests.unit.web.traffic import Stream, counters
from tests.unit.web.world import NOW_MS, MemoryCounters, World

RULES = """\
gates:
  nightly:
    - {measure: hit@5, of: run.jsonl, at_least: 0.5, min_n: 2}
    - {no_regression_of: hit@5, of: run.jsonl, against: old.jsonl}
  release:
    - {rate: unresolved, at_most_ratio: 1.1, margin: 0.02}
  bound:
    - {rate: unresolved, app: support, at_most: 0.1}
"""


class Live(MemoryCounters):
    """``seen``: release → when it was first seen, of the app `support`."""

    def __init__(self, streams: Iterable[Stream], seen: Mapping[str, int]) -> None:
        super().__init__(counters(streams))
        self.seen = seen

    def releases_first_seen(self, apps: Iterable[str], most: int) -> dict[tuple[str, str], int]:
        return {("support", release): ms for release, ms in self.seen.items() if "support" in apps}


OLD = Stream("support", "r1", first=9, last=4, hourly=30, unresolved=0.02)
GOOD = Stream("support", "r2", first=4, last=2, hourly=30, unresolved=0.02)
BAD = Stream("support", "r3", first=2, hourly=30, unresolved=0.3)
LIVE = Live([OLD, GOOD, BAD], {"r3": 3, "r1": 1, "r2": 2, "silent": 2})


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    write(tmp_path / "run.jsonl", made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": 1.0}}))
    write(tmp_path / "old.jsonl", made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": 0.0}}))
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


def write(path: Path, run: Run) -> None:
    path.write_bytes(b"".join(write_run(run)))


def keeper(rules: Path) -> Gatekeeper:
    return Gatekeeper(rules, LIVE, lambda: NOW_MS / 1000)


def test_the_new_release_is_the_last_first_seen_and_is_held_against_the_one_before(
    rules: Path,
) -> None:
    found = keeper(rules).decide("release")
    assert (found.release, found.state) == ("r3", "fail")
    assert "in r2" in found.rulings[0].told


def test_a_named_release_is_held_against_the_one_before_it_that_has_answers(rules: Path) -> None:
    found = keeper(rules).decide("release", "r2")
    assert (found.release, found.state) == ("r2", "pass")
    assert "in r1" in found.rulings[0].told
    first = keeper(rules).decide("release", "r1")
    assert first.state == "undecided"
    assert "no release before r1" in first.rulings[0].told


def test_a_release_without_answers_is_undecided(rules: Path) -> None:
    assert keeper(rules).decide("bound", "r9").state == "undecided"
    nobody = Gatekeeper(rules, Live([], {}), lambda: NOW_MS / 1000)
    assert "no release is known" in nobody.decide("release").rulings[0].told
    assert nobody.decide("release").release is None


def get(rules: Path | None, path: str) -> Any:
    return World(gates=keeper(rules) if rules else None).get(path)


def test_an_app_that_the_policy_does_not_name_has_no_counters_of_its_own(rules: Path) -> None:
    rules.write_text(RULES.replace("app: support", "app: suport"), encoding="utf-8")
    (ruling,) = keeper(rules).decide("bound").rulings
    assert ruling.state == "undecided"
    assert ruling.told.startswith(
        "no answers of app suport in the last 14 days; counted are support"
    )


def test_a_rules_file_that_is_no_text_is_named(rules: Path) -> None:
    rules.write_bytes(b"\xff\xfe")
    with pytest.raises(BadRules, match=r"rules\.yaml: not a text in UTF-8"):
        keeper(rules).read()


def test_the_state_over_http_is_a_word_and_a_number(rules: Path) -> None:
    assert get(rules, "/v1/gates/release").json()["value"] == -1
    body = get(rules, "/v1/gates/release?release=r2").json()
    assert (body["state"], body["value"], body["release"]) == ("pass", 1, "r2")
    undecided = get(rules, "/v1/gates/bound?release=r9").json()
    assert (undecided["state"], undecided["value"]) == ("undecided", 0)
    assert get(rules, "/v1/gates/nightly").json()["rules"][1]["told"] == (
        "none of 2 questions regressed"
    )


def test_what_is_not_there_is_404_and_what_cannot_be_read_503(rules: Path) -> None:
    assert get(rules, "/v1/gates/other").status_code == 404
    none = get(None, "/v1/gates/release")
    assert none.status_code == 404
    assert "GROUNDWATCH_GATES" in none.json()["detail"]
    (rules.parent / "run.jsonl").write_text("{}\n")
    broken = get(rules, "/v1/gates/nightly")
    assert broken.status_code == 503
    assert "run.jsonl, line 1" in broken.json()["detail"]
    assert broken.headers["Retry-After"] == "60"
    rules.write_text(RULES.replace("at_most:", "at_mots:"))
    assert "did you mean at_most?" in get(rules, "/v1/gates/release").json()["detail"]


@pytest.fixture
def gate(rules: Path) -> Callable[..., Any]:
    return lambda *arguments: CliRunner().invoke(
        cli.app, ["gate", str(rules), "--gate", "nightly", *arguments]
    )


def test_the_exit_code_says_how_it_was_decided(rules: Path, gate: Callable[..., Any]) -> None:
    assert gate().exit_code == 0
    write(rules.parent / "run.jsonl", made_run({"a": {"hit@5": 0.0}, "b": {"hit@5": 1.0}}))
    failed = gate()
    assert failed.exit_code == 1
    assert "1 question of 2 regressed: a" in failed.stdout
    write(rules.parent / "run.jsonl", made_run({"a": {"hit@5": 1.0}}))
    undecided = gate()
    assert undecided.exit_code == 3
    assert undecided.stdout.startswith("nightly: undecided")
    assert isinstance(gate("--gate", "nigtly").exception, ValueError)


def test_the_verdict_is_written_for_ci(rules: Path, gate: Callable[..., Any]) -> None:
    xml, table = rules.parent / "gate.xml", rules.parent / "gate.md"
    told = gate("--junit", str(xml), "--markdown", str(table), "--format", "json")
    assert json.loads(told.stdout)["state"] == "pass"
    suite = ElementTree.fromstring(xml.read_text())[0]  # noqa: S314 (our own)
    assert suite.attrib["tests"] == "2"
    assert table.read_text().startswith("### ✓ Gate nightly: pass")


def test_rules_of_live_answers_need_a_redis_store(rules: Path) -> None:
    told = CliRunner().invoke(cli.app, ["gate", str(rules)])
    assert "works on a Redis store" in str(told.exception)
