"""Everything between two checkpoints is accounted for."""

from __future__ import annotations

import random
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from consumers.batching import Window, window
from service.records import Record, Undecodable


def record(offset: int) -> Record:
    return Record(0, offset, 0, None, b"")


def balance(found: Window) -> int:
    return found.next - found.first - found.received - found.holes - found.undecodable


runs = st.lists(st.tuples(st.sampled_from(["records", "hole", "fault"]), st.integers(1, 9)))


@given(runs, st.integers(0, 1 << 50), st.randoms(use_true_random=False))
def test_any_mix_adds_up(pieces: list[tuple[str, int]], first: int, dice: random.Random) -> None:
    records: list[Record] = []
    faults: list[Undecodable] = []
    starts = accumulate((length for _, length in pieces), initial=first)
    for (kind, length), start in zip(pieces, starts, strict=False):
        if kind == "records":
            records += [record(offset) for offset in range(start, start + length)]
        elif kind == "fault":
            faults.append(Undecodable(0, start, start + length, "crc_mismatch"))
    dice.shuffle(faults)
    found = window(first, records, faults)
    assert balance(found) == 0
    # Trailing holes are not known to be holes yet.
    while pieces and pieces[-1][0] == "hole":
        pieces.pop()
    total = {kind: sum(n for k, n in pieces if k == kind) for kind in ("records", "hole", "fault")}
    assert found.next == first + sum(total.values())
    assert (found.received, found.holes, found.undecodable) == tuple(total.values())
    assert found.records == tuple(records)
    assert set(found.faults) == set(faults)


@given(st.sets(st.integers(0, 60), min_size=2, max_size=30), st.data())
def test_a_record_that_was_dropped_after_it_was_counted_shows(
    offsets: set[int], data: st.DataObject
) -> None:
    records = [record(offset) for offset in sorted(offsets)]
    dropped = data.draw(st.integers(0, len(records) - 2))
    found = window(0, records, [])
    # Counted before, summed after: whoever loses one in between leaves a difference of one.
    kept = window(0, records[:dropped] + records[dropped + 1 :], [])
    assert balance(found) == 0
    assert found.received - len(kept.records) == 1
    assert found.next == kept.next


def test_nothing() -> None:
    assert window(7, [], []) == Window(7, 7, 0, 0, 0)


def test_a_fault_that_reaches_back_counts_from_where_we_stand() -> None:
    found = window(10, [record(15)], [Undecodable(0, 6, 12, "crc_mismatch")])
    assert (found.undecodable, found.holes, found.received, found.next) == (2, 3, 1, 16)
    assert balance(found) == 0


def test_what_was_read_before_does_not_move_us_and_shows_in_the_books() -> None:
    found = window(10, [record(8), record(10)], [])
    assert found.next == 11
    assert balance(found) == -1
