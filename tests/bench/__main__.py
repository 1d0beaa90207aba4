"""``python -m tests.bench``: answers a second on real servers, against a bare loop, and why; and
what each check costs."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from service.checks import CHECKS
from service.store import connect
from tests.bench import checks, linearity, machine, memory, report, review, throughput
from tests.bench.events import Chunks
from tests.bench.installation import Installation
from tests.bench.servers import Filled, Servers, fill, servers
from tests.servers.redis import RedisMissing
from tools.kafka.broker import BrokerFailed
from tools.kafka.jars import KafkaMissing

EVENTS, QUICK_EVENTS = 40_000, 4_000
QUICK_CHECKED = 1_000


def main() -> int:
    chosen = _arguments()
    # The client complains of every pause that its thread has to make on a busy machine.
    logging.getLogger("kafka").setLevel(logging.ERROR)
    try:
        found = {"checks": _checks, "review": _review}.get(chosen.only, _everything)(chosen)
    except (KafkaMissing, RedisMissing, BrokerFailed) as missing:
        print(missing, file=sys.stderr)
        return 1
    if chosen.linearity and chosen.only != "review":
        found["linearity"] = linearity.measure()
        print(report.linearity(found["linearity"]))
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS, help="a topic [%(default)s]")
    parser.add_argument(
        "--quick", action="store_true", help=f"a smoke run of {QUICK_EVENTS} events"
    )
    parser.add_argument("--rounds", type=int, default=1, help="of every run; medians [1]")
    parser.add_argument("--chunks", choices=get_args(Chunks), help="one kind of chunks only")
    parser.add_argument(
        "--only",
        choices=("checks", "review"),
        help="the checks and their linearity, without servers; or the review queue",
    )
    parser.add_argument(
        "--checks", nargs="+", choices=CHECKS, help="the consumers run these alone [all]"
    )
    parser.add_argument(
        "--no-linearity", dest="linearity", action="store_false", help="leave out cost by length"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything found")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.events = QUICK_EVENTS
    return chosen


def _review(chosen: argparse.Namespace) -> dict[str, Any]:
    facts = machine.describe()
    print(f"{report.machine(facts)}\n", flush=True)
    found = review.measure(chosen.quick)
    print(f"{review.table(found)}\n", flush=True)
    return {"machine": facts, "review": found}


def _checks(chosen: argparse.Namespace) -> dict[str, Any]:
    facts = machine.describe()
    print(f"{report.machine(facts)}\n", flush=True)
    by_check = checks.measure(QUICK_CHECKED if chosen.quick else checks.EVENTS)
    print(f"{report.checks(by_check)}\n", flush=True)
    return {"machine": facts, "checks": by_check}


def _everything(chosen: argparse.Namespace) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix="groundwatch-bench-"))
    with servers(folder) as running:
        disabled = () if chosen.checks is None else set(CHECKS) - set(chosen.checks)
        running = replace(running, disabled=tuple(sorted(disabled)))
        found = _run(running, chosen, folder)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _run(running: Servers, chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    found = _checks(chosen)
    identity = memory.bytes_an_identity(connect(running.redis_url, "bench"), 25 * chosen.events)
    found |= {"bytes_an_identity": identity, "topics": {}}
    kinds: tuple[Chunks, ...] = (chosen.chunks,) if chosen.chunks else get_args(Chunks)
    for kind in kinds:
        filled = fill(running, kind, chosen.events)
        print(
            f"{kind} chunks: {filled.events:,} events of {filled.mean_bytes:,.0f} bytes, "
            f"{filled.faulty:,} of them wrong; CPU in milliseconds an answer "
            "(= seconds a thousand)",
            flush=True,
        )
        found["topics"][kind] = _topic(
            running, filled, chosen.rounds, folder / kind, identity,
            targeted=kind == "zipf" and not chosen.checks,
        )  # fmt: skip
    return found


def _topic(
    running: Servers, filled: Filled, rounds: int, folder: Path, identity: float, *, targeted: bool
) -> dict[str, Any]:
    """The rounds go through all runs in turn, so that a busy minute of the machine hits all."""
    bare: list[dict[str, float]] = []
    runs: dict[int, list[throughput.Throughput]] = {1: [], 2: []}
    staged: list[dict[str, Any]] = []
    for number in range(rounds):
        bare.append(_child("bare", running.bootstrap, filled.topic, filled.events))
        for consumers, measured in runs.items():
            place = folder / f"{number}-{consumers}"
            measured.append(throughput.measure(running, filled, consumers, place))
        staged.append(_staged(running, filled, folder / f"{number}-staged"))
        bare.append(_child("bare", running.bootstrap, filled.topic, filled.events))
    middle = [_median(measured) for measured in runs.values()]
    for run in middle:
        if run.imbalance or run.flagged != filled.faulty:
            print(f"! books off by {run.imbalance}; {run.flagged} flagged")
    profile = sorted(staged, key=lambda one: one["cpu_ms"])[len(staged) // 2]
    print(f"{report.rates(bare, middle, targeted=targeted)}\n")
    print(f"{report.stages(profile, middle[0].stage_ms)}\n")
    print(f"redis: {report.memory(middle[0], identity)}\n", flush=True)
    return {
        "bare": bare,
        "consumers": {n: [run.plain() for run in measured] for n, measured in runs.items()},
        "staged": staged,
    }


def _median(runs: list[throughput.Throughput]) -> throughput.Throughput:
    middle = statistics.median_low(run.per_s for run in runs)
    return next(run for run in runs if run.per_s == middle)


def _staged(running: Servers, filled: Filled, folder: Path) -> dict[str, Any]:
    folder.mkdir(parents=True)
    installation = Installation(running, filled, folder)
    return _child("staged", filled.topic, filled.events, environment=installation.environment)


def _child(module: str, *arguments: object, environment: dict[str, str] | None = None) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)],
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        check=True,
        timeout=1_200,
    )
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main())
