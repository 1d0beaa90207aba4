"""Bytes of a fetch → records and exact losses, without a broker."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka import TopicPartition
from kafka.record import MemoryRecords
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatchBuilder

from consumers.kafka.batches import MAX_PARTS, Fault, bounded_batches
from service.records import Record, Undecodable

LIMIT = 1 << 20
Items = list[Record | Undecodable]


def batch(
    base: int, count: int = 2, value: bytes = b"value", codec: int = 0, headers: Any = ()
) -> bytes:
    builder = DefaultRecordBatchBuilder(2, codec, False, -1, -1, -1, 1 << 30)
    for n in range(count):
        assert builder.append(n, 1_700_000_000_000 + n, b"%d" % n, value, list(headers))
    data = builder.build()
    struct.pack_into(">q", data, 0, base)
    return bytes(data)


def read(data: bytes, at: int = 0, limit: int = LIMIT) -> tuple[Items, int]:
    """The items, and the offset to fetch next."""
    make = bounded_batches(limit)
    unpacked = make(at, TopicPartition("topic", 3), MemoryRecords(data))
    return unpacked.take(10_000_000), unpacked.next_fetch_offset


def spoilt(data: bytes, edit: Callable[[bytearray], None]) -> bytes:
    changed = bytearray(data)
    edit(changed)
    return bytes(changed)


def flip(data: bytearray) -> None:
    data[70] ^= 0xFF


def claim(last_delta: int) -> Callable[[bytearray], None]:
    return lambda data: struct.pack_into(">i", data, 23, last_delta)


def test_records_with_their_places() -> None:
    items, following = read(batch(10) + batch(12, 1, headers=[("h", b"\x00")]), at=10)
    assert items == [
        Record(3, 10, 1_700_000_000_000, b"0", b"value"),
        Record(3, 11, 1_700_000_000_001, b"1", b"value"),
        Record(3, 12, 1_700_000_000_000, b"0", b"value", (("h", b"\x00"),)),
    ]
    assert following == 13


def test_a_fetch_from_within_a_batch() -> None:
    assert [item.offset for item in read(batch(10, 5), at=13)[0] if isinstance(item, Record)] == [
        13,
        14,
    ]


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_bad_batch_stands_in_its_place(bad: int) -> None:
    parts = [batch(10), batch(12), batch(14)]
    parts[bad] = spoilt(parts[bad], flip)
    items, following = read(b"".join(parts), at=10)
    lost = [item for item in items if isinstance(item, Undecodable)]
    assert lost == [Undecodable(3, 10 + 2 * bad, 12 + 2 * bad, Fault.CRC)]
    assert len(items) == 5
    assert following == 16


def test_past_a_bad_checksum_the_next_batch_says_where_this_one_ends() -> None:
    items, _ = read(spoilt(batch(10), claim(2_000_000_000)) + batch(17), at=10)
    assert items[0] == Undecodable(3, 10, 17, Fault.CRC)
    assert len(items) == 3


def test_an_implausible_end_is_not_believed() -> None:
    for delta in (2_000_000_000, -5):
        assert read(spoilt(batch(10), claim(delta)), at=10) == (
            [Undecodable(3, 10, 11, Fault.CRC)],
            11,
        )


def test_every_fetch_gets_on_even_from_the_same_bad_batch() -> None:
    data = spoilt(batch(10), claim(-5))
    at = 10
    for _ in range(3):
        items, following = read(data, at=at)
        assert items == [Undecodable(3, at, at + 1, Fault.CRC)]
        assert following == at + 1
        at = following


def test_a_bomb() -> None:
    assert read(batch(10, 1, bytes(LIMIT + 1), codec=4), at=10)[0] == [
        Undecodable(3, 10, 11, Fault.SIZE)
    ]


def test_a_bomb_of_headers() -> None:
    """64 MiB of zeros are 32 million empty headers, and 2 GB of Python objects."""
    many = batch(10, 1, headers=[("", b"")] * (MAX_PARTS + 1), codec=4)
    tracemalloc.start()
    items, _ = read(many, at=10, limit=64 << 20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert items == [Undecodable(3, 10, 11, Fault.PARTS)]
    assert peak < 10 << 20


def test_a_bomb_of_records() -> None:
    def many(data: bytearray) -> None:
        struct.pack_into(">i", data, 57, MAX_PARTS + 1)

    make = bounded_batches(LIMIT)
    data = spoilt(batch(10), many)
    unpacked = make(10, TopicPartition("topic", 3), MemoryRecords(data), check_crcs=False)
    assert unpacked.take(10) == [Undecodable(3, 10, 12, Fault.PARTS)]


def test_a_header_name_that_is_no_text_loses_nothing() -> None:
    good = batch(10, 1, headers=[("name", b"x")])
    data = bytearray(good)
    data[good.index(b"name")] = 0xFF
    make = bounded_batches(LIMIT)
    unpacked = make(10, TopicPartition("topic", 3), MemoryRecords(bytes(data)), check_crcs=False)
    (record,) = unpacked.take(10)
    assert record.headers == (("\ufffdame", b"x"),)


def test_records_of_a_format_before_kafka_0_11_are_refused() -> None:
    builder = LegacyRecordBatchBuilder(1, 0, 1 << 20)
    builder.append(0, 1_700_000_000_000, b"key", b"value")
    data = bytearray(builder.build())
    struct.pack_into(">q", data, 0, 10)
    assert read(bytes(data) + batch(11), at=10)[0][0] == Undecodable(3, 10, 11, Fault.FORMAT)


def test_broken_framing_still_gets_on() -> None:
    items, following = read(batch(10) + struct.pack(">qi", 12, 3) + b"abc", at=10)
    assert len(items) == 3
    assert items[-1] == Undecodable(3, 12, 13, Fault.STRUCTURE)
    assert following == 13


@given(st.binary(max_size=40), st.integers(61, 120))
def test_no_bytes_under_a_batchs_header_raise(noise: bytes, where: int) -> None:
    data = bytearray(batch(10, 3) + batch(13))
    data[where : where + len(noise)] = noise[: len(data) - where]
    make = bounded_batches(LIMIT)
    unpacked = make(10, TopicPartition("topic", 3), MemoryRecords(bytes(data)), check_crcs=False)
    items = unpacked.take(100)
    assert items
    assert unpacked.next_fetch_offset > 10
