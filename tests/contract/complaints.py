"""A store whose answers may be joined with feedback, and the topic they are read from again."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from service.documents import Documents
from service.joining import FeedbackJoin, Joined
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.records import Record
from tests.contract.world import NOW, MakeWorld, World, event

WINDOW_MS = 24 * 3_600_000
TOPIC = "feedback-topic/0"


@dataclass
class Listening:
    """``topic``: what ``rag.verdicts`` holds; ``answers``: position → record, gone when deleted."""

    world: World
    now_ms: int = NOW
    answers: dict[tuple[str, int, int], Record] = field(default_factory=dict)
    topic: list[bytes] = field(default_factory=list)
    offset: int = 0
    reads: int = 0

    def __post_init__(self) -> None:
        self.join = FeedbackJoin(
            self.world.store,
            Documents(self.world.connection),
            lambda: self.world.terms,
            self._read,
            lambda: self.now_ms,
        )

    def _read(self, position: tuple[str, int, int]) -> Record | None:
        self.reads += 1
        return self.answers.get(position)

    def take(self, *names: str, at_ms: int = NOW, **more: Any) -> None:
        """Answers of these ids, clean unless ``cites`` says otherwise."""
        events = [event(name, **more) for name in names]
        batch = self.world.batch(events, at_ms=at_ms)
        for item in batch.items:
            place = (batch.source, batch.partition, item.record.offset)
            self.answers[place] = item.record
        _, outbox = self.world.take_records(events, at_ms=at_ms)
        self.topic += [*outbox.cases, outbox.batch]

    def hear(self, name: str, thumb: str = "down", again: bool = False, **more: Any) -> Joined:
        """One piece of feedback; ``again``: the last one, once more."""
        raw = json.dumps({"app": "support", "event_id": name, "thumb": thumb, **more}).encode()
        said = self.join.parse(raw)
        assert not hasattr(said, "reason"), said
        if not again:
            self.offset += 1
        return self.join.take(said, (TOPIC, self.offset), self.world.epoch)


def listening(
    make_world: MakeWorld,
    *,
    rest: float = 0.0,
    flagged: float = 0.0,
    feedback: float = 1.0,
    audit: float = 0.0,
    judge: bool = True,
    dimensions: Mapping[str, Collection[str]] = MappingProxyType({}),
    **caps: Any,
) -> Listening:
    """π of the strata ``rest`` and ``flagged``; ``feedback``: of the second draw."""
    world = make_world(feedback_window_ms=WINDOW_MS, **caps)
    sampling = SamplingPolicy(
        audit=audit, rest=rest, low_overlap=rest, abstained=rest, flagged=flagged,
        flagged_high=flagged, negative_feedback=feedback,
    )  # fmt: skip
    app = AppPolicy.model_validate({"sampling": sampling, "dimensions": dict(dimensions)})
    policy = Policy(apps={"support": app, "sales": app})
    world.terms = replace(world.terms, judge=judge, policy=policy)
    world.store.jobs.open()
    return Listening(world)
