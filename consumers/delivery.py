"""Producing until it is acknowledged, in a job that yields while it waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from consumers.dead_letters import Letter
from consumers.kafka import Delivery, RecordProducer
from consumers.kafka.producer import TOO_LARGE
from consumers.outages import RETRY_S, Job, Outages, sleep
from service.drafts import shrink_case
from service.outage import Outage


@dataclass(frozen=True, slots=True)
class Message:
    """Something to be produced. ``shrink`` makes it smaller when the broker finds it too large."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]]
    shrink: Callable[[Message], Message]


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
                    unsent.append(message.shrink(message))
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


def case_message(record: bytes) -> Message:
    """A case of ``rag.verdicts``; too large, it loses texts that no finding needs."""
    return Message(None, record, (), _shrink_case)


def batch_message(source: str, record: bytes) -> Message:
    """A batch of ``rag.verdicts``. It was split before it could be too large."""
    return Message(source.encode(), record, (), _refuse_to_shrink)


def letter_message(letter: Letter) -> Message:
    """A dead letter; too large, its value is cut and a header says so."""
    return Message(letter.key, letter.value, letter.headers, _cut_letter)


def _shrink_case(message: Message) -> Message:
    return case_message(shrink_case(message.value or b""))


def _cut_letter(message: Message) -> Message:
    letter = Letter(message.key, message.value, tuple(message.headers))
    return letter_message(letter.cut(len(message.value or b"") * 3 // 4))


def _refuse_to_shrink(message: Message) -> Message:
    raise RuntimeError(
        f"a batch record of {len(message.value or b'')} bytes is larger than the verdicts topic "
        "takes; raise its max.message.bytes to at least 1 MiB"
    )
