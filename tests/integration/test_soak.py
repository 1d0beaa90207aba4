"""The books under continuous traffic while something breaks every few seconds.

``SOAK_SECONDS`` (60) says for how long, ``SOAK_SEED`` repeats a run.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time

import pytest

from service.outage import Outage
from tests.integration.world import World

SECONDS = int(os.environ.get("SOAK_SECONDS", "60"))
FAULT_EVERY_S = 20 if SECONDS > 120 else 7
PER_ROUND = 60


class Faults:
    """What may happen to a world, each leaving at least one consumer to go on."""

    def __init__(self, world: World, redis_server, broker, draw: random.Random) -> None:
        self.world = world
        self.redis = redis_server
        self.broker = broker
        self.draw = draw

    def running(self) -> list[int]:
        return [n for n, process in enumerate(self.world.processes) if process.poll() is None]

    def kill_and_restart(self) -> None:
        self.world.processes[self.draw.choice(self.running())].kill()
        self.world.consume()

    def terminate_and_restart(self) -> None:
        number = self.draw.choice(self.running())
        assert self.world.stop(self.world.processes[number], 60) == 0, self.world.log(number)
        self.world.consume()

    def stop_and_continue(self) -> None:
        """Longer than a session: the partitions go to another member, and a zombie wakes up."""
        process = self.world.processes[self.draw.choice(self.running())]
        process.send_signal(signal.SIGSTOP)
        time.sleep(self.draw.choice((1, 8)))
        process.send_signal(signal.SIGCONT)

    def add_member(self) -> None:
        self.world.consume()

    def remove_member(self) -> None:
        if len(self.running()) > 1:
            self.world.processes[self.draw.choice(self.running())].kill()

    def restart_redis(self) -> None:
        self.redis.stop()
        time.sleep(2)
        self.redis.start()

    def freeze_redis(self) -> None:
        self.redis.freeze()
        time.sleep(6)
        self.redis.thaw()

    def restart_broker(self) -> None:
        self.broker.stop()
        time.sleep(1)
        self.broker.start()

    def kill_broker(self) -> None:
        self.broker.kill()
        self.broker.start()

    def names(self) -> list[str]:
        """Each once, in random order, and again: a short run sees as many kinds as it can."""
        names = [
            "kill_and_restart", "stop_and_continue", "restart_redis", "add_member",
            "terminate_and_restart", "freeze_redis", "restart_broker", "remove_member",
            "kill_broker",
        ]  # fmt: skip
        self.draw.shuffle(names)
        return names


def say(text: str) -> None:
    sys.stderr.write(f"soak: {text}\n")
    sys.stderr.flush()


class Traffic(threading.Thread):
    """Small rounds of events until stopped, or until one could not be produced."""

    def __init__(self, world: World) -> None:
        super().__init__(name="traffic")
        self.world = world
        self.stopped = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.stopped.wait(0.1):
                self.world.produce(PER_ROUND)
        except (AssertionError, Outage) as error:
            self.error = error


@pytest.mark.timeout(SECONDS + 400)
def test_the_books_hold_while_things_break(make_world, redis_server, broker, capsys) -> None:
    seed = int(os.environ.get("SOAK_SEED", random.SystemRandom().randrange(10**6)))
    world = make_world(partitions=4, max_poll_interval_s=20)
    faults = Faults(world, redis_server, broker, random.Random(seed))
    world.consume()
    world.consume()
    world.until(lambda: all(world.probe("/readyz", n).status_code == 200 for n in (0, 1)))
    traffic = Traffic(world)
    with capsys.disabled():
        say(f"{SECONDS} s, a fault every {FAULT_EVERY_S} s, SOAK_SEED={seed}")
        traffic.start()
        began, names = time.monotonic(), faults.names()
        try:
            while (at := time.monotonic() - began) < SECONDS and traffic.is_alive():
                name = names.pop()
                names = names or faults.names()
                say(f"{at:4.0f} s  {name}; {len(world.truth.positions)} events produced")
                getattr(faults, name)()
                traffic.stopped.wait(FAULT_EVERY_S)
        finally:
            traffic.stopped.set()
            traffic.join(150)
        assert traffic.error is None, traffic.error
        assert not traffic.is_alive()
        produced = len(world.truth.positions)
        say(f"the traffic ends after {produced} events")
        world.until_received(timeout_s=150)
        say(f"{world.received()} received, books {world.books()}")
    world.expect_exact()
    # Nobody ended but those that were ended: by SIGKILL, or in order.
    assert {process.poll() for process in world.processes} <= {None, 0, -signal.SIGKILL}
    assert produced > 20 * SECONDS
