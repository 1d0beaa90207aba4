"""Dead letters: the raw bytes of what could not be taken, with the reason in the headers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.metadata import version

from service.pipeline import DeadLetter
from service.records import Record, Undecodable

PREFIX = "x.errors."
UNDECODABLE = "undecodable"


@dataclass(frozen=True, slots=True)
class Letter:
    """A message for the dead-letter topic."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]

    def cut(self, size: int) -> Letter:
        """At most ``size`` bytes of value; the header says how many there were."""
        value = self.value or b""
        headers = tuple(pair for pair in self.headers if pair[0] != f"{PREFIX}truncated")
        original = dict(self.headers).get(f"{PREFIX}truncated", str(len(value)).encode())
        if not value:
            # Only foreign headers or the key can still be that large.
            headers = tuple(pair for pair in headers if pair[0].startswith(PREFIX))
        key = self.key if value else None
        return Letter(key, value[:size], (*headers, (f"{PREFIX}truncated", original)))


def letter_of(dead: DeadLetter, topic: str, group: str) -> Letter:
    """The record's own key, value and headers, and why, whence, when and by whom it was refused."""
    record = dead.record
    kept = tuple(pair for pair in record.headers if not pair[0].startswith(PREFIX))
    return Letter(
        record.key,
        record.value,
        kept + _headers(dead.reason, dead.message, topic, record, group),
    )


def letter_of_batch(fault: Undecodable, topic: str, group: str, timestamp_ms: int) -> Letter:
    """One letter for a whole batch that cannot be decoded: its bytes are not to be had."""
    message = f"offsets {fault.first} to {fault.next - 1} cannot be decoded ({fault.why})"
    record = Record(fault.partition, fault.first, timestamp_ms, None, None)
    headers = _headers(UNDECODABLE, message, topic, record, group)
    return Letter(None, None, (*headers, (f"{PREFIX}next_offset", str(fault.next).encode())))


def _headers(
    reason: str, message: str, topic: str, record: Record, group: str
) -> tuple[tuple[str, bytes], ...]:
    fields = {
        "reason": reason,
        "message": message,
        "topic": topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp_ms,
        "group": group,
        "version": version("groundwatch"),
        "failed_at": int(time.time() * 1000),
    }
    return tuple((PREFIX + name, str(value).encode()) for name, value in fields.items())
