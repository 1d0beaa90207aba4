"""A whole installation under the demo's traffic with faults in it, scraped by a real Prometheus:
what dashboards and alerts are tried out on."""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import yaml

from consumers.kafka import KafkaOptions, TopicFacts
from service.demo import load_events, policy
from service.demo.scripted_judge import ScriptedJudge
from service.demo.scripted_rulings import Watched, demo_rule
from service.measuring.probe_ids import NONCE_BYTES, probe_id
from tests.integration.world import World
from tests.servers.prometheus import Prometheus

EXAMPLE = Path(__file__).parents[2] / "examples" / "target"
SCRAPE_S = 1.0
WAVES = 3
EARLIER = timedelta(hours=5)
EARLIER_RELEASE = b"2026-11-28.1"
MAX_MEMORY = 1 << 30
FORBIDDEN = {
    "app": "support-assistant",
    "query": "What does another tenant pay?",
    "retrieved": [
        {"ref": "deals#acme", "text": "Acme pays 31 € a seat.", "tenant": "acme", "acl": ["sales"]}
    ],
    "answer": "Acme pays 31 € a seat [deals#acme].",
    "user": {"tenant": "globex", "groups": ["staff"]},
    "release": {"id": "2026-11-29.2"},
}
GROUNDLESS = {
    "app": "docs-search",
    "query": "How long is the notice period?",
    "retrieved": [],
    "answer": "The notice period is three months.",
    "release": {"id": "2026-11-29.2"},
}
NOT_JSON = b'{"event_id": "cut off'


class Site:
    """``since``: seconds since 1970 from which on Prometheus scraped it."""

    def __init__(self, world: World, prometheus: Prometheus, pages: str) -> None:
        self.world = world
        self.prometheus = prometheus
        self.pages = pages
        self.since = time.time()
        self._sent = self._reviewed = 0

    def scrape(self, *targets: str) -> None:
        """These (``host:port``) as well, from now on."""
        jobs = self.prometheus.config["scrape_configs"]
        jobs[0]["static_configs"][0]["targets"] += targets
        self.prometheus.reload()

    def until(self, expression: str, timeout_s: float = 60) -> None:
        """Until Prometheus knows anything by this expression."""
        self.world.until(lambda: self.prometheus.query(expression), timeout_s)

    def pause(self, scrapes: int = 3) -> None:
        """What comes next is seen to come."""
        time.sleep(scrapes * SCRAPE_S)

    def send_wave(self, number: int) -> None:
        """The demo's events once more under other ids, one of them twice; and what the demo lacks:
        a chunk that the reader must not see, an answer from nowhere, a broken record. The first
        wave is of hours ago and of the earlier release alone. Until all of it is checked."""
        ago = EARLIER if number == 0 else timedelta()
        events = [_renamed(raw, f"w{number}", ago) for raw in load_events()]
        if number == 0:
            events = [event for event in events if EARLIER_RELEASE in event]
        more: list[dict[str, Any]] = [FORBIDDEN, GROUNDLESS]
        events += [json.dumps(event | {"event_id": str(uuid.uuid4())}).encode() for event in more]
        partitions = self.world.partitions
        for partition in range(partitions):
            self.world.send_all(*events[partition::partitions], partition=partition)
        self.world.send_all(events[0], NOT_JSON)
        self._sent += len(events) + 2
        self.world.until_received(self._sent)

    def complain(self, number: int) -> None:
        """Thumbs on answers of that wave, and on one that nobody gave."""
        said = [(f"demo-{n:03}-w{number}", "down" if n % 3 else "up") for n in range(1, 30)]
        topic = self.world.settings.topic_feedback
        for event_id, thumb in (*said, ("never-given", "down")):
            for app in ("support-assistant", "docs-search"):
                value = json.dumps({"app": app, "event_id": event_id, "thumb": thumb}).encode()
                assert self.world.producer.send(topic, None, value, (), 0).wait(30)

    def probe(self, number: int) -> None:
        """A probe of the example target, and an answer of one that says it is live."""
        done = self.world.run(
            "probe", "--questions", str(EXAMPLE / "relevance.jsonl"), "--app", "support-assistant",
            "--target", "examples.target:answer", "--no-judge",
        )  # fmt: skip
        # 1: the example answers a question that it should not.
        assert done.returncode in (0, 1), done.stderr
        mislabelled = probe_id(self.world.parts.terms().secret, number.to_bytes(NONCE_BYTES, "big"))
        self.world.send_all(json.dumps(GROUNDLESS | {"event_id": mislabelled}).encode())
        self._sent += 1
        self.world.until_received(self._sent)

    def review(self, cases: int, tasks: int) -> None:
        """People at work: cases (every third a false alarm), and audit tasks by two of them."""
        with httpx.Client(base_url=self.pages, timeout=20) as client:
            for _ in range(cases):
                self._reviewed += 1
                _settle_next(client, "case", "ann@example.org", is_right=self._reviewed % 3 == 0)
            for n in range(tasks):
                _settle_next(client, "task", "ann@example.org", is_right=n % 3 == 0)
                _settle_next(client, "task", "bob@example.org", is_right=n % 2 == 0)


