"""Where a partition is read from: the checkpoint in Redis is the truth, Kafka's commit a hint.

When the store is not the one that this topic belongs to, reading on would corrupt the books; then
the partition is halted, with the reason, until ``groundwatch rebuild`` or ``checkpoints reset``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from consumers.kafka import TopicFacts
from consumers.kafka.topics import Start
from service.metrics import HaltReason
from service.store import Checkpoint, Store

HOW_TO_MEND: Mapping[HaltReason, str] = {
    "store_lost": "the group has commits but the store has no checkpoint: "
    "run `groundwatch rebuild`",
    "store_behind": "the store is older than the group's commit (a restored dump?): "
    "run `groundwatch rebuild`",
    "topic_recreated": "the topic was deleted and made anew: "
    "run `groundwatch checkpoints reset --to earliest`",
    "ahead_of_log": "the checkpoint is beyond the end of the log: "
    "run `groundwatch checkpoints reset --to latest`, or restore the topic",
    "rebuilding": "`groundwatch rebuild` is running; wait for it",
}


@dataclass(frozen=True, slots=True)
class Halted:
    """The partition is not read, for this reason, until somebody mends it."""

    reason: HaltReason

    @property
    def mend(self) -> str:
        return HOW_TO_MEND[self.reason]


@dataclass(frozen=True, slots=True)
class Placed:
    """Read on from ``next``. ``lost`` offsets before the log's start were deleted unread.
    ``announce``: the start of this account is not yet on record in ``rag.verdicts``;
    ``uncommitted``: the group has no commit yet; ``epoch``: the store's."""

    next: int
    segment: int
    topic_id: str
    lost: int
    announce: bool
    uncommitted: bool
    epoch: str


Commit = Callable[[int, int], bool]
"""(partition, next offset) → whether Kafka took it."""


class Placement:
    """Every method may raise :class:`Outage`; nothing is decided then."""

    def __init__(
        self, store: Store, facts: TopicFacts, topic: str, group: str, start: Start
    ) -> None:
        self._store = store
        self._facts = facts
        self._topic = topic
        self._group = group
        self._start = start

    def place(self, partition: int, commit: Commit) -> Placed | Halted | None:
        """Where to read ``partition`` from; None when a reset could not be committed yet."""
        checkpoints = self._store.checkpoints
        epoch = checkpoints.open()
        if checkpoints.state():
            return Halted("rebuilding")
        topic_id = self._facts.topic_id(self._topic)
        checkpoint = self._checkpoint(partition, topic_id)
        if isinstance(checkpoint, Halted):
            return checkpoint
        if checkpoint.reset:
            if not commit(partition, checkpoint.next):
                return None
            checkpoints.reset_done(self._topic, partition)
        return self._compare(partition, topic_id, checkpoint, epoch)

    def _checkpoint(self, partition: int, topic_id: str) -> Checkpoint | Halted:
        checkpoints = self._store.checkpoints
        found = checkpoints.get(self._topic, partition)
        if found is not None:
            return found
        if partition in self._facts.committed(self._group, self._topic):
            return Halted("store_lost")
        started = checkpoints.started(self._topic)
        if started is None:
            checkpoints.start(
                self._topic, topic_id, self._facts.offsets_for(self._topic, self._start)
            )
        elif started.topic_id != topic_id:
            return Halted("topic_recreated")
        found = checkpoints.get(self._topic, partition)
        if found is None:
            # A partition that appeared later: nobody has read any of it, so from its beginning.
            checkpoints.open_segment(self._topic, partition, 0, topic_id)
            found = checkpoints.get(self._topic, partition)
        return found or Halted("store_lost")

    def _compare(
        self, partition: int, topic_id: str, checkpoint: Checkpoint, epoch: str
    ) -> Placed | Halted:
        if checkpoint.topic_id != topic_id:
            return Halted("topic_recreated")
        begin, end = self._facts.log_bounds(self._topic, partition)
        if checkpoint.next > end:
            return Halted("ahead_of_log")
        committed = self._facts.committed(self._group, self._topic).get(partition)
        if committed is not None and checkpoint.next < committed:
            return Halted("store_behind")
        return Placed(
            next=checkpoint.next,
            segment=checkpoint.segment,
            topic_id=topic_id,
            lost=max(0, begin - checkpoint.next),
            announce=checkpoint.announce,
            uncommitted=committed is None,
            epoch=epoch,
        )
