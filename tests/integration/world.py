"""One installation for one test: topics, store and group of its own, consumers as processes.

``World.produce`` knows the truth about every event it makes, and ``World.expect_exact`` compares
the books, the cases, the verdicts and the dead letters with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from kafka import KafkaAdminClient, TopicPartition

from consumers.kafka import KafkaOptions, RecordProducer, TopicFacts
from consumers.kafka.topics import Start
from consumers.upkeep import list_dead_letters, reset_checkpoints, verdict_values
from service.accounting import Kind
from service.bootstrap import Parts, build
from service.drafts import case_id
from service.outage import Outage
from service.rebuild import Report, rebuild
from service.records import Record
from service.review.cases import Case, CaseFilter
from service.settings import Settings, load_settings
from service.store.connection import pairs
from service.verdicts import BatchRecord, decode
from tests.servers import commands
from tests.servers.commands import Process
from tests.servers.kafka import free_port

POLICY = "default: &quiet {sampling: {audit: 0}}\napps: {support: *quiet, sales: *quiet}\n"
"""No audits, unless a test wants them: they withhold the case of the same answer."""

POISON = (b"{", b"\xff\xfe", b'{"event_id": 7}', b'{"schema_version": 9}', b"", b"[]")
Position = tuple[int, int]


@dataclass
class Truth:
    """What must come out, by (partition, offset). ``earlier``: records of topics since deleted."""

    earlier: int = 0
    positions: set[Position] = field(default_factory=set)
    poison: set[Position] = field(default_factory=set)
    flagged: dict[str, Position] = field(default_factory=dict)


def answer_event(
    event_id: str, *, faulty: bool = False, app: str = "support", **more: object
) -> bytes:
    """A small clean event, or one that cites a document that was not retrieved."""
    ref = f"pricing#{event_id}" if faulty else "pricing#plans"
    event = {
        "event_id": event_id,
        "app": app,
        "query": "What does a seat cost?",
        "retrieved": [{"ref": "pricing#plans", "text": "Starter: 39 € a seat. Pro: 45 € a seat."}],
        "answer": f"A seat costs 45 € [{ref}].",
        "release": {"id": "r1"},
        **more,
    }
    return json.dumps(event, ensure_ascii=False).encode()


class World:
    """``settings``: more ``GROUNDWATCH_*`` settings, lower case, for every process."""

    def __init__(
        self,
        facts: TopicFacts,
        kafka_options: KafkaOptions,
        redis_url: str,
        folder: Path,
        partitions: int = 4,
        topic_configs: dict[str, str] | None = None,
        **settings: object,
    ) -> None:
        name = uuid.uuid4().hex[:8]
        self.facts = facts
        self.partitions = partitions
        self.folder = folder
        self.answers = f"answers-{name}"
        self.dead_letters = f"dead-{name}"
        self.verdicts = f"verdicts-{name}"
        facts.create_topic(self.answers, partitions, topic_configs)
        facts.create_topic(self.dead_letters, 1)
        facts.create_topic(self.verdicts, 2)
        policy = folder / "policy.yaml"
        policy.write_text(POLICY)
        self.environment = {
            "GROUNDWATCH_KAFKA_BOOTSTRAP": kafka_options.bootstrap,
            "GROUNDWATCH_REDIS_URL": redis_url,
            "GROUNDWATCH_REDIS_NAMESPACE": f"test-{name}",
            "GROUNDWATCH_POLICY": str(policy),
            "GROUNDWATCH_TOPIC_ANSWERS": self.answers,
            "GROUNDWATCH_TOPIC_DEAD_LETTERS": self.dead_letters,
            "GROUNDWATCH_TOPIC_VERDICTS": self.verdicts,
            # Not made here: without the topic there is no feedback.
            "GROUNDWATCH_TOPIC_FEEDBACK": f"{name}-feedback",
            "GROUNDWATCH_GROUP": f"group-{name}",
            "GROUNDWATCH_METRICS_PORT": "0",
            "GROUNDWATCH_SESSION_TIMEOUT_S": "6",
            "GROUNDWATCH_CASES_PER_GROUP_DAY": "1000000",
        }
        self.environment |= {f"GROUNDWATCH_{k.upper()}": str(v) for k, v in settings.items()}
        self.settings: Settings = load_settings(self.environment)
        self.parts: Parts = build(self.settings)
        # The broker's limits are what is tried out, not the client's.
        self.kafka_options = replace(kafka_options, max_request_bytes=16 << 20)
        self.producer = RecordProducer(self.kafka_options)
        self.truth = Truth()
        self.processes: list[Process] = []
        self.servers: list[Process] = []
        self._number = 0

    # Traffic.

    def produce(self, count: int, *, poison_every: int = 100, faulty_every: int = 20) -> None:
        """``count`` more events, spread over the partitions, acknowledged."""
        sent = []
        give_up = time.monotonic() + 60
        for _ in range(count):
            self._number += 1
            n = self._number
            event_id = f"e-{n}"
            if poison_every and n % poison_every == 0:
                raw, kind = POISON[(n // poison_every) % len(POISON)], "poison"
            elif faulty_every and n % faulty_every == 1:
                raw, kind = answer_event(event_id, faulty=True), "faulty"
            else:
                raw, kind = answer_event(event_id), "clean"
            delivery = self._send_until(give_up, raw, n % self.partitions)
            sent.append((delivery, n % self.partitions, kind, event_id))
        assert self.producer.flush(60)
        for delivery, partition, kind, event_id in sent:
            offset = delivery.offset()
            assert offset is not None, delivery.failed()
            self.truth.positions.add((partition, offset))
            if kind == "poison":
                self.truth.poison.add((partition, offset))
            elif kind == "faulty":
                self.truth.flagged[event_id] = (partition, offset)

    def _send_until(self, give_up: float, raw: bytes, partition: int):
        # A broker that has just come back knows no topic for a moment: nothing was sent then.
        while True:
            try:
                return self.send(raw, partition)
            except Outage:
                if time.monotonic() > give_up:
                    raise

    def send(
        self,
        raw: bytes | None,
        partition: int = 0,
        key: bytes | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
        timestamp_ms: int | None = None,
    ):
        return self.producer.send(self.answers, key, raw, headers, partition, timestamp_ms)

    def send_all(self, *raws: bytes | None, partition: int = 0) -> list[Position]:
        """Each raw value as one record, acknowledged; their positions. Not part of ``truth``."""
        deliveries = [self.send(raw, partition) for raw in raws]
        assert self.producer.flush(60)
        assert [delivery.failed() for delivery in deliveries] == [None] * len(raws)
        return [(partition, delivery.offset() or 0) for delivery in deliveries]

    def renew_producer(self) -> None:
        """One that knows of partitions added since."""
        self.producer.close()
        self.producer = RecordProducer(self.kafka_options)

    # Topics.

    def admin(self) -> contextlib.closing[KafkaAdminClient]:
        return contextlib.closing(KafkaAdminClient(bootstrap_servers=self.settings.kafka_bootstrap))

    def delete_topic(self, topic: str) -> None:
        with self.admin() as admin:
            admin.delete_topics([topic])
        self.until(lambda: not _exists(self.facts, topic))

    def recreate_answers(self) -> None:
        """Another topic of the same name. What was in the old one counts on in ``truth.flagged``
        and ``earlier`` alone: positions begin anew."""
        self.delete_topic(self.answers)
        self.facts.create_topic(self.answers, self.partitions)
        self.truth.earlier += len(self.truth.positions)
        self.truth.positions.clear()
        self.truth.poison.clear()

    def delete_records(self, before: dict[int, int]) -> None:
        """What retention does: records below these offsets are gone."""
        with self.admin() as admin:
            admin.delete_records({TopicPartition(self.answers, p): n for p, n in before.items()})

    # Processes.

    def consume(self, *arguments: str, **settings: object) -> Process:
        """Start one ``groundwatch consume``; its log is ``<folder>/consume-<n>.log``."""
        return self._start("consume", *arguments, **settings)

    def judge(self, **settings: object) -> Process:
        """Start one ``groundwatch judge``, a process as those of ``consume`` are."""
        return self._start("judge", **settings)

    def _start(self, command: str, *arguments: str, **settings: object) -> Process:
        extra = {f"GROUNDWATCH_{k.upper()}": str(v) for k, v in settings.items()}
        environment = {**os.environ, "PYTHONFAULTHANDLER": "1", **self.environment, **extra}
        with (self.folder / f"consume-{len(self.processes)}.log").open("ab") as log:
            process = commands.start([command, *arguments], environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def serve(self) -> str:
        """Start ``groundwatch serve``; its address in return, once it answers."""
        address = f"http://127.0.0.1:{(port := free_port())}"
        with (self.folder / "serve.log").open("ab") as log:
            environment = {**os.environ, **self.environment}
            process = commands.start(
                ["serve", "--port", str(port)], environment, stdout=log, stderr=log
            )
        self.servers.append(process)

        def answers() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                return httpx.get(f"{address}/healthz", timeout=5).status_code == 200
            return False

        self.until(answers)
        return address

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """One ``groundwatch`` command of this installation."""
        environment = {**os.environ, "COLUMNS": "200", **self.environment}
        return commands.run(arguments, environment, stdin=stdin)

    def rebuild(self) -> Report:
        """``groundwatch rebuild --yes``, without a process of its own."""
        values = verdict_values(self.facts, self.verdicts)
        return rebuild(self.parts.store, values, lambda _: None)

    def reset(self, to: Start | int) -> None:
        """``groundwatch checkpoints reset --yes``, likewise."""
        reset_checkpoints(self.parts.store, self.facts, self.answers, to)

    def log(self, number: int = 0) -> str:
        return (self.folder / f"consume-{number}.log").read_text(errors="replace")

    def probes_at(self, number: int = 0) -> str:
        """``host:port`` on which consumer ``number`` answers probes."""
        ports: list[str] = []

        def listening() -> bool:
            ports[:] = re.findall(r'"port": (\d+), "event": "probes"', self.log(number))
            return bool(ports)

        self.until(listening)
        return f"127.0.0.1:{ports[-1]}"

    def probe(self, path: str, number: int = 0) -> httpx.Response:
        """What consumer ``number`` answers on its port for probes."""
        return httpx.get(f"http://{self.probes_at(number)}{path}", timeout=20)

    def metric(self, sample: str, number: int = 0) -> float:
        """A sample of /metrics by its name with labels, without the prefix ``groundwatch_``."""
        for line in self.probe("/metrics", number).text.splitlines():
            name, _, value = line.rpartition(" ")
            if name == f"groundwatch_{sample}":
                return float(value)
        raise AssertionError(f"no sample {sample}")

    def samples(self, name: str, number: int = 0) -> list[float]:
        """Every series of a metric."""
        lines = self.probe("/metrics", number).text.splitlines()
        return [
            float(line.split()[-1]) for line in lines if line.startswith(f"groundwatch_{name}{{")
        ]

    def until_halted(self, reason: str, partitions: int | None = None, number: int = 0) -> None:
        """Until consumer ``number`` has halted that many partitions (all) for ``reason``: alive,
        unready, and saying why."""
        want = self.partitions if partitions is None else partitions
        sample = f'partition_halted{{reason="{reason}"}}'
        self.until(lambda: self.metric(sample, number) == want)
        ready = self.probe("/readyz", number)
        assert ready.status_code == 503
        condition = ready.json()["checks"]["partitions"]
        assert not condition["ok"]
        assert condition["detail"].count(f": {reason}: ") == want
        assert self.probe("/healthz", number).status_code == 200
        assert self.processes[number].poll() is None

    def logs(self) -> str:
        return "\n".join(f"--- {n}\n{self.log(n)[-9000:]}" for n in range(len(self.processes)))

    def stop(self, process: Process, timeout_s: float = 40) -> int:
        """SIGTERM, and its exit code."""
        process.send_signal(signal.SIGTERM)
        return process.wait(timeout_s)

    def close(self) -> None:
        for process in (*self.processes, *self.servers):
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in (*self.processes, *self.servers):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.producer.close()

    # What came out.

    def received(self) -> int:
        books = self.parts.store.checkpoints.books()
        return sum(book.counts.get("received", 0) for book in books)

    def committed(self) -> dict[int, int]:
        return self.facts.committed(self.settings.group, self.answers)

    def _dump_stacks(self) -> None:
        """Where every thread of every consumer stands, into their logs; it ends them."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGABRT)
                process.wait(20)

    def until(self, condition: Callable[[], object], timeout_s: float = 60) -> None:
        give_up = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > give_up:
                self._dump_stacks()
                raise AssertionError(
                    f"not in {timeout_s} s; received {self.received()}\n{self.logs()}"
                )
            time.sleep(0.1)

    def until_received(self, count: int | None = None, timeout_s: float = 60) -> None:
        """Until everything produced (or ``count`` records) is in the books and the outbox empty."""
        want = self.truth.earlier + len(self.truth.positions) if count is None else count
        self.until(lambda: self.received() >= want and not self.outboxes(), timeout_s)

    def snapshot(self) -> dict[str, Any]:
        """Everything a rebuild must bring back, of a store that nobody writes to."""
        store = self.parts.store
        client, keys = store.connection.client, store.connection.keys
        books = store.archive.books()
        groups = {
            group.decode(): pairs(client.hgetall(keys.group(group.decode())))
            for group in client.zrange(keys.groups, 0, -1)
        }
        return {
            "equations": books.equations,
            "accounts": books.partitions,
            "checkpoints": [store.checkpoints.get(self.answers, p) for p in range(self.partitions)],
            "totals": books.totals,
            "counters": store.archive.counters(),
            "cases": {case.summary.case_id: case for case in self.all_cases()},
            "groups": groups,
            "releases": {
                app: set(client.zrange(keys.releases(app), 0, -1))
                for app in (*self.parts.terms().policy.apps, "other")
            },
        }

    def case(self, event_id: str, app: str = "support") -> Case:
        found = self.parts.store.archive.case(case_id(app, event_id))
        assert found is not None
        return found

    def outboxes(self) -> list[int]:
        ledger = self.parts.store.ledger
        return [p for p in range(self.partitions) if ledger.outbox(self.answers, p) is not None]

    def books(self) -> dict[str, int]:
        """Equation → imbalance."""
        return {e.name: e.imbalance for e in self.parts.store.archive.books().equations}

    def totals(self) -> dict[str, int]:
        return self.parts.store.archive.totals()

    def cases(self) -> dict[str, Position]:
        """Event id → (partition, offset) of every case in the store."""
        cases = list(self.all_cases())
        found = {case.summary.event_id: case.position[1:] for case in cases}
        assert len(found) == len(cases), "two cases of one id"
        return found

    def all_cases(self) -> Iterator[Case]:
        """Every case in the store, page by page."""
        cursor = None
        while True:
            page = self.parts.store.archive.list_cases(CaseFilter(status=None), cursor, 200)
            for summary in page.cases:
                case = self.parts.store.archive.case(summary.case_id)
                assert case is not None
                yield case
            cursor = page.next_cursor
            if cursor is None:
                return

    def verdicts_read(self) -> tuple[dict[Position, Kind], set[str]]:
        """Of ``rag.verdicts``: position → kind of every row, and the event ids of all cases. A
        position with two different rows fails the test; a repeated one does not."""
        rows: dict[Position, Kind] = {}
        cases: set[str] = set()
        for record in self.facts.read_all(self.verdicts):
            assert isinstance(record, Record)
            verdict = decode(record.value or b"")
            if isinstance(verdict, BatchRecord):
                for row in verdict.rows:
                    place = (verdict.partition, row.offset)
                    assert rows.get(place, row.kind) == row.kind
                    rows[place] = row.kind
            elif verdict is not None:
                cases.add(verdict["event_id"])
        return rows, cases

    def dead(self) -> set[Position]:
        """The source positions of the dead letters."""
        found = set()
        for letter in list_dead_letters(self.facts, self.dead_letters):
            partition, offset = letter.source.rsplit("/", 1)[1].split("@")
            found.add((int(partition), int(offset)))
        return found

    def expect_exact(self) -> None:
        """Everything produced so far has its effects exactly once, and nothing else has any."""
        truth = self.truth
        assert set(self.books().values()) == {0}, self.books()
        assert self.received() == len(truth.positions)
        totals = self.totals()
        assert totals["rejected"] == len(truth.poison)
        assert totals["checked"] == len(truth.positions) - len(truth.poison)
        assert totals["flagged"] == len(truth.flagged)
        assert self.cases() == truth.flagged
        assert self.dead() == truth.poison
        rows, cases = self.verdicts_read()
        assert rows.keys() == truth.positions
        assert {place for place, kind in rows.items() if kind is Kind.REJECTED} == truth.poison
        assert cases == truth.flagged.keys()


def _exists(facts: TopicFacts, topic: str) -> bool:
    try:
        facts.partition_count(topic)
    except Outage:
        return False
    return True
