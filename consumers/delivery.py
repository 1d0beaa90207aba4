"""Producing until it is acknowledged, in a job that yields while it waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from consumers.dead_letters import Letter
from consumers.kafka import Delivery, RecordProducer
from consumers.kafka.producer import TOO_LARGE
from consumers.outages import RETRY_S, Outages, sleep
from service.drafts import shrink_case
from service.ingest import Job
from service.judging.results import shrink_judgement
from service.outage import Outage
from service.review.records import decode_record

WAIT_S = 0.005


@dataclass(frozen=True, slots=True)
class Message:
    """Something to be produced. ``shrink`` makes it smaller when the broker finds it too large;
    None when it cannot be any smaller."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]]
    shrink: Callable[[Message], Message | None]


class Courier:
    """One producer's messages, each until it is acknowledged."""

    def __init__(self, producer: RecordProducer, outages: Outages) -> None:
        self._producer = producer
        self._outages = outages

    def deliver(self, topic: str, messages: Iterable[Message]) -> Job[None]:
        """Until every message is acknowledged. While one is under way it is never sent again."""
        unsent = list(messages)
        under_way: list[tuple[Message, Delivery]] = []
        while unsent or under_way:
            outage: Outage | None = None
            try:
                while unsent:
                    under_way.append((unsent[0], self._send(topic, unsent[0])))
                    del unsent[0]
            except Outage as fault:
                outage = fault
            open_still = []
            for message, delivery in under_way:
                if not delivery.done():
                    open_still.append((message, delivery))
                elif (fault_name := delivery.failed()) == TOO_LARGE:
                    smaller = message.shrink(message)
                    if smaller is None:
                        # To wait until somebody raises the limit; to crash would come here again.
                        outage = Outage(
                            f"{topic} does not take {len(message.value or b'')} bytes; "
                            "raise its max.message.bytes to 1 MiB"
                        )
                    unsent.append(smaller or message)
                elif fault_name is not None:
                    outage = Outage(f"producing to {topic}: {fault_name}")
                    unsent.append(message)
            under_way = open_still
            if outage is not None:
                self._outages.note(outage)
                yield from sleep(RETRY_S)
            elif under_way:
                yield
        self._outages.over("kafka")

    def _send(self, topic: str, message: Message) -> Delivery:
        return self._producer.send(topic, message.key, message.value, message.headers)


class VerdictSink:
    """What the judge's workers write to the topic of verdicts, with a producer of their own."""

    def __init__(self, courier: Courier, topic: str) -> None:
        self._courier = courier
        self._topic = topic

    def write(self, records: Sequence[bytes]) -> None:
        """Until all are acknowledged, however long Kafka is away."""
        for _ in self._courier.deliver(self._topic, map(_judge_message, records)):
            time.sleep(WAIT_S)


class ReviewSink:
    """What people said, as ``serve`` writes it to its topic. Changes of one subject share a key, so
    that they stay in order."""

    def __init__(self, courier: Courier, topic: str) -> None:
        self._courier = courier
        self._topic = topic

    def write(self, records: Sequence[bytes]) -> None:
        """Until all are acknowledged, however long Kafka is away."""
        for _ in self._courier.deliver(self._topic, map(review_message, records)):
            time.sleep(WAIT_S)


def review_message(record: bytes) -> Message:
    """A record of ``rag.reviews``. It is bounded by its parts."""
    return Message(decode_record(record).subject.encode(), record, (), lambda _: None)


def _judge_message(record: bytes) -> Message:
    if record.startswith(b'{"kind":"judgement"'):
        return Message(None, record, (), _shrink_judgement)
    return case_message(record)


def _shrink_judgement(message: Message) -> Message | None:
    record = message.value or b""
    smaller = shrink_judgement(record)
    return _judge_message(smaller) if len(smaller) < len(record) else None


def case_message(record: bytes) -> Message:
    """A case of ``rag.verdicts``; too large, it loses texts that no finding needs."""
    return Message(None, record, (), _shrink_case)


def batch_message(source: str, record: bytes) -> Message:
    """A batch of ``rag.verdicts``. It was split before it could be too large."""
    return Message(source.encode(), record, (), lambda _: None)


def letter_message(letter: Letter) -> Message:
    """A dead letter; too large, its value is cut and a header says so."""
    return Message(letter.key, letter.value, letter.headers, _cut_letter)


def _shrink_case(message: Message) -> Message | None:
    record = message.value or b""
    smaller = shrink_case(record)
    return case_message(smaller) if len(smaller) < len(record) else None


def _cut_letter(message: Message) -> Message | None:
    letter = Letter(message.key, message.value, tuple(message.headers))
    smaller = letter.cut(len(message.value or b"") * 3 // 4)
    return letter_message(smaller) if smaller != letter else None
