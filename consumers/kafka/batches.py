"""Bytes of a fetch → records, batch by batch: bounded, and never by way of an exception.

kafka-python raises on a batch that it cannot read, and the poll after that never returns. So the
part of its fetcher that unpacks a partition's bytes is replaced, for our consumers only: a batch
is decoded whole or stands in the sequence as one :class:`Undecodable` with its exact offsets.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import StrEnum
from functools import partial
from typing import Any

from kafka.consumer.fetcher import Fetcher
from kafka.errors import KafkaError
from kafka.protocol.consumer import IsolationLevel
from kafka.record.util import decode_varint

from consumers.codecs import BadStream, TooLarge, UnknownCodec, decompress
from service.records import Record, Undecodable

MAX_PARTS = 1 << 18
"""Records and headers a batch: each costs some 200 bytes here, and as little as 2 on the wire."""


BROKEN = object()
"""In place of a batch whose framing cannot be read."""


class Fault(StrEnum):
    """Why a batch cannot be decoded. A closed set: it labels dead letters."""

    CRC = "crc_mismatch"
    CODEC = "unknown_codec"
    STREAM = "bad_compression"
    SIZE = "decompressed_size"
    PARTS = "too_many_parts"
    STRUCTURE = "bad_structure"
    FORMAT = "old_format"


class BatchRefused(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.value)
        self.fault = fault


class PartitionBatches(Fetcher.PartitionRecords):  # type: ignore[misc]  # kafka has no types
    """Stands in for the fetcher's own class; yields :class:`Record` and :class:`Undecodable`."""

    def __init__(self, *positional: Any, max_decompressed_bytes: int, **named: Any) -> None:
        self._limit = max_decompressed_bytes
        self.next_fetch_offset: int
        super().__init__(*positional, **named)

    def _maybe_skip_record(self, item: Record | Undecodable) -> bool:
        return isinstance(item, Record) and item.offset < self.fetch_offset

    def _unpack_records(
        self, tp: Any, records: Any, _key: Any, _value: Any
    ) -> Iterator[Record | Undecodable]:
        batch = _next_batch(records)
        while batch is not None:
            if batch is BROKEN:
                # Nothing says where the next batch begins: one offset at a time.
                first: int = self.next_fetch_offset
                self.next_fetch_offset = first + 1
                yield Undecodable(tp.partition, first, first + 1, Fault.STRUCTURE)
                break
            following = _next_batch(records)
            yield from self._items(tp.partition, batch, following)
            batch = following
        self.drain()

    def _items(self, partition: int, batch: Any, following: Any) -> Iterator[Record | Undecodable]:
        self.bytes_read += batch.size_in_bytes
        try:
            decoded = self._decode(partition, batch)
        except BatchRefused as refusal:
            first = max(batch.base_offset, self.next_fetch_offset)
            end = _end_of(batch, following, refusal.fault, first)
            self.next_fetch_offset = end
            yield Undecodable(partition, first, end, refusal.fault)
            return
        self.records_read += len(decoded)
        for record in decoded:
            self.next_fetch_offset = record.offset + 1
            yield record
        # The batch keeps its last offset when compaction removed its last record.
        self.next_fetch_offset = batch.next_offset

    def _decode(self, partition: int, batch: Any) -> list[Record]:
        if batch.magic < 2:
            raise BatchRefused(Fault.FORMAT)
        if self.check_crcs and not batch.validate_crc():
            if batch.is_control_batch:
                # Perhaps the end of an aborted transaction: the next one must not be hidden too.
                self.aborted_producer_ids.discard(batch.producer_id)
            raise BatchRefused(Fault.CRC)
        if batch.next_offset <= self.next_fetch_offset:
            # No checksum covers the first offset; batches that go back would deliver twice.
            raise BatchRefused(Fault.STRUCTURE)
        self.leader_epoch = batch.leader_epoch
        try:
            if self._is_hidden(batch):
                return []
            return read_records(batch, partition, self._limit)
        except TooLarge:
            raise BatchRefused(Fault.SIZE) from None
        except UnknownCodec:
            raise BatchRefused(Fault.CODEC) from None
        except BadStream:
            raise BatchRefused(Fault.STREAM) from None
        except (IndexError, ValueError, KafkaError, StopIteration):
            raise BatchRefused(Fault.STRUCTURE) from None

    def _is_hidden(self, batch: Any) -> bool:
        """Transaction markers, and records of aborted transactions."""
        if self.isolation_level == IsolationLevel.READ_COMMITTED and batch.has_producer_id():
            self._consume_aborted_transactions_up_to(batch.last_offset)
            if self._contains_abort_marker(batch):
                self.aborted_producer_ids.discard(batch.producer_id)
            elif self._is_batch_aborted(batch):
                return True
        return bool(batch.is_control_batch)


