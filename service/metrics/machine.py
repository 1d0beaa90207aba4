"""How the process itself is doing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from service.metrics.declared import Declared, Dependency, HaltReason
from service.metrics.durable import Shown


class MachineMetrics:
    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._lag = Shown(declared.lag)

    def observe_stage(self, stage: str, seconds: float) -> None:
        """The seconds that one batch spent there. ``stage``: one of :data:`Stage`."""
        self._declared.stage_seconds.labels(stage).observe(seconds)

    def observe_conflict(self) -> None:
        self._declared.store_conflicts.inc()

    def observe_outage(self, dependency: Dependency) -> None:
        """Once at the start of an outage, not at every retry."""
        self._declared.outages.labels(dependency).inc()

    def observe_commit_failure(self) -> None:
        self._declared.commit_failures.inc()

    def observe_request(self, route: str, status: int) -> None:
        """``route`` is the template of the path (``/cases/{case_id}``), never the path."""
        self._declared.http_requests.labels(route, f"{status // 100}xx").inc()

    def observe_turn(self) -> None:
        """The loop of a consumer goes round."""
        self._declared.last_turn.set_to_current_time()

    def set_lag(self, records: Mapping[int, int]) -> None:
        """Partition → records behind the log's end; partitions not named are no longer ours."""
        self._lag.show({(str(partition),): number for partition, number in records.items()})

    def set_halted(self, partitions: Mapping[HaltReason, int]) -> None:
        """Reason → how many partitions of this process are halted for it; 0 where not named."""
        for reason in get_args(HaltReason):
            self._declared.halted.labels(reason).set(partitions.get(reason, 0))
