"""Who may see some apps alone sees nothing else: what the ports promise of ``within``, kept by the
store and by what the tests of the pages use in its place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.access.roles import ALL, NOTHING, Grant
from service.accounting import CASE_STATES, TASK_STATES
from service.policy import ReviewPolicy
from service.review.cases import CaseFilter, CaseSummary
from service.review.desk import Decision, DecisionKind, Lease, ReviewDesk, UnknownSubject
from service.store import MEMORY_URL, Connection, connect
from service.web.ports import CaseReader
from tests.contract.desks import MakeStand, Stand, remembered, stored
from tests.contract.reviewing import ANN, AUDIT, BOB, FINE, RIGHT, WRONG, case, desk_of, task
from tests.contract.test_reader_promises import ANY, FILTERS, OPEN, Readers, fits, readers
from tests.contract.world import HOUR_MS, NOW, World

SUPPORT, SALES = Grant.of(["support"]), Grant.of(["sales", "nobody"])
BOTH = Grant.of(["sales", "support"])
GRANTS = [ALL, SUPPORT, SALES, BOTH, NOTHING]
TWICE = ReviewPolicy(double_label=1.0)


@pytest.fixture(params=["memory", "redis", "fake"])
def kept(request: pytest.FixtureRequest) -> Iterator[tuple[Connection, bool]]:
    connection: Connection = (
        request.getfixturevalue("redis_connection")
        if request.param == "redis"
        else connect(MEMORY_URL)
    )
    yield connection, request.param == "fake"
    connection.client.close()


@pytest.fixture
def flagged(kept: tuple[Connection, bool]) -> Readers:
    """``c`` is of sales, the others of support; ``f`` is resolved."""
    return readers(kept[0], 0.0, kept[1])


@pytest.fixture
def audited(kept: tuple[Connection, bool]) -> Readers:
    return readers(kept[0], 1.0, kept[1])


# Readers.


def paged(cases: CaseReader, filter: CaseFilter, limit: int) -> list[CaseSummary]:
    found, cursor = list[CaseSummary](), None
    while True:
        page = cases.list_cases(filter, cursor, limit)
        assert len(page.cases) <= limit
        found += page.cases
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_a_list_has_the_granted_apps_in_its_usual_order(flagged: Readers, limit: int) -> None:
    everything = flagged.cases.list_cases(ANY, None, 100).cases
    assert {one.app for one in everything} == {"sales", "support"}
    for grant in GRANTS:
        seen = flagged.cases.within(grant)
        for filter in FILTERS:
            wanted = [one for one in everything if fits(one, filter) and grant.covers(one.app)]
            assert paged(seen, filter, limit) == wanted, (grant, filter)
        with pytest.raises(ValueError, match="cursor"):
            seen.list_cases(OPEN, "zebra", limit)


def test_a_case_of_another_app_is_not_there(flagged: Readers) -> None:
    everything = flagged.cases.list_cases(ANY, None, 100).cases
    for grant in GRANTS:
        seen = flagged.cases.within(grant)
        for one in everything:
            assert (seen.case(one.case_id) is not None) is grant.covers(one.app)
            place = seen.place(one.case_id, OPEN)
            assert (place is not None) is (grant.everything and one.status == "open")
            alike = seen.place(one.case_id, CaseFilter(group=one.group))
            assert (alike is not None) is (grant.covers(one.app) and one.status == "open")


def test_only_granted_cases_are_counted(flagged: Readers) -> None:
    everything = flagged.cases.list_cases(ANY, None, 100).cases
    for grant in GRANTS:
        seen = flagged.cases.within(grant)
        mine = [one for one in everything if grant.covers(one.app)]
        still = [one for one in mine if one.status == "open"]
        resolved = len(mine) - len(still)
        assert seen.case_counts() == dict.fromkeys(CASE_STATES, 0) | {
            "open": len(still), "resolved": resolved,
        }  # fmt: skip
        severities = [one.severity for one in still]
        assert seen.open_by_severity() == {
            name: severities.count(name) for name in ("high", "medium", "low")
        }
        for since in (NOW, NOW + 1, NOW + 2 * HOUR_MS):
            assert seen.open_since(since) == sum(one.occurred_ms >= since for one in still)
        assert seen.oldest_open_ms() == min((one.occurred_ms for one in still), default=None)
        early = seen.first_since(OPEN, NOW + HOUR_MS, 9)
        assert {one.case_id for one in early} == {
            one.case_id for one in still if one.occurred_ms <= NOW + HOUR_MS
        }
        assert [one.occurred_ms for one in early] == sorted(one.occurred_ms for one in early)


def test_facets_are_those_of_the_granted_apps(flagged: Readers) -> None:
    of_sales = flagged.cases.list_cases(CaseFilter(app="sales"), None, 1).cases[0]
    assert flagged.cases.within(SALES).facets() == {
        "apps": ["sales"], "releases": ["r1"], "checks": ["numbers"],
        "reasons": sorted(of_sales.reasons), "languages": ["en"],
    }  # fmt: skip
    support = flagged.cases.within(SUPPORT).facets()
    assert (support["apps"], support["releases"]) == (["support"], ["r1", "r2"])
    assert support["checks"] == ["citations"]
    assert set(map(tuple, flagged.cases.within(NOTHING).facets().values())) == {()}
    assert flagged.cases.within(BOTH).facets() == flagged.cases.facets()


def test_a_withheld_case_of_ones_own_app_is_not_there_either(audited: Readers) -> None:
    seen = audited.cases.within(SUPPORT)
    assert paged(seen, ANY, 2) == []
    assert seen.oldest_open_ms() is None
    assert set(map(tuple, seen.facets().values())) == {()}


def test_tasks_are_those_of_the_granted_apps(audited: Readers) -> None:
    everything = audited.tasks.list_tasks(None, 100).tasks
    for grant in GRANTS:
        seen, found, cursor = audited.tasks.within(grant), [], None
        while True:
            page = seen.list_tasks(cursor, 2)
            found += page.tasks
            cursor = page.next_cursor
            if cursor is None:
                break
        assert found == [one for one in everything if grant.covers(one.app)]
        for one in everything:
            assert (seen.get(one.task_id) is not None) is grant.covers(one.app)
        assert seen.counts() == dict.fromkeys(TASK_STATES, 0) | {"open": len(found)}
        with pytest.raises(ValueError, match="cursor"):
            seen.list_tasks("zebra", 2)


def test_counters_are_those_of_the_granted_apps(flagged: Readers) -> None:
    everything = flagged.counters.counters()
    for grant in GRANTS:
        seen = flagged.counters.within(grant)
        assert seen.counters() == {
            place: fields for place, fields in everything.items() if grant.covers(place[0])
        }
        makeups = list(flagged.counters.makeups("support")) if grant.covers("support") else []
        assert list(seen.makeups("support")) == makeups


def test_a_task_that_an_earlier_version_made_is_still_of_its_app() -> None:
    connection = connect(MEMORY_URL)
    audited = readers(connection, 1.0, False)
    for one in audited.tasks.list_tasks(None, 100).tasks:
        connection.client.hdel(connection.keys.task(one.task_id), "app")
    seen = audited.tasks.within(SALES).list_tasks(None, 100).tasks
    assert [one.app for one in seen] == ["sales"]
    connection.client.close()


# The desk.


@pytest.fixture
def make_stand(kept: tuple[Connection, bool]) -> MakeStand:
    make = remembered if kept[1] else stored
    return make(lambda **caps: World(kept[0], **caps))


@pytest.fixture
def stand(make_stand: MakeStand) -> Stand:
    return make_stand(a="x", b="x", c="y")


def attempts(desk: ReviewDesk, lease: Lease) -> list:
    subject = lease.subject
    return [
        lambda: desk.claim(subject, ANN, NOW),
        lambda: desk.renew(lease, NOW),
        lambda: desk.save(lease, AUDIT, 0, NOW),
        lambda: desk.undo(subject, ANN, 1, NOW),
        lambda: desk.labelled(subject),
        lambda: desk.labelled(subject, ANN),
        lambda: desk.history(subject),
    ]


def test_nothing_can_be_done_with_what_is_not_granted(stand: Stand) -> None:
    outside, lead = stand.desk.within(SALES), stand.lead("y", ANN)
    lease = stand.desk.claim(case("a"), ANN, NOW)
    saved = stand.desk.save(stand.desk.claim(case("b"), ANN, NOW), WRONG, 0, NOW)
    before = stand.world.dump()
    decision = Decision(DecisionKind.FALSE_ALARM)
    for attempt in (
        *attempts(outside, lease),
        *attempts(outside, lead),
        lambda: outside.undo(saved.subject, ANN, saved.number, NOW),
        lambda: outside.label_group(lead, WRONG, NOW, lambda _: None),
        lambda: outside.decide(lead, decision, NOW),
        lambda: outside.reopen(lead, NOW),
    ):
        with pytest.raises(UnknownSubject):
            attempt()
    assert not outside.release(lease)
    assert not outside.release(lead)
    assert outside.holders([lease.subject, lead.subject]) == {}
    assert outside.label_cases([case("c").removeprefix("case:")], ANN, WRONG, NOW) == 0
    assert outside.next_case(BOB, CaseFilter(), NOW) is None
    assert outside.next_case(BOB, CaseFilter(app="support"), NOW) is None
    assert outside.groups(CaseFilter()).groups == []
    assert outside.groups(CaseFilter("support")).groups == []
    assert outside.group(lead.subject.removeprefix("group:")) is None
    assert outside.changes().changes == []
    assert outside.changes(reviewer=ANN).changes == []
    assert stand.world.dump() == before


def test_within_the_grant_everything_goes_on_as_before(stand: Stand) -> None:
    inside = stand.desk.within(BOTH)
    assert inside.groups(CaseFilter()).groups == stand.desk.groups(CaseFilter()).groups
    dealt = inside.next_case(ANN, CaseFilter(), NOW)
    assert dealt is not None
    assert dealt.subject in {case(name) for name in "abc"}
    saved = inside.save(dealt, WRONG, 0, NOW)
    assert inside.changes().changes == [saved]
    assert inside.history(dealt.subject) == [saved]
    lead = stand.lead("y", BOB)
    decided = inside.decide(lead, Decision(DecisionKind.KNOWN_CAUSE), NOW + 1)
    assert inside.changes().changes == [decided, saved]
    assert stand.desk.within(NOTHING).changes().changes == []
    assert inside.holders([lead.subject])[lead.subject].reviewer == BOB


def test_audits_are_dealt_and_compared_within_the_grant(make_stand: MakeStand) -> None:
    stand = make_stand(1.0, TWICE, a="x")
    outside, inside = stand.desk.within(SALES), stand.desk.within(SUPPORT)
    assert outside.next_task(ANN, NOW) is None
    first = inside.next_task(ANN, NOW)
    assert first is not None
    assert first.subject == task("a")
    for attempt in attempts(outside, first):
        with pytest.raises(UnknownSubject):
            attempt()
    inside.save(first, AUDIT, 0, NOW)
    second = inside.next_task(BOB, NOW)
    assert second is not None
    inside.save(second, FINE, 1, NOW)
    assert len(inside.disagreements().disagreements) == 1
    assert outside.disagreements().disagreements == []


def test_pages_of_changes_are_full_however_many_are_of_other_apps() -> None:
    connection = connect(MEMORY_URL)
    flagged = readers(connection, 0.0, False)
    desk = desk_of(connection)
    for number, one in enumerate(flagged.cases.list_cases(OPEN, None, 100).cases):
        name = f"case:{one.case_id}"
        desk.save(desk.claim(name, ANN, NOW), RIGHT, 0, NOW + number)
    everything = desk.changes(limit=100).changes
    for grant in GRANTS:
        seen, cursor = [], None
        while True:
            page = desk.within(grant).changes(cursor=cursor, limit=1)
            assert len(page.changes) <= 1
            seen += page.changes
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == [one for one in everything if grant.covers(one.context["app"])]
    connection.client.close()
