"""A fresh installation of groundwatch for one run: namespace, group, verdicts topic."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

from service.bootstrap import Parts, build
from service.settings import load_settings
from tests.bench.servers import PARTITIONS, Filled, Servers
from tools.kafka.broker import free_port


class Installation:
    """The environment that every process of it is started with, and its store."""

    def __init__(self, servers: Servers, filled: Filled, folder: Path) -> None:
        name = f"bench-{uuid.uuid4().hex[:8]}"
        self.topic = filled.topic
        self.folder = folder
        verdicts, dead = f"{name}-verdicts", f"{name}-dead"
        servers.facts.create_topic(verdicts, PARTITIONS, {"max.message.bytes": "4194304"})
        servers.facts.create_topic(dead)
        policy = folder / "policy.yaml"
        policy.write_text(
            f"apps: {{support: {{disabled_checks: [{', '.join(servers.disabled)}]}}}}\n",
            encoding="utf-8",
        )
        self.environment = {
            "GROUNDWATCH_KAFKA_BOOTSTRAP": servers.bootstrap,
            "GROUNDWATCH_REDIS_URL": servers.redis_url,
            "GROUNDWATCH_REDIS_NAMESPACE": name,
            "GROUNDWATCH_POLICY": str(policy),
            "GROUNDWATCH_TOPIC_ANSWERS": filled.topic,
            "GROUNDWATCH_TOPIC_VERDICTS": verdicts,
            "GROUNDWATCH_TOPIC_DEAD_LETTERS": dead,
            "GROUNDWATCH_GROUP": name,
        }
        self.parts: Parts = build(load_settings(self.environment))

    def received(self) -> list[int]:
        """Records in the books, by partition."""
        keys, client = self.parts.store.connection.keys, self.parts.store.connection.client
        with client.pipeline(transaction=False) as pipeline:
            for partition in range(PARTITIONS):
                pipeline.hget(keys.checkpoint(self.topic, partition), "received")
            return [int(count or 0) for count in pipeline.execute()]

    @contextlib.contextmanager
    def consumers(self, count: int) -> Iterator[list[Consumer]]:
        """``count`` processes of ``groundwatch consume``, joined and held at their first record
        until the ``with`` block lets them go by :meth:`release`."""
        self.parts.store.checkpoints.fence("rebuilding")
        started = [Consumer(self, number) for number in range(count)]
        try:
            give_up = time.monotonic() + 60
            while any(consumer.held() != PARTITIONS // count for consumer in started):
                if time.monotonic() > give_up or any(not c.is_running() for c in started):
                    raise SystemExit(f"the consumers do not come up; see {self.folder}")
                time.sleep(0.2)
            yield started
        finally:
            for consumer in started:
                consumer.stop()

    def release(self) -> None:
        self.parts.store.checkpoints.finish()


class Consumer:
    """One ``groundwatch consume``, watched by its metrics."""

    def __init__(self, installation: Installation, number: int) -> None:
        self._port = free_port()
        environment = {"GROUNDWATCH_METRICS_PORT": str(self._port), **installation.environment}
        with (installation.folder / f"consume-{number}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", "consume"],
                env={**os.environ, **environment},
                stdout=log,
                stderr=log,
            )
        self.pid = self._process.pid

    def is_running(self) -> bool:
        return self._process.poll() is None

    def held(self) -> int:
        """Partitions that wait for the release."""
        return int(self.metrics().get('groundwatch_partition_halted{reason="rebuilding"}', 0))

    def metrics(self) -> dict[str, float]:
        """Series → value; nothing while it starts."""
        url = f"http://127.0.0.1:{self._port}/metrics"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return {}
        pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs}

    def stop(self) -> None:
        if self.is_running():
            self._process.terminate()
            try:
                self._process.wait(40)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
