"""``groundwatch judge-check``: what it prints, and what it ends with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from service import cli
from service.demo.scripted_judge import MODEL, ScriptedJudge
from service.demo.scripted_rulings import Oracle
from service.judging.judgement import Judgement
from service.review.labels import Grounded
from service.store import Connection
from tests.contract.judged import GOOD, WRONG, judged_world, settle, taken
from tests.contract.reviewing import ANN, AUDIT, desk_of, policy, task
from tests.contract.world import NOW, World

Run = Callable[..., Result]
FALSE = "A seat is free"


class Judged:
    def __init__(self, connection: Connection) -> None:
        self.world = judged_world(lambda **caps: World(connection, **caps), audit=1.0)
        self.desk = desk_of(connection, policy(1.0))

    def judge(self, said: Judgement, people: Grounded, *names: str, **more: Any) -> None:
        for job in taken(self.world, *names, **more):
            settle(self.world, job, said)
        for name in names:
            lease = self.desk.claim(task(name, more.get("app", "support")), ANN, NOW)
            self.desk.save(lease, replace(AUDIT, grounded=people), 0, NOW + 1)


@pytest.fixture
def judged(redis_connection: Connection) -> Judged:
    return Judged(redis_connection)


@pytest.fixture
def run(_redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("service.cli.judge_check.time", lambda: NOW / 1000 + 60)
    usual = {"GROUNDWATCH_REDIS_URL": _redis_url, "COLUMNS": "200", "TERM": "dumb"}

    def invoke(*arguments: str, **env: str) -> Result:
        return CliRunner().invoke(cli.app, ["judge-check", *arguments], env=usual | env)

    return invoke


def named(letter: str, number: int) -> list[str]:
    return [f"{letter}{n}" for n in range(number)]


@pytest.fixture
def good(judged: Judged) -> Judged:
    """40 bad answers, all found; 40 fine ones, one of them called bad."""
    judged.judge(WRONG, Grounded.NO, *named("bad", 40))
    judged.judge(GOOD, Grounded.YES, *named("fine", 39))
    judged.judge(WRONG, Grounded.YES, "alarm")
    return judged


def test_without_a_bound_it_tells_and_passes(good: Judged, run: Run) -> None:
    told = run()
    assert told.exit_code == 0, told.output
    for words in ("Judge version m/r/p", "80 labels", "judge: bad", "sensitivity 100.0 %",
                  "specificity 97.5 %", "κ 0.9", "AC1", "answers with a bad claim",
                  "too few judged answers for ± 2 points"):  # fmt: skip
        # However wide the terminal is.
        assert words in " ".join(told.output.split())
    assert "pass" not in told.output


@pytest.mark.parametrize(
    ("bounds", "code", "said"),
    [
        (("--min-sensitivity", "0.8", "--min-specificity", "0.8"), 0, "pass"),
        (("--min-specificity", "0.999"), 1, "fail"),
        (("--min-sensitivity", "0.97"), 3, "undecided"),
        # One that surely does not hold decides, whatever the others.
        (("--min-sensitivity", "0.97", "--min-specificity", "0.999"), 1, "fail"),
    ],
)
def test_a_bound_holds_or_not_or_nobody_can_tell(
    good: Judged, run: Run, bounds: tuple[str, ...], code: int, said: str
) -> None:
    told = run(*bounds)
    assert told.exit_code == code, told.output
    assert said in told.output
    assert json.loads(run(*bounds, "--format", "json").stdout)["outcome"] == said


def test_without_labels_nobody_can_tell(judged: Judged, run: Run) -> None:
    for job in taken(judged.world, "a"):
        settle(judged.world, job, GOOD)
    told = run("--min-sensitivity", "0.1")
    assert told.exit_code == 3
    assert "uncalibrated" in told.output
    assert run().exit_code == 0


def test_apps_are_told_apart_and_chosen(good: Judged, run: Run) -> None:
    good.judge(GOOD, Grounded.NO, "missed", app="sales")
    assert "sales" in run().output
    of_sales = json.loads(run("--app", "sales", "--format", "json").stdout)
    assert of_sales["calibration"]["counts"] == [[0, 0], [1, 0]]
    assert json.loads(run("--days", "1", "--format", "json").stdout)["days"] == 1


def test_what_is_no_share_is_a_usage_error(good: Judged, run: Run) -> None:
    assert run("--min-sensitivity", "2").exit_code == 2
    assert run("--days", "0").exit_code == 2


def test_a_store_in_memory_has_nothing_to_check(run: Run) -> None:
    refused = run(GROUNDWATCH_REDIS_URL="memory://")
    assert refused.exit_code != 0
    assert "works on a Redis store" in str(refused.exception)


def said_falsely(watched: Any, number: int) -> bool:
    return FALSE in str(watched["sentences"][number - 1]["text"])


def test_the_audits_are_judged_again_by_another_judge(judged: Judged, run: Run) -> None:
    """Before: everything is fine. Now: an oracle that knows better."""
    judged.judge(GOOD, Grounded.NO, "a", "b", answer=f"{FALSE} [pricing#plans].")
    judged.judge(GOOD, Grounded.YES, "c", "d", "e")
    before = judged.world.dump()
    with ScriptedJudge(Oracle(said_falsely, 1.0, 1.0, seed=1)) as endpoint:
        judge = {
            "GROUNDWATCH_JUDGE_BASE_URL": endpoint.base_url, "GROUNDWATCH_JUDGE_MODEL": MODEL,
            "GROUNDWATCH_JUDGE_RELEVANCE": "false",
        }  # fmt: skip
        told = run("--rejudge", "--format", "json", **judge)
        text = run("--rejudge", "--most", "2", **judge)
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)["rejudged"]
    assert (found["answers"], len(found["changed"])) == (5, 2)
    assert {one["answer_id"] for one in found["changed"]} == {
        task(name).partition(":")[2] for name in ("a", "b")
    }
    assert {(one["before"], one["now"], one["said"]) for one in found["changed"]} == {
        ("fine", "bad", "bad"),
    }
    assert found["before"]["sensitivity"]["value"] == 0
    assert found["now"]["counts"] == [[2, 0], [0, 3]]
    assert "judged again: 2 answers" in text.output
    # Nothing of it is stored but what it cost.
    after = judged.world.dump()
    assert {key for key in after if after[key] != before.get(key)} <= {
        key for key in after if "budget" in key
    }


def test_judging_again_needs_a_judge(good: Judged, run: Run) -> None:
    refused = run("--rejudge")
    assert refused.exit_code != 0
    assert "GROUNDWATCH_JUDGE_BASE_URL" in str(refused.exception)
