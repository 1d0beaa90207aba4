"""The tables that carry the reading: no spelling may be lost or claimed twice."""

from __future__ import annotations

import pytest

from service.checks.reading import evidence, units


@pytest.mark.parametrize("spelling", sorted(s for s in units.UNITS if s.isascii() and s.isalpha()))
def test_every_spelling_of_a_unit_is_read(spelling: str) -> None:
    measure = units.read(f"5 {spelling}", 1)
    assert measure.unit is units.UNITS[spelling]
    assert measure.end == 2 + len(spelling)


def test_a_unit_needs_its_boundary() -> None:
    assert units.read("5 mice", 1).unit is None
    assert units.read("5 hours", 1).unit is units.BY_NAME["h"]


def test_only_one_dimension_converts() -> None:
    day, hour, month = (units.BY_NAME[name] for name in ("d", "h", "mo"))
    assert units.base(3, day) == units.base(72, hour)
    assert units.base(1, month)[0] != units.base(30, day)[0]


def test_the_cache_is_bounded() -> None:
    cache = evidence.Cache(20_000)
    texts = [f"{number} € " * 3 for number in range(100)]
    first = cache.index(texts[0])
    assert cache.index(texts[0]) is first
    for text in texts:
        cache.index(text)
    assert cache.index(texts[0]) is not first
