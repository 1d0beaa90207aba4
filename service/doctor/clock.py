"""Clocks: hours of counters, leases and ages of answers compare times of several machines."""

from __future__ import annotations

from service.doctor.advice import Advice

AREA = "clock"
NOTABLE_S = 2.0
HARMFUL_S = 60.0
"""Leases of a minute would end before they begin."""


def examine(whose: str, skew_s: float, uncertain_s: float) -> Advice:
    """``skew_s``: their time minus ours, in seconds, known to ``uncertain_s`` (half of what the
    question took)."""
    off = max(0.0, abs(skew_s) - uncertain_s)
    if off < NOTABLE_S:
        return Advice("ok", AREA, f"{whose} and this machine agree to {abs(skew_s):.2f} s")
    direction = "ahead of" if skew_s > 0 else "behind"
    return Advice(
        "fail" if off >= HARMFUL_S else "warn",
        AREA,
        f"{whose} is {abs(skew_s):.1f} s {direction} this machine: ages of answers, hours of "
        "counters and leases are wrong by as much",
        "let NTP (chrony, systemd-timesyncd) set both clocks",
    )
