"""Points in time as people and Grafana write them."""

from __future__ import annotations

import pytest

from service.web.moments import moment_of
from tests.unit.web.world import NOW_MS

NINE_MS = 1_795_942_800_000  # 2026-11-29T09:00:00Z


@pytest.mark.parametrize(
    ("said", "then_ms"),
    [
        ("2026-11-29T09:00", NINE_MS),
        ("2026-11-29T09:00:00Z", NINE_MS),
        ("2026-11-29T10:00:00+01:00", NINE_MS),
        ("2026-11-29T10:00:00 01:00", NINE_MS),
        ("2026-11-29", NINE_MS - 9 * 3_600_000),
        ("1795942800", NINE_MS),
        ("1795942800000", NINE_MS),
        (" 2h ", NOW_MS - 7_200_000),
        ("now-30m", NOW_MS - 1_800_000),
        ("3d", NOW_MS - 3 * 86_400_000),
        ("1w", NOW_MS - 7 * 86_400_000),
        ("now", NOW_MS),
    ],
)
def test_each_form_is_read(said: str, then_ms: int) -> None:
    assert moment_of(said, NOW_MS) == then_ms


@pytest.mark.parametrize(
    "said",
    ["", "yesterday", "2h30m", "-2h", "99999w", "5", "9" * 5_000, "2026-13-01", "1999-12-31",
     "2300-01-01", "²h", "٣d", "2026-11-29T09:00+99:00", "0001-01-01T00:00+14:00"],
)  # fmt: skip
def test_anything_else_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        moment_of(said, NOW_MS)
