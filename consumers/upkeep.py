"""What an operator does with topics: rebuild, move checkpoints, redrive dead letters."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from consumers.dead_letters import PREFIX, UNDECODABLE
from consumers.kafka import Delivery, RecordProducer, TopicFacts
from consumers.kafka.topics import Start
from service.outage import Outage
from service.records import Record
from service.store import Store

MAX_UNDER_WAY = 8 << 20
"""Bytes of dead letters that are sent before the first of them is acknowledged."""


def verdict_values(facts: TopicFacts, topic: str) -> Iterator[bytes | None]:
    """The value of every record of a topic of ours. Raises :class:`Outage` at a batch that
    cannot be decoded: a rebuild from half the verdicts would balance and be wrong."""
    for item in facts.read_all(topic):
        if not isinstance(item, Record):
            raise Outage(f"{topic}: offsets {item.first}–{item.next - 1} cannot be decoded")
        yield item.value


def review_values(facts: TopicFacts, topic: str) -> Iterator[bytes | None]:
    """As :func:`verdict_values`, of the topic of reviews; nothing where there is none yet."""
    if facts.exists(topic):
        yield from verdict_values(facts, topic)


def reset_checkpoints(
    store: Store,
    facts: TopicFacts,
    topic: str,
    to: Start | int,
    partitions: Iterable[int] | None = None,
) -> dict[int, int]:
    """Open a new account for each partition at ``to``; consumers take it up by themselves.

    Returns {partition: offset}. What stands between the old and the new offset is neither lost nor
    received in any account: that is what a reset means.
    """
    topic_id = facts.topic_id(topic)
    count = facts.partition_count(topic)
    chosen = sorted(partitions) if partitions is not None else list(range(count))
    if unknown := [partition for partition in chosen if not 0 <= partition < count]:
        raise ValueError(f"{topic} has partitions 0 to {count - 1}, not {unknown}")
    targets = dict.fromkeys(chosen, to) if isinstance(to, int) else facts.offsets_for(topic, to)
    for partition in chosen:
        end = facts.log_bounds(topic, partition)[1]
        if targets[partition] > end:
            raise ValueError(
                f"{topic}/{partition} ends at offset {end}; {targets[partition]} is beyond it"
            )
    store.checkpoints.fence("")
    for partition in chosen:
        store.checkpoints.open_segment(topic, partition, targets[partition], topic_id, reset=True)
    store.checkpoints.remember_start(topic, topic_id, count)
    return {partition: targets[partition] for partition in chosen}


@dataclass(frozen=True, slots=True)
class DeadLetterView:
    """A dead letter without its payload. ``source``: topic/partition@offset it came from."""

    offset: int
    partition: int
    reason: str
    message: str
    source: str
    failed_at_ms: int
    size: int
    truncated: bool


def list_dead_letters(facts: TopicFacts, topic: str) -> Iterator[DeadLetterView]:
    for item in facts.read_all(topic):
        if isinstance(item, Record):
            yield _view(item)


def redrive(
    facts: TopicFacts,
    producer: RecordProducer,
    dead_letters: str,
    answers: str,
    wanted: Callable[[DeadLetterView], bool],
    feedback: str = "",
) -> tuple[int, int]:
    """Produce the wanted letters' raw bytes to ``answers`` again, or to ``feedback`` where they
    came from. Returns (sent, passed over): what was cut or never readable cannot be sent again.
    Raises :class:`Outage`."""
    sent, passed, waiting = 0, 0, 0
    deliveries: deque[tuple[Delivery, int]] = deque()
    for item in facts.read_all(dead_letters):
        if not isinstance(item, Record):
            continue
        view = _view(item)
        if not wanted(view):
            continue
        if view.truncated or view.reason == UNDECODABLE:
            passed += 1
            continue
        headers = [pair for pair in item.headers if not pair[0].startswith(PREFIX)]
        while deliveries and waiting + view.size > MAX_UNDER_WAY:
            waiting -= _acknowledged(answers, *deliveries.popleft())
        from_feedback = feedback and view.source.startswith(f"{feedback}/")
        target = feedback if from_feedback else answers
        deliveries.append((producer.send(target, item.key, item.value, headers), view.size))
        waiting += view.size
        sent += 1
    for delivery, size in deliveries:
        _acknowledged(answers, delivery, size)
    return sent, passed


def _acknowledged(topic: str, delivery: Delivery, size: int) -> int:
    if not delivery.wait(30.0) or delivery.failed() is not None:
        raise Outage(f"producing to {topic}: {delivery.failed() or 'not acknowledged in time'}")
    return size


def _view(record: Record) -> DeadLetterView:
    headers = {name: value.decode("utf-8", "replace") for name, value in record.headers}

    def of(name: str) -> str:
        return headers.get(PREFIX + name, "")

    failed_at = of("failed_at")
    return DeadLetterView(
        offset=record.offset,
        partition=record.partition,
        reason=of("reason"),
        message=of("message"),
        source=f"{of('topic')}/{of('partition')}@{of('offset')}",
        failed_at_ms=int(failed_at) if failed_at.isdigit() else record.timestamp_ms,
        size=len(record.value or b""),
        truncated=f"{PREFIX}truncated" in headers,
    )
