"""Events from a file or a topic through the pipeline, and a report of what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from service.embedded import EmbeddedIntake
from service.intake import Receipt

BATCH = 200


@dataclass(slots=True)
class Summary:
    """What became of the events so far."""

    events: int = 0
    states: Counter[str] = field(default_factory=Counter)
    rejections: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    flagged: int = 0

    def add(self, receipt: Receipt) -> None:
        self.events += 1
        self.states[receipt.state] += 1
        if receipt.state == "rejected":
            self.rejections[receipt.reason or ""] += 1
        if receipt.verdict is None:
            return
        for check, outcome in receipt.verdict["checks"].items():
            self.outcomes.setdefault(check, Counter())[outcome] += 1
        findings = receipt.verdict["findings"]
        self.flagged += bool(findings)
        self.reasons.update({(finding["check"], finding["reason"]) for finding in findings})


def replay(
    events: Iterable[bytes], intake: EmbeddedIntake, on_progress: Callable[[Summary, Receipt], None]
) -> Summary:
    """Submit everything in batches; ``on_progress`` hears of each event."""
    summary = Summary()
    for batch in _batches(events):
        for receipt in intake.submit(batch):
            summary.add(receipt)
            on_progress(summary, receipt)
    return summary


def _batches(events: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for event in events:
        batch.append(event)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
