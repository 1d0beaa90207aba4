"""Questions that retrieval did not serve, from the pipeline into the store and out again."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from service import cli
from service.knowledge_gaps import KnowledgeGaps
from service.store import Connection
from service.store.questions import DAYS_KEPT
from tests.contract.world import NOW, MakeWorld, World, event

DAY_MS = 86_400_000
NO_ANSWER = "I could not find anything about that in the documents."
HERS = {"id_hash": "hash-of-hers"}


def kept(world: World) -> dict[str, tuple[str, ...]]:
    return {one.query: one.why for one in world.store.questions.since(0, 100)}


def test_what_retrieval_did_not_serve_is_kept_and_nothing_else(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([
        event("served", query="served?"),
        event("empty", query="empty?", retrieved=[]),
        event("abstains", query="abstains?", answer=NO_ANSWER),
        event("unused", query="unused?", cites="elsewhere"),
        event("probe", query="probe?", answer=NO_ANSWER, purpose="probe"),
        event("broken", query="broken?", answer=NO_ANSWER, status="error"),
    ])  # fmt: skip
    found = kept(world)
    assert set(found) == {"empty?", "abstains?", "unused?"}
    assert "empty" in found["empty?"]
    assert found["abstains?"] == ("abstained",)
    assert found["unused?"] == ("unused",)


def test_a_batch_that_comes_again_adds_none(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([event("a", query="a?", answer=NO_ANSWER)])
    world.take([event("a", query="a?", answer=NO_ANSWER)])
    assert len(world.store.questions.since(0, 100)) == 1


def test_only_the_newest_are_kept_and_none_where_none_are_wanted(make_world: MakeWorld) -> None:
    world = make_world(max_questions=2)
    for n in range(4):
        at = f"2026-11-18T0{n}:00:00Z"
        world.take([event(f"e{n}", query=f"q{n}", answer=NO_ANSWER, occurred_at=at)])
    assert set(kept(world)) == {"q2", "q3"}


def test_none_are_kept_where_none_are_wanted(make_world: MakeWorld) -> None:
    world = make_world(max_questions=0)
    world.take([event("a", answer=NO_ANSWER)])
    assert kept(world) == {}


def test_old_ones_go(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([event("a", answer=NO_ANSWER)])
    assert world.store.questions.expire(NOW + (DAYS_KEPT - 1) * DAY_MS) == 0
    assert world.store.questions.expire(NOW + (DAYS_KEPT + 1) * DAY_MS) == 1
    assert kept(world) == {}


def test_an_erasure_takes_hers_and_leaves_his(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([
        event("a", query="hers?", answer=NO_ANSWER, user=HERS),
        event("b", query="his?", answer=NO_ANSWER, user={"id_hash": "hash-of-his"}),
    ])  # fmt: skip
    world.store.erasure.erase("hash-of-hers", NOW)
    assert set(kept(world)) == {"his?"}
    # What she asks later is kept again.
    world.take([event("c", query="later?", answer=NO_ANSWER, user=HERS)])
    assert set(kept(world)) == {"his?", "later?"}


def test_a_gap_has_all_who_asked(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([
        event("a", query="Can I pay by invoice?", answer=NO_ANSWER),
        event("b", query="can I pay by invoice", answer=NO_ANSWER),
        event("c", query="Who signs the contract?", answer=NO_ANSWER, app="sales"),
    ])  # fmt: skip
    gaps = KnowledgeGaps(world.store.questions, world.archive, lambda: NOW / 1000 + 60)
    assert [gap.questions for gap in gaps.of(None, 30)] == [2, 1]
    assert [gap.app for gap in gaps.of("sales", 30)] == ["sales"]
    later = KnowledgeGaps(
        world.store.questions, world.archive, lambda: NOW / 1000 + 5 * DAY_MS / 1000
    )
    assert later.of(None, 4) == []


def test_the_command_writes_them(
    redis_connection: Connection,
    _redis_url: str,  # noqa: PT019 (its value is asked for; other suites name it so)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(redis_connection)
    world.take([event("a", query="Can I pay by invoice?", answer=NO_ANSWER)])
    monkeypatch.setattr("service.cli.exports.time", lambda: NOW / 1000 + 60)
    env = {"GROUNDWATCH_REDIS_URL": _redis_url}
    told = CliRunner().invoke(cli.app, ["export", "gaps"], env=env)
    assert told.exit_code == 0, told.output
    [row] = map(json.loads, told.stdout.splitlines())
    assert (row["query"], row["questions"]) == ("Can I pay by invoice?", 1)
    assert "1 gaps, 1 questions" in told.stderr
    table = CliRunner().invoke(cli.app, ["export", "gaps", "--format", "csv"], env=env)
    assert table.stdout.splitlines()[1].startswith('"support","Can I pay by invoice?","1","0","1"')


def test_a_question_is_kept_as_redacted_as_a_case(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([event("a", query="Is ann@example.org locked?", answer=NO_ANSWER)])
    [query] = kept(world)
    assert "ann@example.org" not in query
    assert query.startswith("Is ")
