"""A number that is not known exactly."""

from __future__ import annotations

from dataclasses import dataclass

Z95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution: intervals are of 95 %."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """``value``: None where the data do not define one; ``low``, ``high``: ends of its 95 %
    interval, None where the data do not show how uncertain the value is; ``se``: standard error,
    None for an interval that is made without one."""

    value: float | None
    low: float | None = None
    high: float | None = None
    se: float | None = None
