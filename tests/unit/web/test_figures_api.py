"""What people said, in figures, as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from service.accounting import prefix_of
from service.policy import ReviewPolicy
from service.review.cases import DAY_MS
from tests.contract.world import NOW
from tests.unit.web.reviewed import ANN, BOB, Reviewed, case_path, task_path

AUDITED = {
    "answer": "wrong", "fault": "retrieval", "needed": [], "grounded": "no", "helpful": "off_topic",
}  # fmt: skip


def call(world: Reviewed, name: str, call: str, **more: Any) -> None:
    finding = world.finding(case_path(name)) | {"call": call} | more
    saved = world.save(case_path(name), {"answer": "wrong", "findings": [finding]})
    assert saved.status_code == 200, saved.text


@pytest.fixture
def world() -> Iterator[Reviewed]:
    made = Reviewed(a="x", b="x", c="y")
    yield made
    made.close()


def test_precision_counts_what_people_called_by_check(world: Reviewed) -> None:
    call(world, "a", "real")
    call(world, "b", "false_alarm", why="format")
    call(world, "c", "real")
    [row] = world.get("/v1/precision").json()["rows"]
    assert row["of"] == {"check": "citations"}
    assert (row["findings"], row["real"], row["false_alarms"], row["cases"]) == (3, 2, 1, 3)
    assert row["why"] == {"format": 1}
    assert row["precision"]["value"] == pytest.approx(2 / 3)
    assert 0 < row["precision"]["low"] < 2 / 3 < row["precision"]["high"] < 1
    [cut] = world.get("/v1/precision?by=reason&by=app&by=reason").json()["rows"]
    assert cut["of"] == {"reason": "unknown_ref", "app": "support"}
    assert world.get("/v1/precision?by=zebra").status_code == 422


def test_only_labels_of_the_last_days_count(world: Reviewed) -> None:
    call(world, "a", "real")
    world.now_s += 86_400 * 3
    now_ms = int(world.now_s * 1000)
    assert world.get("/v1/precision?days=2").json() == {
        "days": 2, "since_ms": now_ms - 2 * DAY_MS, "rows": [],
    }  # fmt: skip
    assert len(world.get("/v1/precision?days=4").json()["rows"]) == 1
    for days in (0, 61):
        assert world.get(f"/v1/precision?days={days}").status_code == 422


def test_it_is_said_from_when_on_all_labels_were_read(
    world: Reviewed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.web.labelled.MOST_CHANGES", 2)
    monkeypatch.setattr("service.web.labelled._PAGE", 1)
    began = int(world.now_s * 1000)
    for name in "abc":
        call(world, name, "real")
        world.now_s += 60
    read = world.get("/v1/precision?days=2").json()
    assert read["since_ms"] == began + 60_000
    assert read["rows"][0]["findings"] == 2
    assert world.get("/v1/agreement?days=2").json()["since_ms"] == began + 60_000


def test_agreement_is_of_tasks_that_two_people_labelled() -> None:
    world = Reviewed(audit=1.0, review=ReviewPolicy(double_label=1.0), a="x", b="x", c="x")
    for name, grounded in (("a", "no"), ("b", "yes")):
        world.save(task_path(name), AUDITED)
        world.save(task_path(name), AUDITED | {"grounded": grounded}, BOB, version=1)
    world.save(task_path("c"), AUDITED)
    body = world.get("/v1/agreement").json()
    assert body["tasks"] == 2
    parts = {part["part"]: part for part in body["parts"]}
    assert parts["grounded"]["observed"]["value"] == 0.5
    assert parts["grounded"]["n"] == 2
    table = dict(zip(parts["grounded"]["categories"], parts["grounded"]["counts"], strict=True))
    assert table == {"yes": [0, 0, 0], "no": [1, 1, 0], "cant_tell": [0, 0, 0]}
    assert parts["answer"]["observed"]["value"] == 1.0
    assert parts["behaviour"]["n"] == 0
    assert parts["behaviour"]["kappa"] == {"value": None, "low": None, "high": None}
    [pair] = world.get("/v1/disagreements").json()["disagreements"]
    assert pair["task_id"] == task_path("b").rpartition("/")[2]
    assert (pair["first"]["reviewer"], pair["second"]["reviewer"]) == (ANN, BOB)
    world.close()


def test_rates_are_of_the_days_asked_for(world: Reviewed) -> None:
    body = world.get("/v1/rates?last=2026-11-18&days=1").json()
    assert NOW // 86_400_000 == 20775
    assert (body["first"], body["last"], body["checked"]) == ("2026-11-18", "2026-11-18", 3)
    unresolved = body["rates"]["unresolved_citations"]
    assert (unresolved["hits"], unresolved["trials"], unresolved["value"]) == (3, 3, 1.0)
    assert unresolved["low"] < unresolved["high"] == 1.0
    assert world.get("/v1/rates").json()["first"] == "2026-11-12"
    for nothing in ("last=2026-11-17", "last=2026-11-19&days=1", "app=sales", "language=de",
                    "release=r2", "last=0001-01-01&days=400"):  # fmt: skip
        empty = world.get(f"/v1/rates?{nothing}").json()
        assert empty["checked"] == 0
        assert empty["rates"]["flagged"]["value"] is None


def test_rates_come_with_the_coverage_of_the_judge(world: Reviewed) -> None:
    asked = "/v1/rates?last=2026-11-18&days=1"
    connection = world.connection
    fields = prefix_of("r1", "1-aa", "en")
    for name, n in (("selected", 3), ("budget_skipped", 1)):
        key = connection.keys.counters("support", NOW // 3_600_000)
        connection.client.hincrby(key, f"{fields}judge:{name}:flagged", n)
    share = {"value": 0.75, "selected": 3, "budget_skipped": 1}
    assert world.get(asked).json()["judge_coverage"] == {**share, "by_stratum": {"flagged": share}}
    assert world.get(f"{asked}&app=sales").json()["judge_coverage"] == {
        "value": None, "selected": 0, "budget_skipped": 0, "by_stratum": {},
    }  # fmt: skip


@pytest.mark.parametrize("query", ["days=0", "days=401", "last=zebra", "last=20261118"])
def test_a_period_of_another_form_is_refused(world: Reviewed, query: str) -> None:
    response = world.get(f"/v1/rates?{query}")
    assert (response.status_code, response.json()["reason"]) == (422, "parameter")
    assert response.json()["field"] == query.partition("=")[0]
    assert "zebra" not in response.text
