"""What probes found, kept in the store."""

from __future__ import annotations

from typing import Any

from service.measuring.probed import ProbeResult, Share, latest_of
from service.store.probes import KEPT
from tests.contract.world import World


def result(release: str = "r1", app: str = "support", at_ms: int = 1, **fields: Any) -> ProbeResult:
    shares = {"recall@5": Share(0.5, 0.25, 0.75, 4, (2, 0, 0, 0, 0, 0, 0, 0, 0, 2))}
    return ProbeResult(app, release, "probe", at_ms, 5, 6, 1, shares, **fields)


def test_a_result_comes_back_as_it_was(world: World) -> None:
    kept = result(lost=1, lost_ids=("q-1",), attainable=0.3)
    world.store.probes.keep(kept)
    assert world.store.probes.results() == (kept,)


def test_the_last_one_of_a_release_holds_and_each_app_s_newest_is_known(world: World) -> None:
    probes = world.store.probes
    for each in (result(at_ms=1), result(at_ms=2), result("r2", at_ms=3), result(app="sales")):
        probes.keep(each)
    found = [(one.app, one.release, one.at_ms) for one in probes.results()]
    assert found == [("sales", "r1", 1), ("support", "r2", 3), ("support", "r1", 2)]
    assert [(one.app, one.release) for one in latest_of(probes.results())] == [
        ("sales", "r1"), ("support", "r2"),
    ]  # fmt: skip


def test_the_oldest_goes_when_there_are_many(world: World) -> None:
    for n in range(KEPT + 3):
        world.store.probes.keep(result(f"r{n}", at_ms=n))
    kept = world.store.probes.results()
    assert len(kept) == KEPT
    assert kept[-1].release == "r3"


def test_what_another_version_wrote_is_left_out(world: World) -> None:
    world.store.probes.keep(result())
    key = world.connection.keys.probes
    world.connection.client.hset(key, "support\x1fr9", b'{"app": "support"}')
    assert [one.release for one in world.store.probes.results()] == ["r1"]
