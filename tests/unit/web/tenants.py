"""Two apps over one store in memory. Whatever is the other's has a zebra in it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from service.access.roles import Role
from service.addressed import app_of_answer, app_of_feedback
from service.calibrations import calibrations_over
from service.health import Health
from service.measuring.probed import ProbeResult
from service.metrics import Metrics
from service.review.cases import CaseFilter
from service.review.desk import Decision, DecisionKind
from service.store import MEMORY_URL, connect
from service.web.app import create_app
from service.web.options import WebOptions
from service.web.ports import JudgeState
from tests.contract.reviewing import AUDIT, REVIEW, WRONG, case, desk_of, flag, policy, task
from tests.contract.reviewing import reviewed_world as reviewed
from tests.contract.world import NOW, event
from tests.contract.world import World as Store
from tests.unit.web.callers import doorkeeper, key_rule
from tests.unit.web.world import RecordingIntake

THEIRS, WHO = "zebra", "zebra@example.org"


KEYS = [
    *(key_rule(role, ["support"]) for role in Role if role is not Role.ADMIN),
    key_rule(Role.ADMIN),
]


PROBED = ProbeResult(THEIRS, "zebra-release", "zebra", NOW, 5, 3, 0, {}, lost_ids=("zebra-q",))


class Tenants:
    """``audit``: the share of answers that are audited. ``keys``: by default a viewer, a reviewer
    and a sender for ``support`` alone, an admin for everything."""

    def __init__(self, audit: float = 0.0, keys: Sequence[Mapping[str, Any]] | None = None) -> None:
        self.connection = connect(MEMORY_URL)
        self.store = reviewed(lambda **caps: Store(self.connection, **caps), audit)
        rules = policy(audit, **{THEIRS: REVIEW})
        self.store.terms = replace(self.store.terms, policy=rules)
        flag(self.store, {"a": "x", "b": "x"})
        self.store.take([_zebra(name) for name in ("zebra-1", "zebra-2", "zebra-3")])
        self.desk = desk_of(self.connection, rules)
        self.intake, self.feedback = RecordingIntake(), RecordingIntake()
        self.case_id = case("zebra-1", THEIRS).removeprefix("case:")
        self.group_id = ""
        self._say_something(audit)
        self.app = create_app(
            intake=self.intake,
            feedback=self.feedback,
            cases=self.store.archive,
            tasks=self.store.store.tasks,
            books=self.store.archive.books,
            judge=lambda: JudgeState("a-model", waiting=987_654),
            counters=self.store.archive,
            desk=self.desk,
            secret=b"secret",
            policy=lambda: rules,
            health=Health(),
            metrics=Metrics(),
            settings=WebOptions(),
            now=lambda: NOW / 1000,
            authenticate=doorkeeper(keys=KEYS if keys is None else keys),
            calibrations=calibrations_over(
                self.store.store, 28, lambda: NOW / 1000, time.monotonic
            ),
            probes=lambda: [PROBED],
            questions=self.store.store.questions,
            app_of_answer=lambda raw: app_of_answer(raw, self.store.terms),
            app_of_feedback=lambda raw: app_of_feedback(raw, self.store.terms),
        )

    def close(self) -> None:
        self.connection.client.close()

    def theirs(self) -> dict[str, Any]:
        """What the store holds of the other app."""
        return {
            key: value
            for key, value in self.store.dump().items()
            if self.case_id in key or self.group_id in key or THEIRS in key
        }

    def _say_something(self, audit: float) -> None:
        if audit:
            held = self.desk.claim(task("zebra-2", THEIRS), WHO, NOW)
            self.desk.save(held, replace(AUDIT, note="zebra note"), 0, NOW)
            self.group_id = "none"
            return
        held = self.desk.claim(case("zebra-2", THEIRS), WHO, NOW)
        self.desk.save(held, replace(WRONG, note="zebra note"), 0, NOW)
        [group] = self.desk.groups(CaseFilter(THEIRS)).groups
        self.group_id = group.group_id
        lead = self.desk.claim(f"group:{group.group_id}", WHO, NOW)
        self.desk.decide(lead, Decision(DecisionKind.KNOWN_CAUSE, note="zebra note"), NOW)
        self.desk.release(lead)


def _zebra(name: str) -> bytes:
    return event(
        name,
        cites="zebra",
        app=THEIRS,
        query="What does a zebra cost?",
        release={"id": "zebra-release", "prompt": "of the zebra"},
        language="zu",
    )
