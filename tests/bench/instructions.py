"""Instructions that an answer costs, counted by valgrind: nearly the same in every run, however
noisy the machine is. ``python -m tests.bench.instructions --help``; best over compiled code (``make
instructions``), whose functions it knows by name.

They are no time: what misses the processor's caches costs more than its instructions. But two
versions of one function compare to the per cent, where a stop-watch is off by a tenth.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import orjson

from service.ingest import COLLECT_AFTER
from service.pipeline import Batch, Seen, Terms, process, read_items
from service.policy import Policy
from service.records import Record
from tests.bench.events import EventStream

EVENTS, WARM = 500, 5_000
"""Counted, after those that fill the caches; of Zipf's mix."""
BATCH = 500
SHOWN = (
    "pipeline.read_items", "pipeline._parse", "citations.read", "pipeline.process",
    "citations.check", "links.check", "quotes.check", "numbers.check", "identifiers.check",
    "citation_coverage.check", "abstention.check", "access.check", "retrieval.check",
    "scope.check", "overlap.check", "reader.read", "speech.read", "sentences.read",
    "language.detect", "pipeline.keep",
)  # fmt: skip
"""Module and function, with all that each calls."""


def main() -> int:
    """Run :func:`child` under valgrind and print what it counted."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.instructions", description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS, help="answers counted [%(default)s]")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    events: int = chosen.events
    if chosen.child:
        child(events)
        return 0
    if shutil.which("valgrind") is None:
        raise SystemExit("this needs valgrind (Debian, Ubuntu: apt-get install valgrind)")
    print(f"counting; a minute or so for {EVENTS} answers", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "callgrind.out")
        counting = [
            "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={found}",
            sys.executable, "-m", "tests.bench.instructions", "--child", f"--events={events}",
        ]  # fmt: skip
        counted = subprocess.run(counting, capture_output=True, text=True, check=False)
        if counted.returncode:
            raise SystemExit(f"nothing was counted:\n{counted.stderr}")
        report = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(found)],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    print(f"thousands of instructions an answer, {events} answers after {WARM:,}")
    for name, count in counts(report).items():
        print(f"{name:25}{count / events / 1_000:10,.1f}")
    return 0


_LINE = re.compile(r"\s*([\d,]+) \([ \d.]+%\)\s+(?:.*:)?(\S+)")


def counts(report: str) -> dict[str, int]:
    """All, then :data:`SHOWN`, of what callgrind_annotate printed."""
    wanted = {f"CPyDef_{name.replace('.', '___')}": name for name in SHOWN}
    seen: dict[str, int] = {}
    for line in report.splitlines():
        if (match := _LINE.match(line)) is None:
            continue
        name = "all" if match[2] == "PROGRAM" else wanted.get(match[2])
        if name is not None:
            seen.setdefault(name, int(match[1].replace(",", "")))
    return {name: seen[name] for name in ("all", *SHOWN) if name in seen}


def child(events: int) -> None:
    """Check answers; the last ``events`` are counted."""
    gc.set_threshold(COLLECT_AFTER)  # as in the consumer
    stream = EventStream("zipf")
    _check(_records(stream, WARM))
    records = _records(stream, events)
    _count("on")
    _check(records)
    _count("off")


def _records(stream: EventStream, count: int) -> list[Record]:
    return [Record(0, n, 0, None, orjson.dumps(stream.event())) for n in range(count)]


def _check(records: list[Record]) -> None:
    terms = Terms(policy=Policy(), secret=b"instructions of an answer")
    for first in range(0, len(records), BATCH):
        items = read_items(records[first : first + BATCH], terms)
        end = first + len(items)
        batch = Batch("bench", 0, "", 0, first, end, len(items), 0, {}, items)
        process(batch, {}, Seen(), terms)


def _count(state: str) -> None:
    command = ["callgrind_control", "-i", state, str(os.getpid())]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