def bounded_batches(max_decompressed_bytes: int) -> Any:
    """What to set as ``PartitionRecords`` of a fetcher."""
    return partial(PartitionBatches, max_decompressed_bytes=max_decompressed_bytes)


def _next_batch(records: Any) -> Any:
    try:
        return records.next_batch()
    except (KafkaError, struct.error, AssertionError):
        return BROKEN


def _end_of(batch: Any, following: Any, fault: Fault, first: int) -> int:
    """The offset after ``batch``. Past a failed checksum its header cannot be relied upon: the
    batch that follows then says more, and without one only a plausible length is believed."""
    if fault is Fault.FORMAT:
        return max(int(batch.base_offset) + 1, first + 1)
    end = int(batch.next_offset)
    if fault is Fault.CRC:
        if following is not None and following is not BROKEN:
            end = int(following.base_offset)
        elif not 0 <= batch.last_offset_delta < MAX_PARTS:
            end = first + 1
    return max(end, first + 1)


def read_records(batch: Any, partition: int, limit: int) -> list[Record]:
    """All records of a batch. Raises the errors of :func:`decompress`, :class:`BatchRefused`,
    ``IndexError`` and ``ValueError`` (the structure is broken)."""
    count = batch.records_count
    if count > MAX_PARTS:
        raise BatchRefused(Fault.PARTS)
    packed = bytes(memoryview(batch._buffer)[batch.HEADER_STRUCT.size :])  # noqa: SLF001
    data = decompress(batch.compression_type, packed, limit)
    # LogAppendTime (type 1): the broker's time is that of the whole batch.
    fixed = batch.max_timestamp if batch.timestamp_type else None
    reader = _Reader(data, MAX_PARTS - count)
    records = []
    last = batch.base_offset - 1
    for _ in range(count):
        record = reader.record(partition, batch.base_offset, batch.first_timestamp, fixed)
        if not last < record.offset <= batch.last_offset:
            raise ValueError("offsets that do not go up, or leave the batch")
        last = record.offset
        records.append(record)
    if reader.position != len(data):
        raise ValueError("bytes are left after the last record")
    return records


class _Reader:
    """Reads one record after the other. ``headers_left``: how many headers may still come."""

    def __init__(self, data: bytes, headers_left: int) -> None:
        self.position = 0
        self._data = data
        self._headers_left = headers_left

    def record(self, partition: int, base: int, first_ms: int, fixed_ms: int | None) -> Record:
        data = self._data
        length, start = decode_varint(data, self.position)
        delta_ms, position = decode_varint(data, start + 1)  # the attributes byte is unused
        delta, position = decode_varint(data, position)
        key, position = _field(data, position)
        value, position = _field(data, position)
        count, position = decode_varint(data, position)
        headers: tuple[tuple[str, bytes], ...] = ()
        if count:
            headers, position = self._headers(count, position)
        if position - start != length or position > len(data):
            raise ValueError("a record's length is not what it says")
        self.position = position
        timestamp_ms = first_ms + delta_ms if fixed_ms is None else fixed_ms
        return Record(partition, base + delta, timestamp_ms, key, value, headers)

    def _headers(self, count: int, position: int) -> tuple[tuple[tuple[str, bytes], ...], int]:
        if count < 0:
            raise ValueError("a negative number of headers")
        self._headers_left -= count
        if self._headers_left < 0:
            raise BatchRefused(Fault.PARTS)
        headers = []
        for _ in range(count):
            name, position = _field(self._data, position)
            value, position = _field(self._data, position)
            # A name need not be UTF-8 for the broker; one odd name is no reason to lose a batch.
            headers.append(((name or b"").decode("utf-8", "replace"), value or b""))
        return tuple(headers), position


def _field(data: bytes, position: int) -> tuple[bytes | None, int]:
    length, position = decode_varint(data, position)
    if length < 0:
        return None, position
    end = position + length
    return data[position:end], end
