"""The emitter that applications copy: it never blocks, never raises, and counts what it drops."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from examples.emitters.groundwatch_emitter import Counts, Emitter, HttpSender, NotNow

ROOT = Path(__file__).parents[3]
EVENT = {"event_id": "e", "query": "?", "retrieved": [], "answer": "So."}
PATIENT_S = 20.0


class Receiver:
    """``open``: whether it answers yet. ``failures``: raised before anything is taken."""

    def __init__(self, *failures: Exception, refuse: int = 0) -> None:
        self.open = threading.Event()
        self.open.set()
        self.asked = threading.Event()
        self.failures = list(failures)
        self.refuse = refuse
        self.batches: list[list[dict[str, Any]]] = []
        self.attempts = 0

    def __call__(self, batch: Sequence[bytes]) -> int:
        self.attempts += 1
        self.asked.set()
        assert self.open.wait(PATIENT_S)
        if self.failures:
            raise self.failures.pop(0)
        self.batches.append([json.loads(raw) for raw in batch])
        return self.refuse

    @property
    def received(self) -> list[str]:
        return [event["event_id"] for batch in self.batches for event in batch]


@contextmanager
def emitting(receiver: Receiver, **options: Any) -> Iterator[Emitter]:
    emitter = Emitter(receiver, **{"linger_s": 0.0, **options})
    try:
        yield emitter
    finally:
        receiver.open.set()
        emitter.close()


def numbered(n: int) -> dict[str, Any]:
    return {**EVENT, "event_id": f"e{n}"}


def balanced(counts: Counts) -> bool:
    return counts.emitted == (
        counts.sent + counts.refused + counts.dropped_full + counts.dropped_unsent + counts.waiting
    )


def test_events_arrive_in_order_and_in_batches() -> None:
    receiver = Receiver()
    with emitting(receiver, batch=10, linger_s=5.0) as emitter:
        for n in range(25):
            assert emitter.emit(numbered(n))
        assert emitter.flush(PATIENT_S)
        assert receiver.received == [f"e{n}" for n in range(25)]
        assert max(map(len, receiver.batches)) == 10
        assert emitter.counts() == Counts(emitted=25, sent=25)


def test_a_receiver_that_hangs_blocks_nobody() -> None:
    receiver = Receiver()
    receiver.open.clear()
    with emitting(receiver, max_events=10) as emitter:
        emitter.emit(numbered(0))
        assert receiver.asked.wait(PATIENT_S)
        before = time.process_time()
        taken = sum(emitter.emit(numbered(n)) for n in range(1, 1_000))
        assert taken == 9
        assert time.process_time() - before < 2.0
        counts = emitter.counts()
        assert (counts.emitted, counts.dropped_full, counts.waiting) == (1_000, 990, 10)
        receiver.open.set()
        assert emitter.flush(PATIENT_S)
        assert emitter.counts() == Counts(emitted=1_000, sent=10, dropped_full=990)


def test_the_bound_of_bytes_holds() -> None:
    receiver = Receiver()
    receiver.open.clear()
    with emitting(receiver, max_bytes=10_000) as emitter:
        large = {**EVENT, "answer": "x" * 4_000}
        assert [emitter.emit(large) for _ in range(4)] == [True, True, False, False]
        receiver.open.set()
        assert emitter.flush(PATIENT_S)
        assert emitter.emit(large), "room again"


def test_what_fails_is_sent_again_whole() -> None:
    receiver = Receiver(OSError("away"), NotNow(0.0))
    with emitting(receiver) as emitter:
        emitter.emit(numbered(1))
        assert emitter.flush(PATIENT_S)
        assert receiver.received == ["e1"]
        assert receiver.attempts == 3
        assert emitter.counts() == Counts(emitted=1, sent=1)


def test_what_fails_for_long_is_dropped_and_counted_and_the_next_arrives() -> None:
    receiver = Receiver(OSError("away"))
    with emitting(receiver, give_up_s=0.0) as emitter:
        emitter.emit(numbered(1))
        assert emitter.flush(PATIENT_S)
        emitter.emit(numbered(2))
        assert emitter.flush(PATIENT_S)
        assert receiver.received == ["e2"]
        assert emitter.counts() == Counts(emitted=2, sent=1, dropped_unsent=1)


def test_what_is_refused_is_counted_and_not_sent_again() -> None:
    receiver = Receiver(refuse=1)
    with emitting(receiver) as emitter:
        emitter.emit(numbered(1))
        assert emitter.flush(PATIENT_S)
        assert emitter.counts() == Counts(emitted=1, refused=1)
        assert receiver.attempts == 1


@pytest.mark.parametrize(
    "value", [object(), float("nan"), "\ud800", {1, 2}], ids=["object", "nan", "surrogate", "set"]
)
def test_what_is_no_json_does_not_raise(value: object) -> None:
    with emitting(Receiver()) as emitter:
        assert not emitter.emit({**EVENT, "answer": value})
        assert emitter.counts() == Counts(emitted=1, refused=1)


def test_closing_is_bounded_and_counts_what_is_left() -> None:
    receiver = Receiver()
    receiver.open.clear()
    with emitting(receiver, close_s=0.1, batch=1) as emitter:
        for n in range(5):
            emitter.emit(numbered(n))
        assert receiver.asked.wait(PATIENT_S)
        emitter.close()
        counts = emitter.counts()
        assert counts == Counts(emitted=5, dropped_unsent=5)
        assert not emitter.emit(numbered(9))
        assert balanced(emitter.counts())


def test_closing_tries_once_more_where_a_receiver_asked_for_patience() -> None:
    receiver = Receiver(NotNow(3_600.0))
    with emitting(receiver, give_up_s=7_200.0) as emitter:
        emitter.emit(numbered(1))
        assert receiver.asked.wait(PATIENT_S)
        emitter.close()
        assert emitter.counts() == Counts(emitted=1, sent=1)


def test_many_threads_lose_no_count() -> None:
    receiver = Receiver()
    with emitting(receiver, max_events=50) as emitter:

        def emit() -> None:
            for n in range(200):
                emitter.emit(numbered(n))

        threads = [threading.Thread(target=emit) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert emitter.flush(PATIENT_S)
        counts = emitter.counts()
        assert counts.emitted == 800
        assert balanced(counts)
        assert len(receiver.received) == counts.sent


def test_no_text_of_an_event_is_logged(caplog) -> None:
    with emitting(Receiver(OSError("geheim"), refuse=1), max_events=1) as emitter:
        emitter.emit({**EVENT, "answer": "geheim"})
        emitter.flush(PATIENT_S)
        emitter.emit({**EVENT, "answer": {"geheim"}})
    assert caplog.records
    assert "geheim" not in caplog.text


AT_EXIT = """
from examples.emitters.groundwatch_emitter import Emitter
emitter = Emitter(lambda batch: print(len(batch)) or 0, linger_s=60)
emitter.emit({"event_id": "last"})
"""
FORKED = """
import os
from examples.emitters.groundwatch_emitter import Emitter
emitter = Emitter(lambda batch: print(os.getpid() == parent, len(batch), flush=True) or 0)
parent = os.getpid()
emitter.emit({"event_id": "parent's"})
emitter.flush(20)
child = os.fork()
emitter.emit({"event_id": "each's own"})
assert emitter.flush(20)
if child:
    os.waitpid(child, 0)
"""


@pytest.mark.parametrize(
    ("program", "said"),
    [(AT_EXIT, ["1"]), (FORKED, ["False 1", "True 1", "True 1"])],
    ids=["at the end of the process", "after a fork"],
)
def test_in_a_process_of_its_own(program: str, said: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert sorted(done.stdout.splitlines()) == said
    assert done.stderr == ""


def test_only_http_addresses() -> None:
    with pytest.raises(ValueError, match="http"):
        HttpSender("file:///etc/passwd")
