"""Where a partition is read from, and when it must not be read at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, get_args

import pytest

from consumers.placement import HOW_TO_MEND, Halted, Placed, Placement
from service.checks import CHECKS
from service.metrics import HaltReason
from service.outage import Outage
from service.store import MEMORY_URL, Caps, Store, connect

TOPIC, GROUP = "rag.answers", "checks"


@dataclass
class Topic:
    """What the broker knows. ``bounds``: partition → (log start, log end)."""

    id: str = "id-1"
    bounds: dict[int, tuple[int, int]] = field(default_factory=lambda: {0: (0, 100), 1: (0, 50)})
    commits: dict[int, int] = field(default_factory=dict)
    taking_commits: bool = True
    asked_for_start: int = 0

    def topic_id(self, topic: str) -> str:
        return self.id

    def log_bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return self.bounds[partition]

    def committed(self, group: str, topic: str) -> dict[int, int]:
        return dict(self.commits)

    def offsets_for(self, topic: str, start: Any) -> dict[int, int]:
        self.asked_for_start += 1
        side = 0 if start == "earliest" else 1
        return {partition: bounds[side] for partition, bounds in self.bounds.items()}

    def commit(self, partition: int, offset: int) -> bool:
        if self.taking_commits:
            self.commits[partition] = offset
        return self.taking_commits


@pytest.fixture
def store() -> Store:
    return Store.over(connect(MEMORY_URL), Caps(), CHECKS)


@pytest.fixture
def topic() -> Topic:
    return Topic()


@pytest.fixture
def place(store: Store, topic: Topic):
    def at(partition: int = 0, start: Any = "earliest") -> Placed | Halted | None:
        facts: Any = topic
        placement = Placement(store, facts, TOPIC, GROUP, start)
        return placement.place(partition, topic.commit)

    return at


def halted(found: object) -> str | None:
    return found.reason if isinstance(found, Halted) else None


def move(store: Store, partition: int, offset: int) -> None:
    """As if everything up to ``offset`` had been stored."""
    key = store.connection.keys.checkpoint(TOPIC, partition)
    store.connection.client.hset(key, "next", offset)


def test_a_first_start_fixes_all_partitions_at_once(place, store, topic) -> None:
    found = place(0, "latest")
    assert found == Placed(
        next=100, segment=0, topic_id="id-1", lost=0, announce=True, uncommitted=True,
        epoch=store.checkpoints.open(),
    )  # fmt: skip
    # Whoever comes later, with whatever in mind, finds the start decided.
    topic.bounds[1] = (0, 90)
    second = place(1, "earliest")
    assert isinstance(second, Placed)
    assert second.next == 50
    assert topic.asked_for_start == 1


def test_the_checkpoint_is_the_truth_and_the_commit_a_hint(place, store, topic) -> None:
    place()
    move(store, 0, 40)
    topic.commits = {0: 33}
    found = place()
    assert isinstance(found, Placed)
    assert (found.next, found.uncommitted) == (40, False)


def test_a_partition_that_appeared_later_is_read_from_its_beginning(place, topic) -> None:
    place(0, "latest")
    topic.bounds[2] = (0, 7)
    found = place(2, "latest")
    assert isinstance(found, Placed)
    assert (found.next, found.announce) == (0, True)


def test_what_retention_deleted_is_lost_by_number(place, store, topic) -> None:
    place()
    move(store, 0, 10)
    topic.bounds[0] = (25, 100)
    found = place()
    assert isinstance(found, Placed)
    assert (found.next, found.lost) == (10, 15)


@pytest.mark.parametrize("committed", [{0: 10}, {0: 0}])
def test_a_store_without_checkpoint_under_a_group_with_commits_was_lost(
    place, topic, committed
) -> None:
    topic.commits = committed
    assert halted(place()) == "store_lost"


def test_a_flushed_store_is_noticed(place, store, topic) -> None:
    place()
    move(store, 0, 10)
    topic.commits = {0: 10}
    store.connection.client.flushall()
    assert halted(place()) == "store_lost"


def test_a_checkpoint_below_the_commit_is_an_older_store(place, store, topic) -> None:
    place()
    move(store, 0, 10)
    topic.commits = {0: 11}
    assert halted(place()) == "store_behind"
    topic.commits = {0: 10}
    assert isinstance(place(), Placed)


def test_another_topic_of_the_same_name(place, topic) -> None:
    place()
    topic.id = "id-2"
    assert halted(place(0)) == "topic_recreated"
    # Of a partition that the old one did not have, too.
    topic.bounds[2] = (0, 7)
    assert halted(place(2)) == "topic_recreated"


def test_a_checkpoint_beyond_the_log(place, store, topic) -> None:
    place()
    move(store, 0, 101)
    assert halted(place()) == "ahead_of_log"
    move(store, 0, 100)
    assert isinstance(place(), Placed)


def test_nothing_is_read_during_a_rebuild(place, store) -> None:
    place()
    store.checkpoints.fence("rebuilding")
    assert halted(place()) == "rebuilding"
    store.checkpoints.finish()
    found = place()
    assert isinstance(found, Placed)
    assert found.epoch == store.checkpoints.open()


def test_a_reset_is_committed_before_anything_is_compared(place, store, topic) -> None:
    place()
    move(store, 0, 90)
    topic.commits = {0: 90}
    store.checkpoints.open_segment(TOPIC, 0, 20, "id-1", reset=True)
    topic.taking_commits = False
    assert place() is None
    # Not committed: still to be done, and nothing halts for a commit that is ahead meanwhile.
    assert place() is None
    topic.taking_commits = True
    found = place()
    assert isinstance(found, Placed)
    assert (found.next, found.segment, found.announce) == (20, 1, True)
    assert topic.commits == {0: 20}
    # Once: the next owner commits nothing back.
    topic.commits = {0: 25}
    move(store, 0, 30)
    assert isinstance(place(), Placed)
    assert topic.commits == {0: 25}


def test_a_broker_that_is_away_decides_nothing(place, store, topic, monkeypatch) -> None:
    place()
    before = store.checkpoints.books()

    def away(*_: object) -> Any:
        raise Outage("no broker")

    for name in ("topic_id", "log_bounds", "committed"):
        with monkeypatch.context() as patch:
            patch.setattr(topic, name, away)
            with pytest.raises(Outage):
                place()
    assert store.checkpoints.books() == before
    assert isinstance(place(), Placed)


def test_every_halt_says_how_to_mend_it() -> None:
    assert set(HOW_TO_MEND) == set(get_args(HaltReason))
    assert all(Halted(reason).mend for reason in HOW_TO_MEND)
