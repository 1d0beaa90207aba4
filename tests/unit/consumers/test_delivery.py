"""Everything is produced until it is acknowledged, and nothing twice while it is under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from consumers.dead_letters import PREFIX, Letter
from consumers.delivery import Courier, Message, batch_message, case_message, letter_message
from consumers.kafka.producer import RETRIABLE, TOO_LARGE
from consumers.outages import Outages
from service.health import Health
from service.metrics import Metrics
from service.outage import Outage
from service.verdicts import encode_case
from tests.unit.answers import effects_of, raw

Fate = str | Exception | None


@dataclass
class Sent:
    """One record of the stand-in for a producer. ``turns``: how often it is asked until done."""

    value: bytes
    fault: str | None
    turns: int = 0

    def done(self) -> bool:
        self.turns -= 1
        return self.turns < 0

    def failed(self) -> str | None:
        return self.fault


@dataclass
class Broker:
    """``fate(value)``: None to take it, a fault, or an exception that ``send`` raises."""

    fate: Callable[[bytes], Fate] = lambda _: None
    turns: int = 0
    taken: list[bytes] = field(default_factory=list)
    tried: list[bytes] = field(default_factory=list)
    headers: list[dict[str, bytes]] = field(default_factory=list)

    def send(self, topic, key, value, headers) -> Sent:
        self.tried.append(value)
        fate = self.fate(value)
        if isinstance(fate, Exception):
            raise fate
        if fate is None:
            self.taken.append(value)
            self.headers.append(dict(headers))
        return Sent(value, fate, self.turns)


@pytest.fixture(autouse=True)
def clock(monkeypatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("consumers.outages.time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def outages() -> Outages:
    return Outages(Metrics(), Health())


@pytest.fixture
def deliver(outages, clock):
    """Run a delivery to its end; False when it still waits after ``turns`` rounds."""

    def run(broker: Any, messages: list[Message], turns: int = 50) -> bool:
        job = Courier(broker, outages).deliver("topic", messages)
        for _ in range(turns):
            try:
                next(job)
            except StopIteration:
                return True
            clock[0] += 0.3
        return False

    return run


def plain(value: bytes) -> Message:
    return Message(None, value, (), lambda _: None)


def once(fault: Fate, at: bytes) -> Callable[[bytes], Fate]:
    """This fate for the first try of this value."""
    faults = [fault]
    return lambda value: faults.pop() if value == at and faults else None


def test_nothing_to_deliver(deliver) -> None:
    broker = Broker()
    assert deliver(broker, [])
    assert broker.tried == []


def test_each_is_sent_once_and_waited_for(deliver) -> None:
    broker = Broker(turns=5)
    assert deliver(broker, [plain(b"a"), plain(b"b"), plain(b"c")])
    assert broker.tried == [b"a", b"b", b"c"]


def test_it_does_not_end_before_the_acknowledgement(deliver) -> None:
    broker = Broker(turns=10_000)
    assert not deliver(broker, [plain(b"a")])
    assert broker.tried == [b"a"]


@pytest.mark.parametrize("fault", [RETRIABLE, "TopicAuthorizationFailedError"])
def test_what_failed_is_sent_again_and_nothing_else(deliver, outages, fault) -> None:
    broker = Broker(once(fault, b"b"))
    assert deliver(broker, [plain(b"a"), plain(b"b"), plain(b"c")])
    assert broker.tried == [b"a", b"b", b"c", b"b"]
    assert sorted(broker.taken) == [b"a", b"b", b"c"]
    assert outages.down == set()


def test_a_producer_that_refuses_to_send_is_an_outage(deliver) -> None:
    broker = Broker(once(Outage("buffer full"), b"b"))
    assert deliver(broker, [plain(b"a"), plain(b"b"), plain(b"c")])
    assert broker.tried == [b"a", b"b", b"b", b"c"]
    assert broker.taken == [b"a", b"b", b"c"]


def limit(size: int) -> Callable[[bytes], Fate]:
    return lambda value: TOO_LARGE if len(value) > size else None


def test_a_case_that_is_too_large_loses_texts_and_arrives(deliver) -> None:
    retrieved = [{"ref": f"d#{n}", "text": "text " * 2_000} for n in range(15)]
    [case] = effects_of(raw("a", retrieved=retrieved)).cases
    broker = Broker(limit(50_000))
    assert deliver(broker, [case_message(case.record)])
    [value] = broker.taken
    body = orjson.loads(value)
    assert (body["case_id"], body["reduced"]) == (case.case_id, True)
    assert body["findings"]


def test_a_dead_letter_that_is_too_large_is_cut_and_says_so(deliver) -> None:
    broker = Broker(limit(1_000))
    assert deliver(broker, [letter_message(Letter(b"k", b"x" * 5_000, (("trace", b"1"),)))])
    [value] = broker.taken
    assert value == b"x" * len(value)
    assert 500 < len(value) <= 1_000
    assert broker.headers[0][f"{PREFIX}truncated"] == b"5000"


@pytest.mark.parametrize(
    "message",
    [
        batch_message("answers/0", b"{}" * 600_000),
        case_message(encode_case(orjson.loads(effects_of(raw(cites="x")).cases[0].record))),
        letter_message(Letter(b"k", b"x" * 5_000, (("trace", b"1"),))),
    ],
    ids=["batch", "case", "letter"],
)
def test_what_cannot_get_smaller_waits_for_a_larger_limit(deliver, outages, message) -> None:
    """Neither a crash, which would come again, nor a loop that never yields."""
    broker = Broker(lambda _: TOO_LARGE)
    assert not deliver(broker, [message])
    assert outages.down == {"kafka"}
    assert len(broker.tried) < 80
    broker.fate = lambda _: None
    assert deliver(broker, [message])
    assert outages.down == set()


def test_the_outage_says_what_to_raise(deliver, outages, monkeypatch) -> None:
    said: list[Outage] = []
    monkeypatch.setattr(outages, "note", said.append)
    assert not deliver(Broker(lambda _: TOO_LARGE), [batch_message("answers/0", b"x" * 700)], 3)
    assert str(said[0]) == "topic does not take 700 bytes; raise its max.message.bytes to 1 MiB"
