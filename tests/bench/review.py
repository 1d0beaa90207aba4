"""The review queue at its bound: 200,000 open cases, 50 people at work, 10 requests a second."""

from __future__ import annotations

import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import Any

from service.checks import CHECKS
from service.pipeline import Batch, Terms, process, read_items
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.records import Record
from service.review.cases import CaseFilter
from service.review.labels import AnswerCall, Label
from service.store import Caps, Connection, Store, connect
from service.store.reviews import Desk
from tests.bench.site import Get, site
from tests.servers.redis import RedisServer

CASES, QUICK_CASES = 200_000, 5_000
REVIEWERS = 50
PER_SECOND = 10.0
REQUESTS, QUICK_REQUESTS = 960, 96
CAUSES, ONE_CAUSE_IN = 20_000, 30
"""Causes that occur a few times each, and how many answers share one big cause."""
NOW = 1_795_000_000_000
APPS = ("support", "sales")
Times = dict[str, list[float]]
Request = tuple[str, Callable[[], object]]
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
    with site(store, desk) as get:
        times, cpu = _pace(_requests(store, desk, get), requests)
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
        "bulk": _bulk(connection, desk),
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
    cause = "" if n % ONE_CAUSE_IN == 0 else n % CAUSES
    event = {
        "event_id": f"e{n}",
        "app": APPS[n % 2],
        "query": "What does a seat cost?",
        "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € a seat."}],
        "answer": f"A seat costs 45 € [pricing#gone{cause}].",
        "release": {"id": f"r{n % 7 % 5}"},
    }
    return json.dumps(event).encode()


def _pace(kinds: Iterator[Request], requests: int) -> tuple[Times, Times]:
    """Milliseconds on the clock, and of CPU in this process (Redis is another)."""
    times: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    start = time.perf_counter()
    for number, (name, request) in zip(range(requests), kinds, strict=False):
        wait = start + number / PER_SECOND - time.perf_counter()
        time.sleep(max(0.0, wait))
        begin, worked = time.perf_counter(), time.process_time()
        request()
        cpu.setdefault(name, []).append((time.process_time() - worked) * 1000)
        times.setdefault(name, []).append((time.perf_counter() - begin) * 1000)
    return times, cpu


def _requests(store: Store, desk: Desk, get: Get) -> Iterator[Request]:
    """Lists with and without filters, the next page, next cases, labels, groups, and pages, in
    turns."""
    list_cases, narrow = store.archive.list_cases, CaseFilter(app="sales", release="r3")
    cursor = list_cases(CaseFilter(), None, 50).next_cursor
    lease = None
    shown = list_cases(CaseFilter(), None, 1).cases[0].case_id

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
        ("groups, a filter that fits none",
         lambda: desk.groups(CaseFilter(reason="nothing"), None, 50)),
        ("page: queue", lambda: get("/queue")),
        ("page: queue, filtered", lambda: get("/queue?app=sales&release=r3")),
        ("page: case", lambda: get(f"/cases/{shown}")),
        ("page: groups", lambda: get("/groups")),
        ("API: cases", lambda: get("/v1/cases")),
    ])  # fmt: skip


def _bulk(connection: Connection, desk: Desk) -> dict[str, Any]:
    """Label the big group at once; how long others wait for Redis meanwhile."""
    group = max(desk.groups(CaseFilter(), None, 200).groups, key=lambda one: one.open_cases)
    lease = desk.claim(f"group:{group.group_id}", "one more", NOW)
    waits, done, began = list[float](), threading.Event(), time.perf_counter()
    with ThreadPoolExecutor(1) as others:
        waiting = others.submit(_ping, connection, waits, done)
        labelled = desk.label_group(lease, WRONG, NOW, lambda _: None)
        seconds = time.perf_counter() - began
        done.set()
        waiting.result()
    return {
        "cases": labelled,
        "seconds": round(seconds, 2),
        "others_p50": round(statistics.median(waits), 2),
        "others_p99": round(statistics.quantiles(waits, n=100)[-1], 2),
        "others_max": round(max(waits), 2),
    }


def _ping(connection: Connection, waits: list[float], done: threading.Event) -> None:
    while not done.is_set():
        begin = time.perf_counter()
        connection.client.ping()
        waits.append((time.perf_counter() - begin) * 1000)
        time.sleep(0.002)


def table(found: dict[str, Any]) -> str:
    lines = [f"{found['cases']:,} open cases, {found['bytes_a_case']:,} bytes each; milliseconds"]
    for name, ms in found["ms"].items():
        columns = "  ".join(f"{kind} {ms[kind]:6.1f}" for kind in ("cpu", "p50", "p95", "max"))
        lines.append(f"{name:41} n {ms['n']:3}  {columns}")
    bulk = found["bulk"]
    lines.append(
        f"bulk label of {bulk['cases']:,} cases: {bulk['seconds']} s; meanwhile a PING of another "
        f"connection takes {bulk['others_p50']} ms (p50), {bulk['others_p99']} (p99), "
        f"{bulk['others_max']} (max)"
    )
    return "\n".join(lines)
