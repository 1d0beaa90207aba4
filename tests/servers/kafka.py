"""The broker of the tests (see tools/kafka), and a hand in its log files."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import crc32c

from tools.kafka import broker
from tools.kafka.broker import QUICK_JVM, free_port

__all__ = ["HEADER_SIZE", "Batch", "Broker", "batches_of", "free_port", "rewrite_batch"]

LENGTH_OFFSET = 8
OVERHEAD = 12
CRC_OFFSET = 17
ATTRIBUTES_OFFSET = 21
LAST_DELTA_OFFSET = 23
HEADER_SIZE = 61


class Broker(broker.Broker):
    """A test waits for its start more than for its throughput."""

    jvm = QUICK_JVM


@dataclass(frozen=True)
class Batch:
    """Where a batch stands in its segment: bytes [start, start + size)."""

    start: int
    size: int
    first: int
    next: int


def _segment(broker: Broker, topic: str, partition: int) -> Path:
    return broker.directory / "data" / f"{topic}-{partition}" / f"{0:020}.log"


def batches_of(broker: Broker, topic: str, partition: int = 0) -> list[Batch]:
    """The batches of the partition's first segment."""
    data = _segment(broker, topic, partition).read_bytes()
    found, start = [], 0
    while start + HEADER_SIZE <= len(data):
        base, length = struct.unpack_from(">qi", data, start)
        (last_delta,) = struct.unpack_from(">i", data, start + LAST_DELTA_OFFSET)
        found.append(Batch(start, OVERHEAD + length, base, base + last_delta + 1))
        start += OVERHEAD + length
    return found


def rewrite_batch(
    broker: Broker,
    topic: str,
    batch: Batch,
    edit: Callable[[bytearray], None],
    *,
    partition: int = 0,
    fix_crc: bool = True,
) -> None:
    """Change a batch in the running broker's log, as a broken disk or producer would.

    ``edit`` gets the batch's bytes and must keep their number.
    """
    with _segment(broker, topic, partition).open("r+b") as log:
        log.seek(batch.start)
        data = bytearray(log.read(batch.size))
        edit(data)
        assert len(data) == batch.size
        if fix_crc:
            checksum = crc32c.crc32c(bytes(data[ATTRIBUTES_OFFSET:]))
            struct.pack_into(">I", data, CRC_OFFSET, checksum)
        log.seek(batch.start)
        log.write(data)
