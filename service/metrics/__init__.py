"""What Prometheus is told. ``declared`` names every metric once; the others observe them, by what
they are about. docs/metrics.md is written from here: ``python -m service.metrics``.

Labels are bounded: apps by the policy, releases by :class:`ReleaseLabels`, the rest by closed sets.
Failure series exist at 0 from the start: ``increase()`` does not see a series that is born at 5.
Counters grow after the store's script succeeded, never before.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from service.metrics.answers import NO_THUMB, AnswerMetrics
from service.metrics.declared import (
    JUDGE_FAILURES,
    Declared,
    Definition,
    HaltReason,
    RateName,
    Stage,
)
from service.metrics.durable import Calibrated, DurableMetrics, Measured
from service.metrics.judged import JudgeMetrics
from service.metrics.machine import MachineMetrics
from service.metrics.releases import MAX_RELEASES, NO_RELEASE, RELEASE_IDLE_HOURS

__all__ = [
    "JUDGE_FAILURES",
    "MAX_RELEASES",
    "NO_RELEASE",
    "NO_THUMB",
    "RELEASE_IDLE_HOURS",
    "AnswerMetrics",
    "Calibrated",
    "Declared",
    "Definition",
    "HaltReason",
    "Measured",
    "Metrics",
    "RateName",
    "Stage",
]


class Metrics(JudgeMetrics, MachineMetrics, DurableMetrics):
    """The metrics of one process, in a registry of their own unless one is given."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        declared = Declared(registry)
        JudgeMetrics.__init__(self, declared)
        MachineMetrics.__init__(self, declared)
        DurableMetrics.__init__(self, declared)
        self.registry = declared.registry
        ProcessCollector(registry=self.registry)

    @property
    def definitions(self) -> list[Definition]:
        return self._declared.definitions

    def exposition(self) -> tuple[bytes, str]:
        """What ``/metrics`` answers: body and content type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST
