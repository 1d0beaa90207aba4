"""The review queue at its bound: 200,000 open cases, 50 people at work, 10 requests a second."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from service.checks import CHECKS
from service.pipeline import Batch, Terms, process, read_items
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.records import Record
from service.review.cases import CaseFilter
from service.review.labels import AnswerCall, Label
from service.store import Caps, Store, connect
from service.store.reviews import Desk
from tests.servers.redis import RedisServer

CASES, QUICK_CASES = 200_000, 5_000
REVIEWERS = 50
PER_SECOND = 10.0
REQUESTS, QUICK_REQUESTS = 600, 60
CAUSES = 4_000
NOW = 1_795_000_000_000
APPS = ("support", "sales")
Times = dict[str, list[float]]
WRONG = Label(answer=AnswerCall.WRONG)


def measure(quick: bool = False) -> dict[str, Any]:
    """Milliseconds of each kind of request at the 50th and 95th percentile, and bytes a case."""
    with tempfile.TemporaryDirectory(prefix="groundwatch-bench-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            return _measure(
                server.url, *((QUICK_CASES, QUICK_REQUESTS) if quick else (CASES, REQUESTS))
            )
        finally:
            server.stop()


def _measure(url: str, cases: int, requests: int) -> dict[str, Any]:
    connection = connect(url)
    policy = Policy(apps={app: AppPolicy(sampling=SamplingPolicy(audit=0)) for app in APPS})
    store = Store.over(connection, Caps(cases_per_group_day=10**9, max_cases=10**9), CHECKS)
    before = int(connection.client.info("memory")["used_memory"])
    _fill(store, Terms(policy, b"secret"), cases)
    used = int(connection.client.info("memory")["used_memory"]) - before
    desk = Desk(connection, lambda: policy, b"secret")
    held = [desk.next_case(f"r{n}", CaseFilter(), NOW) for n in range(REVIEWERS)]
    assert None not in held
    times, cpu = _pace(store, desk, requests)
    return {
        "cases": cases,
        "bytes_a_case": round(used / cases),
        "ms": {
            name: {
                "n": len(found),
                "cpu": round(statistics.median(cpu[name]), 2),
                "p50": round(statistics.median(found), 2),
                "p95": round(statistics.quantiles(found, n=20)[-1], 2),
                "max": round(max(found), 2),
            }
            for name, found in times.items()
        },
        "balanced": store.archive.books().balanced,
    }


def _fill(store: Store, terms: Terms, cases: int) -> None:
    """Small answers over four months, each flagged: causes of very different sizes."""
    epoch = store.checkpoints.open()
    store.checkpoints.start("answers", "bench", {0: 0})
    for first in range(0, cases, 500):
        records = [
            Record(0, n, NOW - (cases - n) * 50_000, None, _answer(n))
            for n in range(first, min(first + 500, cases))
        ]
        batch = Batch(
            source="answers", partition=0, topic_id="bench", segment=0, first=first,
            next=first + len(records), received=len(records), gaps=0, lost={},
            items=read_items(records, terms),
        )  # fmt: skip
        seen = store.ledger.look_up(batch.items, APPS)
        store.ledger.apply(process(batch, {}, seen, terms), epoch)
        store.ledger.clear_outbox("answers", 0, batch.batch_id)


def _answer(n: int) -> bytes:
    cause = n * n % CAUSES
    event = {
        "event_id": f"e{n}",
        "app": APPS[n % 2],
        "query": "What does a seat cost?",
        "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € a seat."}],
        "answer": f"A seat costs 45 € [pricing#gone{cause}].",
        "release": {"id": f"r{n % 7 % 5}"},
    }
    return json.dumps(event).encode()


def _pace(store: Store, desk: Desk, requests: int) -> tuple[Times, Times]:
    """Milliseconds on the clock, and of this thread's CPU."""
    times: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    start = time.perf_counter()
    for number, (name, request) in zip(range(requests), _requests(store, desk), strict=False):
        wait = start + number / PER_SECOND - time.perf_counter()
        time.sleep(max(0.0, wait))
        begin, worked = time.perf_counter(), time.thread_time()
        request()
        cpu.setdefault(name, []).append((time.thread_time() - worked) * 1000)
        times.setdefault(name, []).append((time.perf_counter() - begin) * 1000)
    return times, cpu


def _requests(store: Store, desk: Desk) -> Iterator[tuple[str, Callable[[], object]]]:
    """Lists with and without filters, the next page, next cases, labels, groups, in turns."""
    list_cases, narrow = store.archive.list_cases, CaseFilter(app="sales", release="r3")
    cursor = list_cases(CaseFilter(), None, 50).next_cursor
    lease = None

    def next_case(filter: CaseFilter) -> None:
        nonlocal lease
        lease = desk.next_case("one more", filter, NOW)
        assert lease is not None

    def save() -> None:
        assert lease is not None
        desk.save(lease, WRONG, 0, NOW)

    yield from cycle([
        ("list", lambda: list_cases(CaseFilter(), None, 50)),
        ("next case", lambda: next_case(CaseFilter())),
        ("save", save),
        ("list, filtered", lambda: list_cases(narrow, None, 50)),
        ("next case, filtered", lambda: next_case(narrow)),
        ("save", save),
        ("list, next page", lambda: list_cases(CaseFilter(), cursor, 50)),
        ("list, filter that fits nothing",
         lambda: list_cases(CaseFilter(app="sales", check="numbers"), None, 50)),
        ("list, two large filters that meet nowhere",
         lambda: list_cases(CaseFilter(check="citations", severity="low"), None, 50)),
        ("groups", lambda: desk.groups(CaseFilter(), None, 50)),
    ])  # fmt: skip


def table(found: dict[str, Any]) -> str:
    lines = [f"{found['cases']:,} open cases, {found['bytes_a_case']:,} bytes each; milliseconds"]
    for name, ms in found["ms"].items():
        columns = "  ".join(f"{kind} {ms[kind]:6.1f}" for kind in ("cpu", "p50", "p95", "max"))
        lines.append(f"{name:41} n {ms['n']:3}  {columns}")
    return "\n".join(lines)
