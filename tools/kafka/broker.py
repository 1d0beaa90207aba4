"""One broker process (KRaft, a single node that is also its controller)."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import random
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kafka import KafkaAdminClient
from kafka.errors import KafkaError
from tools.kafka.jars import broker_jars

GIVE_UP_AFTER_S = 60.0
PORTS = range(20_000, 32_000)
JVM = (
    *("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC"),
    *(
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
    ),
)
QUICK_JVM = (*JVM, "-XX:TieredStopAtLevel=1")
"""Compiles once and lightly: less work until it is up, more for every record from then on."""
# Nothing is deleted for its age, but where a topic asks for it: tests and tries send old events.
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{others}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}{others}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT{protocols}
log.dirs={data}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
auto.create.topics.enable=false
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
metadata.max.idle.interval.ms=5000
log.cleaner.backoff.ms=500
log.retention.check.interval.ms=1000
log.retention.ms=-1
{properties}
"""


@dataclass(frozen=True)
class Listeners:
    """What a broker has beside its plain listener. ``ports``: by the listener's name;
    ``protocols``: what it speaks there; ``properties``: more lines of the configuration;
    ``scram``: users, as ``--add-scram`` of Kafka's formatting takes them."""

    ports: Mapping[str, int] = field(default_factory=dict)
    protocols: Mapping[str, str] = field(default_factory=dict)
    properties: str = ""
    scram: Sequence[str] = ()


class BrokerFailed(Exception):
    """The broker did not come up; the message carries the end of its log."""


def free_port() -> int:
    """A TCP port of the loopback interface that was free a moment ago. Linux and macOS hand out
    none of these by themselves, so that nobody comes upon it before it is used, nor while a server
    is down for a moment."""
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise BrokerFailed(f"no port is free in {PORTS}")


class Broker:
    """A broker on ``127.0.0.1:port`` whose data outlives :meth:`kill` and :meth:`restart`."""

    jvm: Sequence[str] = JVM

    def __init__(
        self, directory: Path, port: int | None = None, listeners: Listeners | None = None
    ) -> None:
        self.directory = directory
        self.listeners = listeners or Listeners()
        self.port = port or free_port()
        self.bootstrap = f"127.0.0.1:{self.port}"
        self.log = directory / "broker.log"
        self._config = directory / "server.properties"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise BrokerFailed("the broker is not running")
        return self._process.pid

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Return once a metadata request is answered; :class:`BrokerFailed` after 60 s."""
        classpath = f"{broker_jars()}/*"
        self.directory.mkdir(parents=True, exist_ok=True)
        data = self.directory / "data"
        self._config.write_text(self._properties(data), encoding="utf-8")
        if not (data / "meta.properties").exists():
            self._format(classpath)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["java", *self.jvm, "-cp", classpath, "kafka.Kafka", str(self._config)],
                stdout=log,
                stderr=subprocess.STDOUT,
                # A person's Ctrl-C must reach the broker through stop(), not past it.
                start_new_session=True,
            )
        (self.directory / "broker.pid").write_text(f"{self.pid}\n", encoding="utf-8")
        self._wait_until_ready()

    def stop(self, timeout_s: float = 20.0) -> None:
        """Shut down in order; by force after ``timeout_s`` seconds."""
        if self._process is None:
            return
        self.thaw()
        self._process.terminate()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def kill(self) -> None:
        """SIGKILL: what a lost host looks like, but for the page cache."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """SIGSTOP: connections stay open, nothing is answered."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        """Stop if running, then start on the same port and data."""
        self.stop()
        self.start()

    def _properties(self, data: Path) -> str:
        more = self.listeners
        return PROPERTIES.format(
            port=self.port,
            controller=free_port(),
            data=data,
            others="".join(f",{name}://127.0.0.1:{port}" for name, port in more.ports.items()),
            protocols="".join(f",{name}:{spoken}" for name, spoken in more.protocols.items()),
            properties=more.properties,
        )

    def _format(self, classpath: str) -> None:
        digest = hashlib.sha256(str(self.directory).encode()).digest()[:16]
        cluster = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        arguments = (
            "format",
            "--standalone",
            f"--cluster-id={cluster}",
            "--config",
            str(self._config),
            *(f"--add-scram={user}" for user in self.listeners.scram),
        )
        done = subprocess.run(
            ["java", *QUICK_JVM, "-cp", classpath, "kafka.tools.StorageTool", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 0:
            raise BrokerFailed(f"formatting the data directory failed\n{done.stdout}{done.stderr}")

    def _wait_until_ready(self) -> None:
        give_up = time.monotonic() + GIVE_UP_AFTER_S
        while time.monotonic() < give_up:
            if self._process is None or self._process.poll() is not None:
                break
            if self._answers_metadata():
                return
            time.sleep(0.2)
        self.kill()
        text = self.log.read_text(encoding="utf-8", errors="replace")
        raise BrokerFailed(f"no broker on {self.bootstrap}; the end of {self.log}:\n{text[-4000:]}")

    def _answers_metadata(self) -> bool:
        # An open port says little: a broker that is still fenced accepts connections.
        with contextlib.closing(socket.socket()) as probe:
            probe.settimeout(1.0)
            if probe.connect_ex(("127.0.0.1", self.port)) != 0:
                return False
        try:
            admin = KafkaAdminClient(bootstrap_servers=self.bootstrap, bootstrap_timeout_ms=2000)
        except KafkaError:
            return False
        try:
            admin.list_topics()
        except KafkaError:
            return False
        finally:
            admin.close()
        return True
