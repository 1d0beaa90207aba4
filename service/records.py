"""What a source hands over: records with their positions, before anybody has read them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Record:
    """One record at its position. ``timestamp_ms``: milliseconds since 1970, as the broker says."""

    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Undecodable:
    """A batch of records that cannot be decoded: offsets [first, next) of the partition."""

    partition: int
    first: int
    next: int
    why: str
