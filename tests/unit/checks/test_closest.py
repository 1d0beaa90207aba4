"""The nearest ref is the one that difflib finds, only sooner."""

from __future__ import annotations

import random
from difflib import get_close_matches

import pytest

from service.checks.citation_targets import closest

_PARTS = ("kb", "help", "guide", "-", "#", "a", "101", "7", "faq", "part", "/", "é")


@pytest.mark.parametrize("cutoff", [0.0, 0.6, 0.85])
def test_closest_is_the_closest_match_of_difflib(cutoff: float) -> None:
    some = random.Random(7)

    def name() -> str:
        return "".join(some.choice(_PARTS) for _ in range(some.randrange(6)))

    for _ in range(500):
        word, names = name(), [name() for _ in range(some.randrange(6))]
        found = get_close_matches(word, names, 1, cutoff)
        assert closest(word, names, cutoff) == (found[0] if found else None)
