"""A real Prometheus and a real Alertmanager, from PATH or Debian's packages, and promtool."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.servers.debian import find_program
from tools.kafka.broker import free_port

GIVE_UP_AFTER_S = 30.0
HOW_TO_GET = (
    "{0} not found. On Debian or Ubuntu: apt-get install --no-install-recommends {1}; elsewhere "
    "put the programs of a Prometheus release on PATH."
)


class PrometheusMissing(Exception):
    """This machine has no such program and cannot install one."""


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """One run of promtool, whatever its exit code."""
    return subprocess.run(
        [program("promtool"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def amtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """One run of amtool, whatever its exit code."""
    return subprocess.run(
        [program("amtool"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def program(name: str) -> str:
    """The path of prometheus, promtool, alertmanager or amtool."""
    package = "prometheus-alertmanager" if name in {"alertmanager", "amtool"} else "prometheus"
    names = (name, "prometheus-alertmanager") if name == "alertmanager" else (name,)
    found = find_program(names, package)
    if found is None:
        raise PrometheusMissing(HOW_TO_GET.format(name, package))
    return found


@dataclass(frozen=True)
class Sample:
    """One series of an answer. ``points``: (seconds since 1970, value), of an instant query one."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]

    @property
    def value(self) -> float:
        """The last one."""
        return self.points[-1][1]

    def says_something(self) -> bool:
        """Whether any of its values is a number."""
        return any(not math.isnan(value) for _, value in self.points)


class QueryRefused(Exception):
    """Prometheus could not evaluate it."""


class _Server:
    """One server on ``127.0.0.1:port``, stopped by its own process, not by name."""

    def __init__(self, directory: Path, port: int | None = None) -> None:
        self.directory = directory
        self.port = port or free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.address}"
        self._process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def log(self) -> str:
        return (self.directory / "server.log").read_text(errors="replace")

    def _launch(self, *command: str) -> None:
        with (self.directory / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        give_up = time.monotonic() + GIVE_UP_AFTER_S
        while not self._is_ready():
            if time.monotonic() > give_up or self._process.poll() is not None:
                self.stop()
                raise RuntimeError(f"{command[0]} is not ready on {self.url}\n{self.log()[-3000:]}")
            time.sleep(0.05)

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/-/ready", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    def _get(self, path: str, **parameters: str | float) -> Any:
        return httpx.get(f"{self.url}{path}", params=parameters, timeout=30).json()


class Prometheus(_Server):
    """Scrapes ``targets`` (job → ``host:port``, …) and evaluates ``rules`` (files) every
    ``interval_s`` seconds, and tells the ``alertmanagers`` (``host:port``, …)."""

    def __init__(
        self,
        directory: Path,
        targets: Mapping[str, Sequence[str]] | None = None,
        *,
        interval_s: float = 1,
        rules: Sequence[Path] = (),
        alertmanagers: Sequence[str] = (),
        port: int | None = None,
    ) -> None:
        super().__init__(directory, port)
        every = f"{round(interval_s * 1000)}ms"
        self.config: dict[str, Any] = {
            "global": {
                "scrape_interval": every,
                "scrape_timeout": every,
                "evaluation_interval": every,
            },
            "rule_files": [str(rule.resolve()) for rule in rules],
            "scrape_configs": [
                {"job_name": job, "static_configs": [{"targets": list(addresses)}]}
                for job, addresses in (targets or {}).items()
            ],
            "alerting": {
                "alertmanagers": [{"static_configs": [{"targets": list(alertmanagers)}]}],
            },
        }

    @property
    def data(self) -> Path:
        return self.directory / "data"

    def backfill(self, openmetrics: str) -> None:
        """History, before :meth:`start`: OpenMetrics text with timestamps (seconds since 1970) in
        the past, ``# EOF`` at its end. What is scraped later must be younger."""
        self.directory.mkdir(parents=True, exist_ok=True)
        source = self.directory / "history.txt"
        source.write_text(openmetrics)
        done = promtool("tsdb", "create-blocks-from", "openmetrics", "-q", source, self.data)
        if done.returncode:
            raise RuntimeError(f"{done.stdout}\n{done.stderr}")

    def start(self) -> None:
        """Idempotent about its data: what an earlier start scraped is still there."""
        self.directory.mkdir(parents=True, exist_ok=True)
        config = self.directory / "prometheus.yml"
        config.write_text(yaml.safe_dump(self.config))
        self._launch(
            program("prometheus"),
            f"--config.file={config}",
            f"--storage.tsdb.path={self.data}",
            "--storage.tsdb.retention.time=60d",
            f"--web.listen-address={self.address}",
            "--web.enable-lifecycle",
            # An alert that fires before its manager is discovered (5 s) is dropped, and would be
            # sent again after a minute only.
            "--rules.alert.resend-delay=1s",
            "--log.level=warn",
        )

    def reload(self) -> None:
        """Take a changed ``config`` or changed rule files."""
        (self.directory / "prometheus.yml").write_text(yaml.safe_dump(self.config))
        httpx.post(f"{self.url}/-/reload", timeout=30).raise_for_status()

    def query(self, expression: str, at: float | None = None) -> list[Sample]:
        """An instant query, now or ``at`` (seconds since 1970).

        Raises QueryRefused, with Prometheus' words.
        """
        when = {} if at is None else {"time": at}
        return self._samples("/api/v1/query", query=expression, **when)

    def query_range(self, expression: str, start: float, end: float, step_s: float) -> list[Sample]:
        """A range query. Raises QueryRefused."""
        return self._samples(
            "/api/v1/query_range", query=expression, start=start, end=end, step=step_s
        )

    def alerts(self) -> list[dict[str, Any]]:
        """Pending and firing ones, as Prometheus tells them: labels, annotations, state, value."""
        found: list[dict[str, Any]] = self._get("/api/v1/alerts")["data"]["alerts"]
        return found

    def label_values(self, label: str, selector: str) -> list[str]:
        """What a dashboard's variable would offer."""
        found: list[str] = self._get(f"/api/v1/label/{label}/values", **{"match[]": selector})[
            "data"
        ]
        return found

    def _samples(self, path: str, **parameters: str | float) -> list[Sample]:
        answer = self._get(path, **parameters)
        if answer["status"] != "success":
            raise QueryRefused(answer["error"])
        result, kind = answer["data"]["result"], answer["data"]["resultType"]
        if kind in {"scalar", "string"}:
            return [Sample({}, (_point(result),))]
        return [
            Sample(series["metric"], tuple(map(_point, series.get("values") or [series["value"]])))
            for series in result
        ]


def _point(pair: Sequence[Any]) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])


class Alertmanager(_Server):
    """With this configuration (routes, receivers, inhibit_rules), and no cluster."""

    def __init__(self, directory: Path, config: Mapping[str, Any], port: int | None = None) -> None:
        super().__init__(directory, port)
        self.config = config

    def start(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        config = self.directory / "alertmanager.yml"
        config.write_text(yaml.safe_dump(dict(self.config)))
        self._launch(
            program("alertmanager"),
            f"--config.file={config}",
            f"--storage.path={self.directory / 'data'}",
            f"--web.listen-address={self.address}",
            "--cluster.listen-address=",
            "--log.level=warn",
        )

    def alerts(self) -> list[dict[str, Any]]:
        """What it holds, with ``status.state`` (active, suppressed) and ``status.inhibitedBy``."""
        found: list[dict[str, Any]] = self._get("/api/v2/alerts")
        return found
