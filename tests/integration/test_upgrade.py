"""Rolling upgrade from the last release to today's code, and back: nothing is lost or doubled, and
each reads what the other wrote."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.integration.world import World
from tests.servers.commands import Process
from tests.servers.release import ROOT, last_tag, running, unpack

BATCH = 200
TAG = last_tag()

pytestmark = [
    pytest.mark.skipif(
        TAG is None, reason="no release is tagged yet: an upgrade from one cannot be tried"
    ),
    # Eight processes start one after the other.
    pytest.mark.timeout(300),
]


@pytest.fixture(scope="module")
def last_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the code of the last release is."""
    assert TAG is not None
    return unpack(TAG, tmp_path_factory.mktemp("release"))


def code_of(world: World) -> Path:
    """Whose code the next process of this installation runs."""
    told = subprocess.run(
        [sys.executable, "-c", "import service; print(service.__file__)"],
        env=world.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(told.stdout.strip()).parents[1]


def replace(world: World, processes: list[Process], code: Path) -> None:
    """One process after the other, as a Deployment does: the new one comes before the old one goes,
    under traffic, so that both versions share the partitions for a while."""
    world.environment |= running(code)
    assert code_of(world) == code
    for leaving in list(processes):
        processes.append(world.consume())
        world.produce(BATCH)
        world.until(lambda: world.probe("/readyz", len(world.processes) - 1).status_code == 200)
        leaving.send_signal(signal.SIGTERM)
        assert leaving.wait(60) == 0
        processes.remove(leaving)
        world.produce(BATCH)
        world.until_received()


def test_a_rolling_upgrade_and_the_way_back(make_world, last_release: Path) -> None:
    world = make_world(partitions=4)
    world.environment |= running(last_release)
    assert code_of(world) == last_release
    processes = [world.consume(), world.consume()]
    address_before = world.serve()
    world.produce(BATCH)
    world.until_received()

    replace(world, processes, ROOT)
    address_after = world.serve()
    for address in (address_before, address_after):
        assert httpx.get(f"{address}/v1/books", timeout=30).json()["balanced"] is True
        assert httpx.get(f"{address}/queue", timeout=30).status_code == 200
    world.expect_exact()

    replace(world, processes, last_release)
    world.expect_exact()


def test_each_rebuilds_from_what_the_other_wrote(make_world, redis, last_release: Path) -> None:
    world = make_world(partitions=2)
    for code in (last_release, ROOT):
        world.environment |= running(code)
        process = world.consume()
        world.produce(BATCH)
        world.until_received()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    for code in (ROOT, last_release):
        world.environment |= running(code)
        redis.flushall()
        done = world.run("rebuild", "--yes")
        assert done.returncode == 0, done.stderr
        world.expect_exact()
