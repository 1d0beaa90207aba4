"""What the consumer of answers commits while a partition is placed anew."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from unittest.mock import MagicMock, create_autospec

from consumers.answers import AnswersConsumer, AnswersOptions
from consumers.kafka import PartitionConsumer, RecordProducer
from consumers.placement import Placed, Placement
from service.health import Health
from service.metrics import Metrics
from service.outage import Outage
from service.records import Record
from service.store import Moved

HERE = Placed(
    next=800, segment=0, topic_id="t", lost=0, announce=False, uncommitted=False, epoch="e"
)


def moved(*_: object) -> Iterator[None]:
    """What storing a batch does when somebody has reset the partition meanwhile."""
    yield
    raise Moved(next=0, pending=None)


def prepared(*_: object) -> Generator[None, None, MagicMock]:
    yield
    return MagicMock(dead_letters=(), rows=())


def test_after_a_reset_the_old_place_is_not_committed_again() -> None:
    kafka = create_autospec(PartitionConsumer, instance=True)
    kafka.heartbeat_age_s.return_value = None
    kafka.lag.return_value = {}
    kafka.commit.return_value = False  # so that 800 is still to be committed
    placement = create_autospec(Placement, instance=True)
    placement.place.side_effect = [HERE, Outage("between the reset and the new place")]
    store = MagicMock()
    store.ledger.outbox.return_value = None
    store.checkpoints.glance.return_value = ("e", {0: 800})
    ingest = MagicMock()
    ingest.read.return_value = ()
    ingest.preparing.side_effect = prepared
    ingest.applying.side_effect = moved
    ingest.record_bytes.return_value = 0
    producer = create_autospec(RecordProducer, instance=True)
    options = AnswersOptions(
        topic="answers", dead_letters="dead", verdicts="verdicts", group="g", commit_every_s=0.0
    )
    consumer = AnswersConsumer(
        kafka, producer, placement, store, ingest, Metrics(), Health(), options
    )

    def turn(*records: Record, place: bool = False) -> None:
        kafka.poll.return_value = MagicMock(
            records={0: list(records)} if records else {},
            undecodable=(),
            unpositioned={0} if place else set(),
        )
        kafka.drain_revoked.return_value = set()
        kafka.commit.reset_mock()
        consumer.turn()

    turn(place=True)
    assert kafka.seek.call_args.args == (0, 800)
    turn(Record(0, 800, 0, None, b"{}"))
    assert kafka.commit.call_args.args == ({0: 800},)
    while placement.place.call_count == 1:
        turn()
    assert kafka.commit.call_args is None
