"""What releases are made of: told once each, bounded, whatever stands in the event."""

from __future__ import annotations

from service.events import Release
from service.makeup import LONGEST, MOST, Makeups


def test_each_makeup_stands_once_with_its_first_hour() -> None:
    makeups = Makeups()
    first = Release(id="r1", model="m", prompt="p1", retrieval_params={"top_k": 5, "a": 1})
    for hour, release in ((9, first), (7, first), (8, Release(id="r1", model="m", prompt="p2"))):
        makeups.note("support", "r1", release, hour)
    early, late = makeups.all()
    assert (early.hour, late.hour) == (7, 8)
    assert early.told() == {
        "model": "m", "prompt": "p1", "retrieval_params": '{"a":1,"top_k":5}'
    }  # fmt: skip
    assert late.told() == {"model": "m", "prompt": "p2"}


def test_a_release_that_tells_nothing_of_itself_makes_none() -> None:
    makeups = Makeups()
    makeups.note("support", "r1", Release(id="r1"), 9)
    assert makeups.all() == ()


def test_parts_are_cut_and_their_number_is_bounded() -> None:
    makeups = Makeups()
    for number in range(MOST + 30):
        makeups.note("support", "r1", Release(prompt=f"{number:03}" + "x" * 5_000), number)
    found = makeups.all()
    assert [made.hour for made in found] == list(range(MOST))
    assert all(len(part) <= LONGEST for made in found for part in made.parts)


def test_what_no_record_can_hold_is_replaced() -> None:
    makeups = Makeups()
    odd = Release(model="\ud800", retrieval_params={"k": 1 << 70})
    makeups.note("support", "r1", odd, 1)
    (made,) = makeups.all()
    assert made.told() == {"model": "?", "retrieval_params": "{'k': 1180591620717411303424}"}
