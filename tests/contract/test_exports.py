"""Exports over the store's own desk: what people said goes out, what is blind stays."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from service.exporting.answer_cases import cases_export
from service.exporting.answers import Sources
from service.exporting.cursor import START, Cursor, decode_cursor
from service.exporting.label_rows import labels_export
from service.exporting.part import HELD, Export
from service.exporting.relevance import relevance_export
from service.policy import ReviewPolicy
from service.review.labels import AnswerCall, Label, decode_label
from service.store import Connection
from tests.contract.reviewing import (
    ANN,
    AUDIT,
    BOB,
    RIGHT,
    WRONG,
    case,
    desk_of,
    flag,
    policy,
    reviewed_world,
    task,
)
from tests.contract.world import NOW, MakeWorld, World, event
from tests.servers import commands

TWICE = ReviewPolicy(double_label=1.0)


class Reviewed:
    """A world of flagged answers, all of them audited or none, and its desk."""

    def __init__(self, make_world: MakeWorld, audit: float = 0.0) -> None:
        self.world: World = reviewed_world(make_world, audit=audit, review=TWICE)
        self.desk = desk_of(self.world.connection, policy(audit, TWICE))
        self._now = NOW

    def say(self, subject: str, label: Label, reviewer: str = ANN) -> None:
        self._now += 1
        lease = self.desk.claim(subject, reviewer, self._now)
        self.desk.save(lease, label, self.desk.labelled(subject).version, self._now)

    def export(self, export: Export, after: Cursor = START) -> tuple[list[dict], Cursor]:
        store = self.world.store
        parts = list(export.run(Sources(self.desk, store.archive, store.tasks), after))
        lines = [json.loads(line) for part in parts for line in part.lines]
        return lines, (parts[-1].cursor if parts else None) or after


@pytest.fixture
def flagged(make_world: MakeWorld) -> Reviewed:
    reviewed = Reviewed(make_world)
    flag(reviewed.world, {"a": "x", "b": "y", "c": "z"})
    return reviewed


def labels(*, resumed: bool = False) -> Export:
    return labels_export(b"secret", resumed=resumed)


def test_labels_come_back_with_what_weights_them(flagged: Reviewed) -> None:
    flagged.say(case("b"), WRONG)
    flagged.say(case("a"), RIGHT, BOB)
    rows, _ = flagged.export(labels())
    assert [(row["event_id"], decode_label(row["label"])) for row in rows] == [
        ("b", WRONG), ("a", RIGHT),
    ]  # fmt: skip
    kept = flagged.world.archive.case(case("b").removeprefix("case:"))
    assert kept is not None
    assert (rows[0]["pi"], rows[0]["stratum"], rows[0]["ruleset"]) == (
        kept.pi, kept.stratum, kept.ruleset,
    )  # fmt: skip
    assert rows[0]["pi_audit"] == 0
    assert ANN not in json.dumps(rows)


def test_an_export_goes_on_from_its_cursor(flagged: Reviewed) -> None:
    flagged.say(case("a"), WRONG)
    rows, cursor = flagged.export(labels())
    assert len(rows) == 1
    assert flagged.export(labels(resumed=True), cursor)[0] == []
    flagged.say(case("c"), RIGHT)
    flagged.desk.undo(case("a"), ANN, 1, NOW + 50)
    rows, _ = flagged.export(labels(resumed=True), cursor)
    assert [(row["event_id"], row["label"] is None) for row in rows] == [("c", False), ("a", True)]


def test_a_bulk_label_is_exported_as_such_and_is_no_test_case(flagged: Reviewed) -> None:
    group = flagged.world.group("x")
    (open_case,) = [c for c in flagged.world.archive.list_cases().cases if c.event_id == "a"]
    assert group
    lease = flagged.desk.claim(f"group:{open_case.group}", ANN, NOW)
    assert flagged.desk.label_group(lease, WRONG, NOW, lambda done: None) == 1
    flagged.say(case("b"), WRONG)
    rows, _ = flagged.export(labels())
    assert [(row["event_id"], row["opened"], row["group"]) for row in rows] == [
        ("a", False, open_case.group), ("b", True, ""),
    ]  # fmt: skip
    cases, _ = flagged.export(cases_export())
    assert [found["event"]["event_id"] for found in cases] == ["b"]


def test_nothing_of_an_open_audit_goes_out_and_all_of_it_afterwards(make_world: MakeWorld) -> None:
    audited = Reviewed(make_world, audit=1.0)
    flag(audited.world, {"a": "x"})
    audited.say(task("a"), AUDIT, ANN)
    ends = {}
    for name, export in every_export():
        lines, ends[name] = audited.export(export)
        assert lines == [], "its second label is still to come, and it is to be blind"
        assert export.left[HELD] == 1
    audited.say(task("a"), AUDIT, BOB)
    for name, export in every_export(resumed=True):
        assert len(audited.export(export, ends[name])[0]) == (2 if name == "labels" else 1)


def every_export(*, resumed: bool = False) -> list[tuple[str, Export]]:
    return [
        ("labels", labels(resumed=resumed)),
        ("cases", cases_export()),
        ("relevance", relevance_export(resumed=resumed)),
    ]


def test_an_audit_that_expired_after_its_first_label_comes_too(make_world: MakeWorld) -> None:
    audited = Reviewed(make_world, audit=1.0)
    flag(audited.world, {"a": "x"})
    audited.say(task("a"), AUDIT, ANN)
    _, cursor = audited.export(labels())
    kept = audited.world.store.tasks.get(task("a").removeprefix("task:"))
    assert kept is not None
    assert audited.world.store.tasks.expire(kept.due_ms + 1) == 1
    rows, cursor = audited.export(labels(resumed=True), cursor)
    assert [decode_label(row["label"]) for row in rows] == [AUDIT]
    assert audited.export(labels(resumed=True), cursor)[0] == []


def test_the_needed_refs_come_back_by_question(make_world: MakeWorld) -> None:
    audited = Reviewed(make_world, audit=1.0)
    audited.world.take([event("a", query_id="q-1"), event("b", query_id="q-1")])
    for name, refs in (("a", ("pricing#plans",)), ("b", ("pricing#seats",))):
        for reviewer in (ANN, BOB):
            said = Label(AUDIT.findings, AnswerCall.WRONG, AUDIT.fault, None, (), refs,
                         AUDIT.grounded, AUDIT.helpful)  # fmt: skip
            audited.say(task(name), said, reviewer)
    (line,), _ = audited.export(relevance_export(resumed=False))
    assert line == {
        "query_id": "q-1", "query": "What does a seat cost?", "app": "support", "labels": 4,
        "relevant": ["pricing#plans", "pricing#seats"],
    }  # fmt: skip


# --------------------------------------------------------------------------------- the command

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environ(_redis_url: str) -> dict[str, str]:
    return {**os.environ, "GROUNDWATCH_REDIS_URL": _redis_url, "COLUMNS": "60"}


@pytest.fixture
def run(environ: dict[str, str]) -> Run:
    def run(*arguments: str, command: str = "export") -> subprocess.CompletedProcess[str]:
        return commands.run([command, *arguments], environ)

    return run


@pytest.fixture
def on_redis(redis_connection: Connection) -> Reviewed:
    reviewed = Reviewed(lambda **caps: World(redis_connection, **caps))
    flag(reviewed.world, {"a": "x", "b": "y"})
    return reviewed


def cursor_in(told: str) -> str:
    return told.strip().splitlines()[-1].removeprefix("cursor: ")


def test_the_command_prints_lines_and_then_where_to_go_on(on_redis: Reviewed, run: Run) -> None:
    on_redis.say(case("a"), WRONG)
    first = run("labels")
    assert first.returncode == 0, first.stderr
    (row,) = map(json.loads, first.stdout.splitlines())
    assert row["event_id"] == "a"
    cursor = cursor_in(first.stderr)
    assert decode_cursor(cursor).place == (NOW + 1, f"{case('a')}#1")
    on_redis.say(case("b"), RIGHT)
    second = run("labels", "--after", cursor)
    assert [json.loads(line)["event_id"] for line in second.stdout.splitlines()] == ["b"]


def test_a_file_goes_on_where_it_stopped(on_redis: Reviewed, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    on_redis.say(case("a"), WRONG)
    for _ in range(2):
        assert run("labels", "--format", "csv", "--output", str(path)).returncode == 0
    on_redis.say(case("b"), Label(answer=AnswerCall.CORRECT, note="=1+1"))
    assert run("labels", "--format", "csv", "--output", str(path)).returncode == 0
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert [(row["event_id"], row["note"]) for row in rows] == [("a", ""), ("b", "'=1+1")]
    other = run("labels", "--output", str(path))
    assert other.returncode == 2
    assert "holds labels.csv, not labels.jsonl" in other.stderr.replace("\n", " ")


def test_only_one_app_is_asked_for(on_redis: Reviewed, run: Run) -> None:
    on_redis.say(case("a"), WRONG)
    assert run("cases", "--app", "sales").stdout == ""
    assert len(run("cases", "--app", "support").stdout.splitlines()) == 1


def test_a_cursor_of_somebody_else_is_refused(on_redis: Reviewed, run: Run) -> None:
    refused = run("relevance", "--after", "nonsense")
    assert refused.returncode == 2
    assert "not one that an export printed" in refused.stderr


def test_the_lines_reach_the_pipe_though_progress_is_shown(
    on_redis: Reviewed, environ: dict[str, str]
) -> None:
    """On a terminal the progress bar takes hold of standard output."""
    on_redis.say(case("a"), WRONG)
    terminal, stderr = pty.openpty()
    try:
        finished = subprocess.run(
            [*commands.COMMAND, "export", "labels"],
            env=environ, timeout=60, text=True, stdout=subprocess.PIPE, stderr=stderr,
        )  # fmt: skip
        shown = os.read(terminal, 100_000).decode()
    finally:
        os.close(stderr)
        os.close(terminal)
    assert [json.loads(line)["event_id"] for line in finished.stdout.splitlines()] == ["a"]
    assert "exporting" in shown
    assert '"event_id"' not in shown


def test_exported_relevance_is_what_retrieval_is_measured_by(
    on_redis: Reviewed, run: Run, tmp_path: Path
) -> None:
    """From people's ticks to a figure: the file as it was written, the refs that are loaded."""
    for name, refs in (("a", ("pricing#plans", "pricing#seats")), ("b", ("gone#old",))):
        on_redis.say(case(name), replace(WRONG, needed_elsewhere=refs))
    asked, events, corpus = (tmp_path / name for name in ("relevance", "events", "corpus"))
    assert run("relevance", "--output", str(asked)).returncode == 0
    (line,) = map(json.loads, asked.read_text().splitlines())
    assert set(line["relevant"]) >= {"pricing#plans", "pricing#seats", "gone#old"}
    events.write_bytes(event("x", retrieved=[{"ref": "pricing#plans", "text": "…"}]))
    measured = ("retrieval", "--questions", str(asked), "--events", str(events))
    first = run(*measured, "--format", "json", command="measure")
    assert first.returncode == 0, first.stderr
    told = json.loads(first.stdout)
    assert told["means"]["hit@5"]["mean"] == 1
    assert told["means"]["recall@5"]["mean"] == pytest.approx(1 / len(line["relevant"]))
    assert told["stale"] == {}, "nothing is loaded: nothing is known to be gone"
    there = set(line["relevant"]) - {"gone#old"}
    corpus.write_text("\n".join(json.dumps({"ref": ref, "text": "…"}) for ref in there))
    assert run("load", str(corpus), command="corpus").returncode == 0
    second = json.loads(run(*measured, "--format", "json", command="measure").stdout)
    assert list(second["stale"].values()) == [["gone#old"]]
    assert second["run"]["questions"]["excluded"] == {"ref not in corpus": 1}
