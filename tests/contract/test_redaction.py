"""What people write is redacted before it is stored: comments of users, notes of reviewers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import orjson

from service.joining import FeedbackJoin
from service.pipeline import Terms
from service.policy import AppPolicy, Policy
from service.review.cases import CaseFilter
from service.review.desk import Decision, DecisionKind
from service.review.labels import AnswerCall, Label
from service.store.reviews import Desk
from tests.contract.reviewing import ANN, case, reviewed_world
from tests.contract.world import NOW, MakeWorld, World, event

SAYS = "Call +49 30 901820 or jane.doe@example.com"
SHOWN = "Call +██ ██ ██████ or ████.███@███████.███"
WRONG = Label(answer=AnswerCall.WRONG, note=SAYS, needed_elsewhere=("doc#jane@example.com",))


def left(world: World) -> bool:
    return any(part in repr(world.dump()) for part in ("jane", "901820"))


def test_a_comment_is_redacted_and_counted(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    world.take([event("a", cites="x")])
    terms = Terms(Policy(apps={"support": AppPolicy()}), b"secret")
    join = FeedbackJoin(world.store, None, lambda: terms)  # type: ignore[arg-type]  # none is asked
    raw = orjson.dumps({"event_id": "a", "app": "support", "thumb": "down", "comment": SAYS})
    said = join.parse(raw)
    joined = join.take(said, ("feedback/0", 0), world.epoch)  # type: ignore[arg-type]  # it is valid
    assert joined.redacted == {("support", "phone"): 1, ("support", "email"): 1}
    [record] = world.store.judgements.unflushed()
    assert orjson.loads(record)["comment"] == SHOWN
    assert not left(world)


def test_notes_and_typed_refs_are_redacted_and_counted(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    world.take([event(name, cites="x") for name in "abc"])
    masked: Counter[tuple[str, str]] = Counter()

    def note(values: Mapping[tuple[str, str], int]) -> None:
        masked.update(values)

    policy = Policy(apps={"support": AppPolicy()})
    desk = Desk(world.connection, lambda: policy, b"secret", on_redacted=note)
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    label = desk.labelled(case("a")).label
    assert label == replace(WRONG, note=SHOWN, needed_elsewhere=("doc#████@███████.███",))
    assert desk.label_cases([case("b").partition(":")[2]], ANN, WRONG, NOW) == 1
    [group] = desk.groups(CaseFilter()).groups
    lease = desk.claim(f"group:{group.group_id}", ANN, NOW)
    desk.decide(lease, Decision(DecisionKind.KNOWN_CAUSE, note=SAYS), NOW)
    assert len(world.store.reviews.unflushed(-1)) == 3
    assert not left(world)
    assert masked == {("support", "phone"): 3, ("support", "email"): 3}
