"""How values in [0, 1] are spread: a mean of 0.8 may be all fair, or a fifth of them failures."""

from __future__ import annotations

from collections.abc import Iterable

TENTHS = 10


def spread_of(values: Iterable[float]) -> tuple[int, ...]:
    """How many values are in each tenth of [0, 1]; 1 is in the last."""
    counts = [0] * TENTHS
    for value in values:
        counts[min(int(value * TENTHS), TENTHS - 1)] += 1
    return tuple(counts)
