"""`groundwatch probe` against a system of its own and a real Redis: what it asks, what it keeps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import CapturingLogger

from service.accounting import MISLABELLED_PROBE
from service.cli import probing
from service.documents import Documents
from service.measuring.runs import Run, read_run
from service.store import Connection
from tests.contract.world import World, event

ROOT = Path(__file__).parents[2]
QUESTIONS = [
    {"query_id": "q-1", "query": "What does a seat cost?", "relevant": ["pricing#plans"],
     "critical": True, "app": "support"},
    {"query_id": "q-2", "query": "Wie lange?", "relevant": ["retention#logs"], "app": "support"},
    {"query_id": "q-3", "query": "Wie wird das Wetter?", "behaviour": "no_answer"},
]  # fmt: skip
SYSTEM = """
import json

def answer(request):
    with open("asked.jsonl", "a") as asked:
        asked.write(json.dumps(request) + "\\n")
    chunks = json.load(open("chunks.json"))
    if chunks is None:
        raise RuntimeError("away")
    return {"answer": "A seat costs 45 €.", "release": {"id": "r1", "corpus": "kb"},
            "retrieved": [{"ref": ref, "text": "Pro: 45 € a seat."} for ref in chunks]}
"""

Probe = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def world(redis_connection: Connection) -> World:
    return World(redis_connection)


@pytest.fixture
def command(_redis_url: str, tmp_path: Path) -> dict[str, object]:
    """How to run it, in a folder with a system to ask."""
    (tmp_path / "system.py").write_text(SYSTEM)
    (tmp_path / "policy.yaml").write_text("apps: {support: {}}\n")
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in QUESTIONS))
    (tmp_path / "chunks.json").write_text('["pricing#plans", "retention#logs"]')
    arguments = [
        "-m",
        "service.cli",
        "probe",
        "--questions",
        "q.jsonl",
        "--target",
        "system:answer",
    ]
    environ = {**os.environ, "GROUNDWATCH_REDIS_URL": _redis_url, "PYTHONPATH": str(ROOT),
               "GROUNDWATCH_POLICY": "policy.yaml"}  # fmt: skip
    return {"args": [sys.executable, *arguments], "cwd": tmp_path, "env": environ}


@pytest.fixture
def probe(command) -> Probe:
    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command["args"], *more], cwd=command["cwd"], env=command["env"], timeout=60,
            capture_output=True, text=True,
        )  # fmt: skip

    return run


def test_what_a_probe_found_is_kept_by_app_and_release(
    world: World, probe: Probe, tmp_path: Path
) -> None:
    done = probe("--out", "run.jsonl")
    assert done.returncode == 1, done.stderr
    assert "Unanswerable questions that got an answer: 1 (q-3)" in done.stdout
    (found,) = world.store.probes.results()
    assert (found.app, found.release, found.questions) == ("support", "r1", 3)
    assert (found.lost, found.answered_ids) == (0, ("q-3",))
    assert found.shares["recall@5"].mean == 1
    run = read(tmp_path / "run.jsonl")
    assert (run.header.kind, run.header.release["id"]) == ("probe", "r1")

    asked = [json.loads(line) for line in (tmp_path / "asked.jsonl").read_text().splitlines()]
    keep_out_of_the_rates(world, asked)

    (tmp_path / "chunks.json").write_text('["retention#logs"]')
    done = probe()
    assert "Critical questions without a hit: 1 (q-1)" in done.stdout
    (found,) = world.store.probes.results()
    assert (found.lost, found.lost_ids) == (1, ("q-1",))

    (tmp_path / "chunks.json").write_text("null")
    done = probe()
    assert done.returncode == 1
    assert "the last probe's result stays" in done.stderr
    assert [one.lost for one in world.store.probes.results()] == [1], "an alert must not end so"


def keep_out_of_the_rates(world: World, asked: list[dict[str, str]]) -> None:
    """What an app is asked with: the purpose, and an id that tells where it forgets the purpose."""
    assert {request["purpose"] for request in asked} == {"probe"}
    ids = {request["event_id"] for request in asked}
    assert len(ids) == len(QUESTIONS)
    world.terms = replace(world.terms, secret=world.checkpoints.secret())
    events = [event(name) for name in sorted(ids)]
    assert {row.purpose for row in world.effects(events).rows} == {MISLABELLED_PROBE}
    world.take(events)
    assert world.archive.counters() == {}
    assert world.archive.totals()["checked"] == len(QUESTIONS)


def test_labels_are_stale_by_the_corpus_that_the_answers_name(
    world: World, probe: Probe, tmp_path: Path
) -> None:
    """What others loaded without a name makes none of this app's labels stale."""
    documents = Documents(world.connection)
    documents.load([("others#page", "…")])
    probe("--out", "run.jsonl")
    assert set(read(tmp_path / "run.jsonl").by_id) == {"q-3"}, "the unnamed corpus is asked, too"
    documents.load([("pricing#plans", "…")], "kb")
    done = probe("--out", "run.jsonl")
    assert "3 questions, 2 measured, 1 excluded: 1 ref not in the corpus." in done.stdout
    assert "q-2: retention#logs" in done.stdout
    assert set(read(tmp_path / "run.jsonl").by_id) == {"q-1", "q-3"}


def read(file: Path) -> Run:
    with file.open("rb") as lines:
        return read_run(lines, file.name)


def test_it_goes_on_until_it_is_stopped(world: World, command, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    running = subprocess.Popen(
        [*command["args"], "--every", "1s", "--out", "runs"], cwd=tmp_path, env=command["env"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while len(list((tmp_path / "runs").iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0
    finally:
        running.kill()
    assert len(list((tmp_path / "runs").iterdir())) >= 2
    assert len(world.store.probes.results()) == 1


def test_a_run_that_cannot_be_written_does_not_end_the_watch(monkeypatch):
    stop = threading.Event()
    turns = []

    class FullDisk:
        def turn(self) -> None:
            turns.append(1)
            if len(turns) == 2:
                stop.set()
            raise OSError("no space left on device")

    log = CapturingLogger()
    monkeypatch.setattr(probing, "log", log)
    monkeypatch.setattr(probing, "stop_on_signals", lambda: stop)
    probing._again_and_again(cast(Any, FullDisk()), 0)
    assert [call.args for call in log.calls] == [("probe_failed",)] * 2
