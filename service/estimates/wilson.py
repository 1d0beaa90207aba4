"""The interval of a proportion."""

from __future__ import annotations

from math import sqrt

from service.estimates.estimate import Z95


def wilson(hits: float, trials: float, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of ``hits / trials``, 95 % by default; (0, 1) without a trial.

    Both may be fractions, as an effective number of trials is. E. B. Wilson, "Probable inference,
    the law of succession, and statistical inference", JASA 22 (1927) 209-212.
    """
    if not trials:
        return 0.0, 1.0
    share = hits / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    margin = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / scale
    return max(0.0, centre - margin), min(1.0, centre + margin)
