"""What :class:`service.review.desk.ReviewDesk` promises, kept by the desk over either store and by
the one in memory that the tests of the pages use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from service.policy import ReviewPolicy
from service.review.cases import CaseFilter
from service.review.desk import (
    Decision,
    DecisionKind,
    Incomplete,
    Lease,
    LeaseLost,
    LeaseTaken,
    Stale,
    UnknownParts,
    UnknownSubject,
)
from service.review.labels import Action
from service.store import MEMORY_URL, Connection, connect
from tests.contract.desks import MakeStand, remembered, stored
from tests.contract.reviewing import (
    ANN,
    AUDIT,
    BOB,
    EVE,
    FINE,
    RIGHT,
    SKIP,
    WRONG,
    called,
    case,
    task,
)
from tests.contract.world import NOW, World

OPEN = CaseFilter()
KNOWN = Decision(DecisionKind.KNOWN_CAUSE, note="the page was deleted")
TWICE = ReviewPolicy(double_label=1.0)


@pytest.fixture(params=["memory", "redis", "fake"])
def make_stand(request: pytest.FixtureRequest) -> Iterator[MakeStand]:
    connection: Connection = (
        request.getfixturevalue("redis_connection")
        if request.param == "redis"
        else connect(MEMORY_URL)
    )
    make = remembered if request.param == "fake" else stored
    yield make(lambda **caps: World(connection, **caps))
    connection.client.close()


# Leases.


def test_a_subject_has_one_holder_who_renews_and_gives_back(make_stand: MakeStand) -> None:
    desk = make_stand(a="x").desk
    mine = desk.claim(case("a"), ANN, NOW)
    assert (mine.reviewer, mine.until_ms, bool(mine.token)) == (ANN, NOW + 600_000, True)
    with pytest.raises(LeaseTaken) as taken:
        desk.claim(case("a"), BOB, NOW + 1)
    assert (taken.value.holder, taken.value.until_ms) == (ANN, NOW + 600_000)
    again = desk.claim(case("a"), ANN, NOW + 5)
    assert (again.token, again.fence, again.until_ms) == (mine.token, mine.fence, NOW + 600_005)
    assert desk.renew(mine, NOW + 9).until_ms == NOW + 600_009
    assert desk.release(mine)
    assert not desk.release(mine)
    his = desk.claim(case("a"), BOB, NOW)
    assert his.fence > mine.fence
    assert his.token != mine.token
    with pytest.raises(LeaseLost) as lost:
        desk.renew(mine, NOW)
    assert lost.value.change is None


def test_holders_are_shown_without_their_tokens(make_stand: MakeStand) -> None:
    stand = make_stand(a="x", b="x")
    mine = stand.desk.claim(case("a"), ANN, NOW)
    [held] = stand.desk.holders([case("a"), case("b"), "case:none"]).values()
    assert (held.subject, held.reviewer, held.token) == (case("a"), ANN, "")
    assert (held.fence, held.until_ms) == (mine.fence, mine.until_ms)
    assert stand.desk.holders([]) == {}
    stand.expire(mine)
    assert stand.desk.holders([case("a")]) == {}


@pytest.mark.parametrize("subject", ["case:none", "task:none", "group:none", "none", "x:y"])
def test_what_is_not_there_cannot_be_claimed(make_stand: MakeStand, subject: str) -> None:
    with pytest.raises(UnknownSubject):
        make_stand(a="x").desk.claim(subject, ANN, NOW)


@pytest.mark.parametrize("forged", [{"token": ""}, {"token": "x"}, {"reviewer": BOB}])
def test_a_lease_is_its_token_and_its_holder(make_stand: MakeStand, forged: dict[str, Any]) -> None:
    stand = make_stand(a="x")
    desk, theirs, of_group = stand.desk, stand.desk.claim(case("a"), ANN, NOW), stand.lead("x", ANN)
    other, of_other = replace(theirs, **forged), replace(of_group, **forged)
    before = stand.world.dump()
    attempts = (
        lambda: desk.save(other, WRONG, 0, NOW),
        lambda: desk.renew(other, NOW + 1),
        lambda: desk.label_group(of_other, WRONG, NOW, lambda _: None),
        lambda: desk.decide(of_other, KNOWN, NOW),
    )
    for attempt in attempts:
        with pytest.raises(LeaseLost):
            attempt()
    assert not desk.release(other)
    assert stand.world.dump() == before
    assert desk.changes().changes == []
    assert desk.holders([case("a")])[case("a")].until_ms == theirs.until_ms
    assert desk.save(theirs, WRONG, 0, NOW).reviewer == ANN


# Labels.


def test_a_label_gives_the_case_back_and_its_history_says_who(make_stand: MakeStand) -> None:
    stand = make_stand(a="x")
    change = stand.desk.save(stand.desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW + 5)
    assert (change.number, change.at_ms, change.reviewer) == (1, NOW + 5, ANN)
    assert (change.action, change.label) == (Action.LABELLED, WRONG)
    summary = stand.case("a").summary
    for name in ("app", "event_id", "release", "language", "occurred_ms"):
        assert change.context[name] == getattr(summary, name)
    assert stand.desk.history(case("a")) == [change]
    found = stand.desk.labelled(case("a"))
    assert (found.label, found.version, found.last) == (WRONG, 1, change)
    assert stand.desk.holders([case("a")]) == {}
    assert stand.desk.next_case(BOB, OPEN, NOW) is None


def test_a_late_save_is_refused_with_the_label_of_the_other(make_stand: MakeStand) -> None:
    stand = make_stand(a="x")
    desk, late = stand.desk, stand.desk.claim(case("a"), ANN, NOW)
    stand.expire(late)
    with pytest.raises(LeaseLost) as lost:
        desk.save(late, WRONG, 0, NOW)
    assert lost.value.change is None
    theirs = desk.save(desk.claim(case("a"), BOB, NOW), RIGHT, 0, NOW)
    with pytest.raises(LeaseLost) as lost:
        desk.save(late, WRONG, 0, NOW)
    assert lost.value.change == theirs
    with pytest.raises(LeaseLost) as lost:
        desk.renew(late, NOW)
    assert lost.value.change == theirs
    assert desk.history(case("a")) == [theirs]


@pytest.mark.parametrize("token", ["", "x"])
def test_nothing_is_saved_where_nobody_holds_it(make_stand: MakeStand, token: str) -> None:
    desk = make_stand(a="x").desk
    with pytest.raises(LeaseLost):
        desk.save(Lease(case("a"), ANN, token, 0, 0), WRONG, 0, NOW)
    assert desk.history(case("a")) == []


def test_a_label_speaks_of_what_the_answer_has(make_stand: MakeStand) -> None:
    stand = make_stand(a="x")
    own = called(stand.case("a").findings[0])
    lease = stand.desk.claim(case("a"), ANN, NOW)
    for strange in (
        replace(WRONG, findings=(replace(own, surface="[pricing#y]"),)),
        replace(WRONG, findings=(own, replace(own, start=None))),
        replace(WRONG, needed=("pricing#zebra",)),
    ):
        with pytest.raises(UnknownParts):
            stand.desk.save(lease, strange, 0, NOW)
    assert stand.desk.history(case("a")) == []
    said = replace(WRONG, findings=(own,), needed=("pricing#plans",), needed_elsewhere=("z",))
    assert stand.desk.save(lease, said, 0, NOW).label == said


def test_a_save_over_another_version_is_refused(make_stand: MakeStand) -> None:
    desk = make_stand(a="x").desk
    first = desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    lease = desk.claim(case("a"), BOB, NOW)
    with pytest.raises(Stale) as stale:
        desk.save(lease, RIGHT, 0, NOW)
    assert stale.value.change == first
    second = desk.save(lease, RIGHT, 1, NOW)
    assert desk.labelled(case("a")).label == RIGHT
    assert desk.history(case("a")) == [first, second]


def test_required_parts_are_asked_for(make_stand: MakeStand) -> None:
    stand = make_stand(review=ReviewPolicy(required=("answer", "fault", "findings")), a="x")
    lease = stand.desk.claim(case("a"), ANN, NOW)
    with pytest.raises(Incomplete) as incomplete:
        stand.desk.save(lease, WRONG, 0, NOW)
    assert incomplete.value.parts == ("findings", "fault")
    assert stand.desk.history(case("a")) == []
    assert stand.desk.save(lease, SKIP, 0, NOW).action is Action.SKIPPED


def test_undo_goes_back_and_forth(make_stand: MakeStand) -> None:
    desk = make_stand(a="x").desk
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    undone = desk.undo(case("a"), ANN, 1, NOW + 1)
    assert (undone.action, undone.number, undone.undoes) == (Action.UNDONE, 2, 1)
    assert (undone.label, desk.labelled(case("a")).label) == (None, None)
    redone = desk.undo(case("a"), ANN, 2, NOW + 2)
    assert (redone.undoes, redone.label) == (2, WRONG)
    assert desk.next_case(EVE, OPEN, NOW) is None
    desk.save(desk.claim(case("a"), BOB, NOW), RIGHT, 3, NOW)
    with pytest.raises(Stale) as stale:
        desk.undo(case("a"), ANN, 3, NOW)
    assert stale.value.change is not None
    assert stale.value.change.number == 4
    with pytest.raises(Stale):
        desk.undo(case("a"), ANN, 4, NOW)
    assert desk.undo(case("a"), BOB, 4, NOW).label == WRONG
    assert desk.labelled(case("a")).version == 5
    with pytest.raises(Stale) as stale:
        desk.undo("case:none", ANN, 1, NOW)
    assert stale.value.change is None


def test_a_skip_is_missing_and_leaves_the_case_to_others(make_stand: MakeStand) -> None:
    desk = make_stand(a="x").desk
    lease = desk.next_case(ANN, OPEN, NOW)
    assert lease is not None
    skipped = desk.save(lease, SKIP, 0, NOW)
    assert (skipped.action, desk.labelled(case("a")).label) == (Action.SKIPPED, None)
    assert desk.next_case(ANN, OPEN, NOW) is None
    desk.undo(case("a"), ANN, 1, NOW)
    again = desk.next_case(ANN, OPEN, NOW)
    assert again is not None
    desk.save(again, SKIP, 2, NOW)
    his = desk.next_case(BOB, OPEN, NOW)
    assert his is not None
    desk.save(his, RIGHT, 3, NOW)
    assert desk.next_case(EVE, OPEN, NOW) is None


def test_what_one_skipped_may_still_be_labelled_among_others(make_stand: MakeStand) -> None:
    desk = make_stand(a="x").desk
    desk.save(desk.claim(case("a"), ANN, NOW), SKIP, 0, NOW)
    assert desk.label_cases([case("a").removeprefix("case:")], ANN, WRONG, NOW) == 1
    assert desk.labelled(case("a")).label == WRONG


# What comes next.


def test_no_case_is_dealt_to_two(make_stand: MakeStand) -> None:
    desk = make_stand(a="x", b="x").desk
    first = desk.next_case(ANN, OPEN, NOW)
    assert first is not None
    assert desk.next_case(ANN, OPEN, NOW) == first  # her own, once more
    second = desk.next_case(ANN, OPEN, NOW, passed=[first.subject.partition(":")[2]])
    assert second is not None
    assert second.subject != first.subject
    assert desk.next_case(BOB, OPEN, NOW) is None
    desk.release(second)
    his = desk.next_case(BOB, OPEN, NOW)
    assert his is not None
    assert his.subject == second.subject
    assert desk.next_case(EVE, OPEN, NOW) is None


def test_people_get_cases_of_different_groups(make_stand: MakeStand) -> None:
    stand = make_stand(a="x", b="x", c="x", d="y", e="z")
    dealt = [stand.desk.next_case(name, OPEN, NOW) for name in (ANN, BOB, EVE)]
    names = {case(name): name for name in "abcde"}
    groups = {stand.case(names[lease.subject]).summary.group for lease in dealt if lease}
    assert len(groups) == 3
    # All groups are taken: better a second one than none.
    assert stand.desk.next_case("dan@example.org", OPEN, NOW) is not None


def test_the_group_somebody_labels_in_bulk_comes_last(make_stand: MakeStand) -> None:
    stand = make_stand(a="x", b="x", c="y")
    stand.lead("x", ANN)
    his = stand.desk.next_case(BOB, OPEN, NOW)
    assert his is not None
    assert his.subject == case("c")


def test_next_case_follows_the_filter(make_stand: MakeStand) -> None:
    stand = make_stand(a="x", b="y")
    filter = CaseFilter(check="citations", group=stand.group("y").group_id)
    lease = stand.desk.next_case(ANN, filter, NOW)
    assert lease is not None
    assert lease.subject == case("b")
    assert stand.desk.next_case(ANN, CaseFilter(check="numbers"), NOW) is None
    assert stand.desk.next_case(ANN, CaseFilter(app="sales"), NOW) is None
    assert stand.desk.next_case(ANN, CaseFilter(since_ms=NOW * 2), NOW) is None


# Audit tasks.


def test_a_task_is_labelled_blind_and_asks_for_more(make_stand: MakeStand) -> None:
    stand = make_stand(1.0, a="x")
    desk = stand.desk
    with pytest.raises(UnknownSubject):
        desk.claim(case("a"), ANN, NOW)
    assert desk.next_case(ANN, OPEN, NOW) is None
    lease = desk.next_task(ANN, NOW)
    assert lease is not None
    assert lease.subject == task("a")
    with pytest.raises(Incomplete) as incomplete:
        desk.save(lease, WRONG, 0, NOW)
    assert incomplete.value.parts == ("fault", "needed", "grounded", "helpful")
    change = desk.save(lease, AUDIT, 0, NOW)
    assert (change.context["wanted"], change.context["blind"]) == (1, True)
    assert desk.next_task(BOB, NOW) is None
    desk.undo(task("a"), ANN, 1, NOW)
    again = desk.next_task(ANN, NOW)
    assert again is not None
    assert desk.save(again, AUDIT, 2, NOW).context["blind"] is False


def test_a_label_of_a_task_calls_no_finding(make_stand: MakeStand) -> None:
    shown = called(make_stand(a="x").case("a").findings[0])
    desk = make_stand(1.0, b="x").desk
    with pytest.raises(UnknownParts):
        desk.save(desk.claim(task("b"), ANN, NOW), replace(AUDIT, findings=(shown,)), 0, NOW)


def test_a_task_to_be_labelled_twice_is_so_by_two_people(make_stand: MakeStand) -> None:
    desk = make_stand(1.0, TWICE, a="x").desk
    one = desk.save(desk.claim(task("a"), ANN, NOW), AUDIT, 0, NOW)
    assert desk.next_task(ANN, NOW) is None
    with pytest.raises(UnknownSubject):
        desk.claim(task("a"), ANN, NOW)
    second = desk.next_task(BOB, NOW)
    assert second is not None
    two = desk.save(second, FINE, 1, NOW + 1)
    for name, label in ((ANN, AUDIT), (BOB, FINE), (EVE, None)):
        said = desk.labelled(task("a"), name)
        assert (said.label, said.version, said.last) == (label, 2, two)
    [found] = desk.disagreements().disagreements
    assert (found.task_id, found.first, found.second) == (task("a")[5:], one, two)
    assert desk.next_task(EVE, NOW) is None
    desk.undo(task("a"), BOB, 2, NOW)
    assert desk.disagreements().disagreements == []


# Many at once.


def test_picked_cases_are_labelled_unopened_and_what_others_hold_is_left(
    make_stand: MakeStand,
) -> None:
    stand = make_stand(a="x", b="y", c="z", d="x")
    desk = stand.desk
    desk.claim(case("b"), BOB, NOW)
    desk.save(desk.claim(case("c"), BOB, NOW), RIGHT, 0, NOW)
    desk.claim(case("d"), ANN, NOW)
    names = [case(name).removeprefix("case:") for name in ("a", "b", "c", "d", "d")]
    assert desk.label_cases([*names, "none"], ANN, WRONG, NOW) == 2
    for name in ("a", "d"):
        [change] = desk.history(case(name))
        assert (change.reviewer, change.action) == (ANN, Action.LABELLED_IN_BULK)
        assert (change.label, change.context["event_id"]) == (WRONG, name)
    assert desk.history(case("b")) == []
    assert [change.reviewer for change in desk.history(case("c"))] == [BOB]
    assert list(desk.holders([case(name) for name in "abcd"])) == [case("b")]
    assert stand.world.archive.books().balanced


def test_a_pick_lacks_what_its_app_requires_and_is_left(make_stand: MakeStand) -> None:
    desk = make_stand(review=ReviewPolicy(required=("answer", "fault")), a="x").desk
    assert desk.label_cases([case("a").removeprefix("case:")], ANN, WRONG, NOW) == 0
    assert desk.history(case("a")) == []
    assert desk.holders([case("a")]) == {}


def test_a_bulk_label_takes_the_open_cases_that_nobody_is_at(make_stand: MakeStand) -> None:
    stand = make_stand(a="x", b="x", c="x", d="x", other="y")
    desk = stand.desk
    desk.claim(case("b"), BOB, NOW)
    desk.save(desk.claim(case("c"), BOB, NOW), RIGHT, 0, NOW)
    told: list[int] = []
    assert desk.label_group(stand.lead("x", ANN), WRONG, NOW, told.append) == 2
    assert told[-1] == 2
    change = desk.labelled(case("a")).last
    assert change is not None
    assert (change.action, change.reviewer) == (Action.LABELLED_IN_BULK, ANN)
    assert change.group == stand.group("x").group_id
    assert desk.labelled(case("b")).label is None
    assert desk.labelled(case("c")).label == RIGHT
    assert desk.labelled(case("other")).label is None
    assert stand.group("x").open_cases == 1


def test_a_bulk_label_speaks_of_what_its_group_has(make_stand: MakeStand) -> None:
    stand = make_stand(a="x", b="x", c="y")
    own, strange = (called(stand.case(name).findings[0]) for name in "ac")
    lease = stand.lead("x", ANN)
    with pytest.raises(UnknownParts):
        stand.desk.label_group(lease, replace(WRONG, findings=(own, strange)), NOW, lambda _: None)
    assert stand.desk.changes().changes == []
    assert stand.desk.label_group(lease, replace(WRONG, findings=(own,)), NOW, lambda _: None) == 2
    assert {c.label.findings for c in stand.desk.changes().changes if c.label} == {(own,)}


def test_a_bulk_label_needs_what_the_policy_requires(make_stand: MakeStand) -> None:
    stand = make_stand(review=ReviewPolicy(required=("answer", "fault")), a="x")
    with pytest.raises(Incomplete):
        stand.desk.label_group(stand.lead("x", ANN), WRONG, NOW, lambda _: None)
    assert stand.desk.history(case("a")) == []


# Groups.


def test_a_decision_stands_until_the_group_is_opened_again(make_stand: MakeStand) -> None:
    stand = make_stand(a="x", b="y")
    desk, lease = stand.desk, stand.lead("x", ANN)
    with pytest.raises(Stale) as stale:
        desk.reopen(lease, NOW)
    assert stale.value.change is None
    change = desk.decide(lease, KNOWN, NOW)
    assert (change.action, change.number, change.reviewer) == (Action.DECIDED, 1, ANN)
    assert change.decision is not None
    assert (change.decision["kind"], change.decision["note"]) == ("known_cause", KNOWN.note)
    assert (stand.group("x").decision, stand.group("y").decision) == (change, None)
    opened = desk.reopen(lease, NOW + 1)
    assert (opened.action, opened.number) == (Action.REOPENED, 2)
    assert stand.group("x").decision is None
    with pytest.raises(Stale) as stale:
        desk.reopen(lease, NOW + 2)
    assert stale.value.change == opened
    desk.release(lease)
    with pytest.raises(LeaseLost):
        desk.decide(lease, KNOWN, NOW)
    assert desk.history(lease.subject) == [change, opened]


def test_groups_are_found_by_what_they_are_and_come_in_pages(make_stand: MakeStand) -> None:
    desk = make_stand(a="p", b="q", c="r", d="s", e="t").desk
    everything = desk.groups(OPEN).groups
    assert len(everything) == 5
    assert desk.group(everything[0].group_id) == everything[0]
    assert desk.group("none") is None
    assert desk.groups(CaseFilter(app="sales")).groups == []
    assert desk.groups(CaseFilter(check="citations", severity="high")).groups == everything
    seen, cursor = [], None
    while True:
        page = desk.groups(OPEN, cursor, 2)
        seen += page.groups
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == everything
    with pytest.raises(ValueError, match="cursor"):
        desk.groups(OPEN, "x")


# All changes.


def test_changes_page_newest_first_of_all_or_of_one(make_stand: MakeStand) -> None:
    desk = make_stand(a="p", b="q", c="r", d="s", e="t").desk
    for number, name in enumerate("abcde"):
        lease = desk.claim(case(name), ANN if number % 3 else BOB, NOW)
        desk.save(lease, WRONG, 0, NOW + number // 2)
    seen, cursor = [], None
    while True:
        page = desk.changes(cursor=cursor, limit=2)
        seen += page.changes
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len({change.subject for change in seen}) == len(seen) == 5
    assert [change.at_ms for change in seen] == sorted((c.at_ms for c in seen), reverse=True)
    assert [c.subject for c in desk.changes(reviewer=BOB).changes] == [case("d"), case("a")]
    for read in (desk.changes, desk.disagreements):
        with pytest.raises(ValueError, match="cursor"):
            read(cursor="x")
