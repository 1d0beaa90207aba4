"""A desk over a store, and its people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.drafts import case_id
from service.policy import AppPolicy, Policy, ReviewPolicy, SamplingPolicy
from service.review.desk import Lease
from service.review.labels import (
    AnswerCall,
    Fault,
    FindingCall,
    FindingLabel,
    Grounded,
    Helpful,
    Label,
)
from service.store import Connection
from service.store.reviews import Desk
from tests.contract.world import MakeWorld, World, event

ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"
LONG_MS = 600_000
SOON_MS = 150
REVIEW = ReviewPolicy(double_label=0.0)

WRONG = Label(answer=AnswerCall.WRONG)
RIGHT = Label(answer=AnswerCall.CORRECT)
SKIP = Label(skipped=True, note="later")
AUDIT = Label(
    answer=AnswerCall.WRONG, fault=Fault.RETRIEVAL, needed=("pricing#plans",),
    grounded=Grounded.NO, helpful=Helpful.PARTIAL,
)  # fmt: skip
FINE = replace(AUDIT, answer=AnswerCall.CORRECT, fault=None, needed=())
"""Of an audit too, and of another opinion."""


def policy(audit: float = 0.0, review: ReviewPolicy = REVIEW, **apps: ReviewPolicy) -> Policy:
    sampling = SamplingPolicy(audit=audit)
    names = {"support": review, "sales": review, **apps}
    return Policy(
        apps={name: AppPolicy(sampling=sampling, review=of) for name, of in names.items()}
    )


def desk_of(
    connection: Connection, rules: Policy | None = None, lease_ms: int = LONG_MS, **more: Any
) -> Desk:
    return Desk(connection, lambda: rules or policy(), b"secret", lease_ms, **more)


def reviewed_world(
    make_world: MakeWorld, audit: float = 0.0, review: ReviewPolicy = REVIEW, **caps: Any
) -> World:
    world = make_world(**caps)
    world.terms = replace(world.terms, policy=policy(audit, review))
    return world


def case(name: str, app: str = "support") -> str:
    return "case:" + case_id(app, name)


def task(name: str, app: str = "support") -> str:
    return "task:" + case_id(app, name)


def expire(world: World, lease: Lease) -> None:
    """As when its time has run out."""
    world.connection.client.delete(world.connection.keys.lease(lease.subject))


def called(finding: Mapping[str, Any], call: FindingCall = FindingCall.REAL) -> FindingLabel:
    """A finding of a case, as a label calls it."""
    return FindingLabel(
        finding["check"], finding["reason"], finding["surface"], finding["start"], call
    )


def flag(world: World, names: Mapping[str, str], **place: Any) -> list[bytes]:
    """Answers by name, each with what it cites for nothing; the records of their batch."""
    _, outbox = world.take_records(
        [event(name, cites=cites) for name, cites in names.items()], **place
    )
    return [*outbox.cases, outbox.batch]
