"""From what a poll brought of one partition to a batch with its account of offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from service.records import Record, Undecodable


@dataclass(frozen=True, slots=True)
class Window:
    """Offsets [first, next): ``received`` records, ``holes`` offsets that nothing came for,
    ``undecodable`` offsets of batches that could not be decoded."""

    first: int
    next: int
    received: int
    holes: int
    undecodable: int
    records: tuple[Record, ...] = field(default=())
    faults: tuple[Undecodable, ...] = field(default=())


def window(expected: int, records: Sequence[Record], faults: Sequence[Undecodable]) -> Window:
    """Account for everything from ``expected`` up to the last offset seen.

    ``holes`` follow from the offsets, ``received`` from the number of records: a record that is
    dropped between the two does not hide.
    """
    position, holes, undecodable = expected, 0, 0
    for start, end, fault in sorted(
        [(record.offset, record.offset + 1, False) for record in records]
        + [(fault.first, fault.next, True) for fault in faults]
    ):
        if end <= position:
            continue
        holes += max(0, start - position)
        if fault:
            undecodable += end - max(start, position)
        position = end
    return Window(
        first=expected,
        next=position,
        received=len(records),
        holes=holes,
        undecodable=undecodable,
        records=tuple(records),
        faults=tuple(faults),
    )
