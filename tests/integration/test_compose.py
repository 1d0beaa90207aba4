"""compose.yaml at work, as far as that goes without Docker: the configuration of its broker, its
topics, the flags of its Redis, and the commands and settings of our three processes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
import yaml

from consumers.kafka import KafkaOptions, TopicFacts
from service.demo.scripted_judge import ScriptedJudge
from tests.integration.world import answer_event
from tests.servers import commands, unavailable
from tests.servers.compose import OURS, environment, mounts, services, topics
from tests.servers.kafka import Broker
from tests.servers.prometheus import PrometheusMissing, amtool, promtool
from tests.servers.redis import RedisMissing, redis_binary
from tools.kafka.broker import free_port
from tools.kafka.jars import KafkaMissing, broker_jars

ROOT = Path(__file__).parents[2]


class ComposedBroker(Broker):
    """With the configuration that the container makes of its environment: ``KAFKA_LOG_DIRS`` is
    ``log.dirs``."""

    def _properties(self, data: Path) -> str:
        given = environment("kafka")
        self._cluster = given.pop("CLUSTER_ID")
        moved = {
            "://:9092": f"://127.0.0.1:{self.port}",
            "kafka:9092": self.bootstrap,
            "://:9093": f"://127.0.0.1:{(controller := free_port())}",
            "kafka:9093": f"127.0.0.1:{controller}",
            "://:29092": f"://127.0.0.1:{(host := free_port())}",
            "127.0.0.1:29092": f"127.0.0.1:{host}",
            "/var/lib/kafka/data": str(data),
        }
        lines = []
        for name, value in given.items():
            for ours, here in moved.items():
                value = value.replace(ours, here)
            lines.append(f"{name.removeprefix('KAFKA_').lower().replace('_', '.')}={value}")
        return "\n".join(lines)

    def _format(self, classpath: str) -> None:
        options = (f"--cluster-id={self._cluster}", f"--config={self._config}")
        storage = ("kafka.tools.StorageTool", "format", *options)
        subprocess.run(
            ["java", *self.jvm, "-cp", classpath, *storage], check=True, capture_output=True
        )


@pytest.fixture
def kafka(tmp_path: Path) -> Iterator[str]:
    """The address of the broker, with the topics of the one-shot."""
    try:
        broker_jars()
    except KafkaMissing as error:
        unavailable(str(error))
    broker = ComposedBroker(tmp_path / "kafka")
    broker.start()
    with contextlib.closing(TopicFacts(KafkaOptions(broker.bootstrap))) as facts:
        for name, (partitions, configs) in topics().items():
            facts.create_topic(name, partitions, configs)
    yield broker.bootstrap
    broker.stop()


@pytest.fixture
def redis_port(tmp_path: Path) -> Iterator[int]:
    """Of the Redis that its flags make."""
    try:
        program = redis_binary()
    except RedisMissing as error:
        unavailable(str(error))
    name, *flags = services()["redis"]["command"]
    assert name == "redis-server"
    port = free_port()
    where = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path))
    server = subprocess.Popen([program, *flags, *where], stdout=subprocess.DEVNULL)
    yield port
    server.terminate()
    server.wait(20)


@pytest.fixture
def endpoint() -> Iterator[ScriptedJudge]:
    with ScriptedJudge() as judge:
        yield judge


Settings = dict[str, str]


@pytest.fixture
def settings(kafka: str, redis_port: int, endpoint: ScriptedJudge) -> Callable[[str], Settings]:
    """``settings(service)`` → its environment, with the servers where they are here."""
    shell = {
        "GROUNDWATCH_JUDGE_BASE_URL": endpoint.base_url,
        "GROUNDWATCH_JUDGE_MODEL": "scripted-oracle",
    }

    def of(service: str) -> Settings:
        text = yaml.safe_dump(environment(service, shell))
        moved = {"kafka:9092": kafka, "redis:6379": f"127.0.0.1:{redis_port}"}
        moved |= {inside: str(ROOT / outside) for inside, outside in mounts(service).items()}
        for ours, here in moved.items():
            assert ours in text
            text = text.replace(ours, here)
        loaded: Settings = yaml.safe_load(text)
        return loaded

    return of


ANSWERS = ("e-1", "e-2", "e-3", "e-4", "e-5")
"""One in twenty is drawn for an audit, and its case withheld from the queue until that is done."""


def test_the_processes_work_on_what_it_starts(settings, redis_port, tmp_path: Path) -> None:
    ports = {service: free_port() for service in OURS}
    with contextlib.ExitStack() as stack:
        for service, port in ports.items():
            variable = "GROUNDWATCH_PORT" if service == "serve" else "GROUNDWATCH_METRICS_PORT"
            its = {**settings(service), variable: str(port)}
            stack.enter_context(running(service, its, tmp_path))
        for service, port in ports.items():
            until(partial(ready, port), tmp_path / f"{service}.log")
        url = f"http://127.0.0.1:{ports['serve']}"
        kind = {"Content-Type": "application/json"}
        for name in ANSWERS:
            event = answer_event(name, faulty=True, app="support-assistant")
            sent = httpx.post(f"{url}/v1/answers", content=event, headers=kind, timeout=30)
            assert sent.status_code == 202
        log = tmp_path / "consume.log"

        def queued() -> bool:
            page = httpx.get(f"{url}/queue", timeout=30).text
            return any(f"pricing#{name}" in page for name in ANSWERS)

        until(queued, log)
        told = groundwatch("doctor", settings=settings("consume"))
    assert told.returncode == 0, told.stdout
    assert "rag.reviews" in told.stdout


def groundwatch(*arguments: str, settings: Settings) -> subprocess.CompletedProcess[str]:
    return commands.run(arguments, {**os.environ, "COLUMNS": "200", **settings})


@contextlib.contextmanager
def running(service: str, settings: Settings, folder: Path) -> Iterator[None]:
    """Its command, until the end of the block."""
    with (folder / f"{service}.log").open("wb") as log:
        command = services()[service]["command"]
        process = commands.start(command, {**os.environ, **settings}, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def ready(port: int) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
    return False


def until(condition: Callable[[], bool], log: Path, timeout_s: float = 90) -> None:
    give_up = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < give_up, log.read_text()[-3000:]
        time.sleep(0.2)


def test_prometheus_accepts_its_configuration(tmp_path: Path) -> None:
    text = (ROOT / "dashboards/compose/prometheus.yaml").read_text()
    config = tmp_path / "prometheus.yaml"
    config.write_text(text.replace("/etc/prometheus/groundwatch", f"{ROOT}/dashboards/prometheus"))
    try:
        checked = promtool("check", "config", config)
    except PrometheusMissing as error:
        unavailable(str(error))
    assert checked.returncode == 0, checked.stderr
    rules = list((ROOT / "dashboards/prometheus").glob("*.rules.yaml"))
    assert f"{len(rules)} rule files found" in checked.stdout


def test_alertmanager_accepts_its_configuration() -> None:
    try:
        checked = amtool("check-config", ROOT / "dashboards/compose/alertmanager.yaml")
    except PrometheusMissing as error:
        unavailable(str(error))
    assert checked.returncode == 0, checked.stderr
    assert "2 receivers" in checked.stdout
