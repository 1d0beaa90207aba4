"""HTTP events into Kafka: validated, produced, acknowledged; checked by whoever consumes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from consumers.kafka import Delivery, RecordProducer
from consumers.kafka.producer import TOO_LARGE
from service.events import AnswerEvent, Rejection, RejectReason, parse_event
from service.feedback import FeedbackEvent, parse_feedback
from service.intake import Overloaded, Receipt
from service.mapping import parse_mapped
from service.outage import Outage
from service.pipeline import Terms, admitted

WAITING_REQUESTS = 16
ACKNOWLEDGE_S = 10.0


class KafkaIntake:
    """Thread-safe. An event that would be rejected is answered at once and not produced."""

    asynchronous = True

    def __init__(self, producer: RecordProducer, topic: str, terms: Callable[[], Terms]) -> None:
        self._producer = producer
        self._topic = topic
        self._terms = terms
        self._waiting = threading.BoundedSemaphore(WAITING_REQUESTS)

    def submit(self, events: list[bytes]) -> list[Receipt]:
        """See :class:`service.intake.Intake`."""
        if not self._waiting.acquire(blocking=False):
            raise Overloaded(retry_after_s=1)
        try:
            sent = [self._send(event) for event in events]
            return self._receipts(sent)
        finally:
            self._waiting.release()

    def _send(self, raw: bytes) -> tuple[Receipt, Delivery | None]:
        event = self._read(raw)
        if isinstance(event, Rejection):
            return _rejected(event), None
        # Keyed by the id, so that a repeat lands where the first one went.
        delivery = self._producer.send(self._topic, event.event_id.encode(), raw)
        return Receipt("accepted", event_id=event.event_id), delivery

    def _read(self, raw: bytes) -> AnswerEvent | FeedbackEvent | Rejection:
        terms = self._terms()
        event = parse_event(raw, terms.limits, terms.default_app)
        if isinstance(event, Rejection):
            event = parse_mapped(raw, event, terms.policy, terms.limits, terms.default_app)
        return admitted(event, terms)

    def _receipts(self, sent: list[tuple[Receipt, Delivery | None]]) -> list[Receipt]:
        until = time.monotonic() + ACKNOWLEDGE_S
        receipts = []
        for receipt, delivery in sent:
            if delivery is None:
                receipts.append(receipt)
                continue
            if not delivery.wait(max(0.0, until - time.monotonic())):
                raise Outage("Kafka did not acknowledge in time; send the request again")
            fault = delivery.failed()
            if fault == TOO_LARGE:
                receipt = _rejected(
                    Rejection(RejectReason.TOO_LARGE, "larger than the topic takes")
                )
            elif fault is not None:
                raise Outage(f"Kafka refused the event ({fault}); send the request again")
            receipts.append(receipt)
        return receipts


class KafkaFeedback(KafkaIntake):
    """The same for feedback, which is joined with its answer by whoever consumes it."""

    def _read(self, raw: bytes) -> AnswerEvent | FeedbackEvent | Rejection:
        terms = self._terms()
        return admitted(parse_feedback(raw, terms.default_app), terms)


def _rejected(rejection: Rejection) -> Receipt:
    return Receipt(
        "rejected",
        reason=rejection.reason.value,
        field=rejection.field,
        message=rejection.message,
    )
