"""When a judge changed its mind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.judging.flips import flipped
from service.judging.judgement import Assessment, Claim, Verdict

GOOD = Claim(1, 0, 5, "A.", Verdict.SUPPORTED)
BAD = replace(GOOD, verdict=Verdict.UNSUPPORTED)


def assessed(*claims: Claim, abstention_right: bool | None = None) -> Assessment:
    return Assessment(claims, None, True, (), None, (), "answer", abstention_right)


@pytest.mark.parametrize(
    ("first", "second", "is_flip"),
    [
        (assessed(GOOD), assessed(GOOD), False),
        (assessed(GOOD), assessed(BAD), True),
        (assessed(BAD), assessed(GOOD), True),
        # bad either way
        (assessed(BAD), assessed(replace(GOOD, verdict=Verdict.CONTRADICTED)), False),
        (assessed(BAD), assessed(replace(GOOD, miscited=True)), False),
        # split otherwise
        (assessed(BAD), assessed(GOOD, BAD, replace(BAD, text="B.")), False),
        (assessed(GOOD, BAD), assessed(GOOD, replace(BAD, sentence=2)), True),
        # neither is a bad claim
        (assessed(GOOD), assessed(replace(GOOD, verdict=Verdict.NOT_A_CLAIM)), False),
        (assessed(GOOD), assessed(replace(GOOD, verdict=Verdict.MISSING)), False),
        (assessed(), assessed(abstention_right=True), True),
        (assessed(abstention_right=False), assessed(abstention_right=True), True),
        (assessed(abstention_right=True), assessed(abstention_right=True), False),
    ],
)
def test_flips(first: Assessment, second: Assessment, is_flip: bool) -> None:
    assert flipped(first, second) is is_flip