@contextlib.contextmanager
def running_site(
    facts: TopicFacts,
    kafka_bootstrap: str,
    redis_url: str,
    folder: Path,
    *,
    history: str = "",
    rules: Sequence[Path] = (),
    alertmanagers: Sequence[str] = (),
) -> Iterator[Site]:
    """serve, consume and judge of one installation, and a Prometheus that scrapes them.

    ``history``: OpenMetrics text of the past for it. Nothing is sent yet.
    """
    with contextlib.ExitStack() as stack:
        judge = stack.enter_context(_failing_now_and_then())
        kafka = KafkaOptions(kafka_bootstrap, bootstrap_timeout_ms=15_000)
        world = World(facts, kafka, redis_url, folder, partitions=2, **_settings(judge))
        stack.callback(world.close)
        for topic in (world.settings.topic_feedback, world.settings.topic_reviews):
            facts.create_topic(topic, 1)
        Path(world.environment["GROUNDWATCH_POLICY"]).write_text(_policy())
        stack.enter_context(_memory_limit(world.parts.store.connection.client))
        world.consume()
        world.judge()
        pages = world.serve()
        prometheus = Prometheus(
            folder / "prometheus",
            {"groundwatch": [urlsplit(pages).netloc, world.probes_at(0), world.probes_at(1)]},
            interval_s=SCRAPE_S,
            rules=rules,
            alertmanagers=alertmanagers,
        )
        if history:
            prometheus.backfill(history)
        stack.callback(prometheus.stop)
        prometheus.start()
        site = Site(world, prometheus, pages)
        site.until('groundwatch_records_total{kind="received"}')
        yield site


def go_through_everything(site: Site) -> None:
    """All that can happen to answers, seen from before it begins."""
    for wave in range(WAVES):
        site.send_wave(wave)
        site.complain(wave)
        site.probe(wave)
        site.review(cases=4, tasks=3 if wave else 0)
        site.pause()
    site.until('sum(groundwatch_judge_judgements_total{status="judged"}) > 100', 90)
    # Another `serve`, as behind a load balancer; it tells the durable figures as of now.
    site.scrape(urlsplit(site.world.serve()).netloc)
    site.until("count(groundwatch_judge_coverage) > 0")
    site.pause()


@contextlib.contextmanager
def _memory_limit(redis: Any) -> Iterator[None]:
    """As an operator sets one: without it there is no part of it that is used."""
    before = redis.config_get("maxmemory")
    redis.config_set("maxmemory", MAX_MEMORY)
    yield
    redis.config_set("maxmemory", *before.values())


def _settings(judge: ScriptedJudge) -> dict[str, Any]:
    name = uuid.uuid4().hex[:8]
    return {
        "topic_reviews": f"reviews-{name}",
        "judge_base_url": judge.base_url,
        "judge_model": "scripted-oracle",
        "judge_concurrency": 8,
        "judge_flip_share": 0.3,
        "judge_tokens_per_day": 100_000_000,
        "judge_calls_per_minute": 10_000,
        "judge_money_per_day": 1000,
        "judge_price_input": 1,
        "judge_price_output": 2,
        "sampling_secret": "nimmerwerk",
    }


def _failing_now_and_then() -> ScriptedJudge:
    """The demo's, which refuses every seventh call, and of one question understands nothing."""
    knows = demo_rule(map(json.loads, load_events()))

    def rule(watched: Watched) -> dict[str, Any]:
        return {} if watched["question"] == GROUNDLESS["query"] else knows(watched)

    return ScriptedJudge(rule, limits_rate=lambda number: number % 7 == 0)


def _policy() -> str:
    """The demo's, where everything is judged and much is audited, by two people."""
    data = policy(judged=True)
    for app in data["apps"].values():
        app["sampling"] |= {"audit": 0.2, "audit_max": 1.0, "audit_per_day": 1000}
        app["review"] = {"double_label": 1.0}
        app["citations"] |= {"required": True}
    return yaml.safe_dump(data)


def _renamed(raw: bytes, mark: str, ago: timedelta) -> bytes:
    """Of another id and another time. What cannot be read stays as it is."""
    try:
        event: dict[str, Any] = json.loads(raw)
    except ValueError:
        return raw
    event["event_id"] = f"{event.get('event_id')}-{mark}"
    event["occurred_at"] = (datetime.now(UTC) - ago).isoformat()
    return json.dumps(event, ensure_ascii=False).encode()


def _settle_next(client: httpx.Client, kind: str, reviewer: str, *, is_right: bool) -> None:
    who = {"X-Reviewer": reviewer}
    dealt = client.post(f"/v1/{kind}s/next", json={}, headers=who).raise_for_status().json()
    if dealt["lease"] is None:
        return
    path = f"/v1/{kind}s/{dealt['lease']['subject'].partition(':')[2]}/label"
    stands = client.get(path, headers=who).raise_for_status().headers["ETag"]
    held = {"X-Lease-Token": dealt["lease"]["token"], "If-Match": stands}
    label = _label(dealt[kind].get("findings", []), is_right=is_right)
    client.put(path, json=label, headers=who | held).raise_for_status()


def _label(findings: Sequence[dict[str, Any]], *, is_right: bool) -> dict[str, Any]:
    call = "false_alarm" if is_right else "real"
    return {
        "answer": "correct" if is_right else "wrong",
        "fault": None if is_right else "generation",
        "needed": [],
        "grounded": "yes" if is_right else "no",
        "helpful": "complete" if is_right else "tangential",
        "findings": [
            {name: finding[name] for name in ("check", "reason", "surface", "start")}
            | {"call": call}
            for finding in findings
        ],
    }
