"""Labelling over plain forms, without a script: leases, refusals, undo, blind tasks, groups."""

from __future__ import annotations

import re
from typing import Any

import pytest

from service.policy import AppPolicy, Policy, ReviewPolicy
from service.review.desk import Group
from service.review.labels import AnswerCall, Fault, FindingCall, Label, Why
from service.web.labelling import finding_key, ref_key
from tests.unit.web.desk import LEASE_MS
from tests.unit.web.people import Person
from tests.unit.web.test_pages import HOSTILE, Elements, hostile_case
from tests.unit.web.world import (
    ANSWER,
    EVENT,
    NOW_MS,
    MemoryCases,
    MemoryTasks,
    World,
    case,
    finding,
    task,
)

GROUP = Group(
    "g1", "support", "citations", "unknown_ref", "pricing#seats", "high", "[pricing#seats]", 240,
    by_day=((NOW_MS // 86_400_000 - 1, 40), (NOW_MS // 86_400_000, 200)), sample="c1",
    open_cases=2,
)  # fmt: skip


class Clock:
    """Seconds since 1970, as the app is told."""

    def __init__(self) -> None:
        self.now = NOW_MS / 1000

    def __call__(self) -> float:
        return self.now

    def wait(self, ms: int) -> None:
        self.now += ms / 1000


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def world(clock: Clock) -> World:
    return World(
        cases=MemoryCases(case("c1"), case("c2"), case("c3", group="g2")),
        tasks=MemoryTasks(task()),
        groups=[GROUP],
        now=clock,
    )


def saved(world: World, subject: str = "case:c1") -> list[tuple[str, str, Label | None]]:
    return [(c.reviewer, c.action.value, c.label) for c in world.desk.history(subject)]


def main(person: Person) -> str:
    (found,) = Elements(person.text).of("main")
    return " ".join(found["text"].split())


def test_one_button_settles_a_case_and_deals_the_next(world: World) -> None:
    ann = Person(world)
    ann.open("/review/next")
    assert ann.path == "/cases/c1"
    ann.send("/cases/c1/label", answer="wrong")
    assert ann.path.startswith("/cases/c2")
    assert saved(world) == [("ann", "labelled", Label(answer=AnswerCall.WRONG))]
    assert "Saved: wrong." in main(ann)
    assert list(world.desk.holders(["case:c1", "case:c2"])) == ["case:c2"]


def test_all_that_is_said_is_saved(world: World) -> None:
    event = EVENT["retrieved"]
    number, citation = (finding_key(f) for f in case().findings)
    ann = Person(world)
    ann.open("/cases/c1")
    ann.send(
        "/cases/c1/label",
        answer="partly", fault="retrieval", behaviour="clarify", grounded="no",
        helpful="tangential", needed=[ref_key(event[0]["ref"])], elsewhere="a#b\r\n\r\n a#b \r\nc",
        note=" look\r\nhere ",
        **{f"call__{number}": "real", f"call__{citation}": "false_alarm"},
        **{f"why__{citation}": "format"},
    )  # fmt: skip
    ((_, _, label),) = saved(world)
    assert label is not None
    assert (label.answer, label.fault) == (AnswerCall.PARTLY, Fault.RETRIEVAL)
    assert [(f.surface, f.call, f.why) for f in label.findings] == [
        ("54 €", FindingCall.REAL, None),
        ("[pricing#seats]", FindingCall.FALSE_ALARM, Why.FORMAT),
    ]
    assert label.findings[0].start == ANSWER.index("54 €")
    assert (label.needed, label.needed_elsewhere) == (("pricing#plans",), ("a#b", "c"))
    assert (label.behaviour, label.grounded, label.helpful) == ("clarify", "no", "tangential")
    assert label.note == "look\nhere"
    # It stands in the form when somebody comes back to it.
    shown = ann.open("/cases/c1")
    chosen = {e["attrs"]["name"]: e["attrs"]["value"] for e in shown.of("input")
              if "checked" in e["attrs"]}  # fmt: skip
    assert chosen["needed"] == ref_key("pricing#plans")
    assert chosen[f"call.{citation}"] == "false_alarm"
    assert chosen["fault"] == "retrieval"
    assert [e["text"] for e in shown.of("textarea")] == ["a#b\nc", "look\nhere"]


@pytest.mark.parametrize(
    ("fields", "needed"),
    [({}, None), ({"needed": ["none"]}, ()), ({"needed": ["none", ref_key("pricing#faq")]},
                                              ("pricing#faq",))],
)  # fmt: skip
def test_nobody_was_asked_is_not_none_needed(
    world: World, fields: dict[str, Any], needed: tuple[str, ...] | None
) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    ann.send("/cases/c1/label", answer="wrong", **fields)
    ((_, _, label),) = saved(world)
    assert label is not None
    assert label.needed == needed


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"answer": "nonsense"}, 422),
        ({"answer": "wrong", "version": "x"}, 422),
        ({"answer": "wrong", "needed": "0123456789ab"}, 409),
        ({"answer": "wrong", "call__0123456789ab": "real"}, 409),
        ({"answer": "wrong", "token": "0" * 64}, 403),
        ({"answer": "wrong", "token": None}, 403),
    ],
)
def test_what_a_form_cannot_say_is_refused(
    world: World, fields: dict[str, Any], status: int
) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    ann.send("/cases/c1/label", **fields)
    assert ann.status == status
    assert "<h1>" in ann.text
    assert saved(world) == []


def test_a_form_of_another_browser_is_refused(world: World) -> None:
    ann, eve = Person(world), Person(world, "eve")
    ann.open("/cases/c1")
    stolen = ann.form("/cases/c1/label")
    eve.send("/cases/c1/label", answer="correct", **stolen)
    assert eve.status == 403
    assert saved(world) == []


def test_without_a_name_a_case_can_be_read_and_nothing_is_claimed(world: World) -> None:
    nobody = Person(world, "")
    shown = nobody.open("/cases/c1")
    assert "54 €" in shown.of("h1")[0]["text"]
    assert "say who you are" in main(nobody)
    assert shown.of("form", id="label") == []
    assert world.desk.leases == {}
    nobody.send("/review/name", name="  Bob \t B. ")
    assert nobody.path == "/cases/c1"
    assert world.desk.holders(["case:c1"])["case:c1"].reviewer == "Bob B."


def test_next_asks_for_a_name_first_and_goes_on(world: World) -> None:
    nobody = Person(world, "")
    nobody.open("/review/next?severity=high")
    assert nobody.path.startswith("/review/name?back=")
    nobody.send("/review/name", name="x" * 101)
    assert (nobody.status, "1 to 100" in nobody.text) == (422, True)
    nobody.send("/review/name", name="bob")
    assert nobody.path == "/cases/c1?severity=high"


def test_a_case_that_somebody_holds_says_who_and_what_to_do(world: World) -> None:
    ann, bob = Person(world), Person(world, "bob")
    ann.open("/cases/c1")
    shown = bob.open("/cases/c1")
    assert "ann holds this until 01:03 UTC" in main(bob)
    assert shown.of("form", id="label") == []
    assert shown.of("a", href="/review/next")
    bob.open("/review/next")
    assert bob.path == "/cases/c3"  # of another cause than ann is at


def test_a_late_save_shows_what_the_other_said_and_overwrites_nothing(
    world: World, clock: Clock
) -> None:
    ann, bob = Person(world), Person(world, "bob")
    ann.open("/cases/c1")
    clock.wait(LEASE_MS + 1)
    bob.open("/cases/c1")
    bob.send("/cases/c1/label", answer="wrong", fault="generation")
    assert bob.status == 200
    ann.send("/cases/c1/label", answer="correct")
    assert ann.status == 409
    told = main(ann)
    assert "Nothing was saved" in told
    assert "bob was here since" in told
    assert "It stands: wrong · cause: generation." in told
    assert "You had said: correct." in told
    assert [reviewer for reviewer, _, _ in saved(world)] == ["bob"]


def test_a_late_save_while_somebody_else_holds_it_says_who(world: World, clock: Clock) -> None:
    ann, bob = Person(world), Person(world, "bob")
    ann.open("/cases/c1")
    clock.wait(LEASE_MS + 1)
    bob.open("/cases/c1")
    ann.send("/cases/c1/label", answer="correct")
    assert ann.status == 409
    assert "bob holds this until" in main(ann)
    assert saved(world) == []


def test_a_late_save_that_nobody_was_in_the_way_of_is_saved(world: World, clock: Clock) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    clock.wait(LEASE_MS + 1)
    ann.send("/cases/c1/label", answer="correct")
    assert ann.path.startswith("/cases/c2")
    assert len(saved(world)) == 1


def test_a_form_sent_twice_is_saved_once(world: World) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    page = ann.text
    ann.send("/cases/c1/label", answer="wrong")
    ann.text = page
    ann.send("/cases/c1/label", answer="wrong")
    assert ann.path.startswith("/cases/")
    assert len(saved(world)) == 1
    ann.text = page
    ann.send("/cases/c1/label", answer="correct")
    assert (ann.status, len(saved(world))) == (409, 1)


def test_undo_leads_back_and_takes_only_ones_own_last_label(world: World) -> None:
    ann, bob = Person(world), Person(world, "bob")
    ann.open("/cases/c1")
    ann.send("/cases/c1/label", answer="wrong")
    ann.send("/review/undo")
    assert ann.path == "/cases/c1"
    assert [action for _, action, _ in saved(world)] == ["labelled", "undone"]
    assert "undone" in main(ann)
    ann.send("/cases/c1/label", answer="correct")
    page = ann.text
    bob.open("/cases/c1")
    bob.send("/cases/c1/label", answer="partly")
    ann.text = page
    ann.send("/review/undo")
    assert ann.status == 409
    assert "bob changed this while you looked at it" in main(ann)
    assert saved(world)[-1][0] == "bob"


def test_what_is_required_and_not_said_is_asked_for_and_nothing_typed_is_lost(
    world: World,
) -> None:
    world.desk.case_parts = ("answer", "fault")
    asking = ReviewPolicy(required=("answer", "fault"))
    world.policy = Policy(default=AppPolicy(review=asking))
    ann = Person(world)
    ann.open("/cases/c1")
    shown = ann.send(
        "/cases/c1/label", answer="wrong", note="typed", needed=[ref_key("pricing#faq")]
    )
    assert ann.status == 422
    assert "Still to say: Cause." in main(ann)
    assert "typed" in [e["text"] for e in shown.of("textarea")]
    checked = {e["attrs"]["value"] for e in shown.of("input") if "checked" in e["attrs"]}
    assert {"wrong", ref_key("pricing#faq")} <= checked
    ann.send("/cases/c1/label", answer="wrong", fault="retrieval")
    assert saved(world)[0][2] == Label(answer=AnswerCall.WRONG, fault=Fault.RETRIEVAL)


def test_skipping_is_no_label_and_the_case_does_not_come_back(world: World) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    ann.send("/cases/c1/label", skip="1", answer="wrong")
    assert saved(world) == [("ann", "skipped", Label(skipped=True))]
    for _ in range(2):
        ann.send(ann.path.partition("?")[0] + "/label", skip="1")
    assert ann.path.startswith("/review/next")
    assert "Nothing is left here for you" in main(ann)
    assert "3 cases are open in all" in main(ann)


def test_the_filter_stays_from_case_to_case(world: World) -> None:
    ann = Person(world)
    ann.open("/review/next?severity=high&app=support")
    assert ann.path == "/cases/c1?app=support&severity=high"
    ann.send("/cases/c1/label?app=support&severity=high", answer="wrong")
    assert ann.path == "/cases/c2?app=support&severity=high&saved=case%3Ac1.1"


def test_a_lease_is_renewed_and_given_back(world: World, clock: Clock) -> None:
    ann, bob = Person(world), Person(world, "bob")
    ann.open("/cases/c1")
    page = ann.text
    clock.wait(LEASE_MS - 1000)
    held = ann.form("/review/release")
    ann.send("/review/renew", **held)
    assert (ann.status, '"held":true' in ann.text) == (200, True)
    clock.wait(LEASE_MS - 1000)
    bob.open("/cases/c1")
    assert "ann holds this" in main(bob)
    ann.text = page
    ann.send("/review/release")
    assert ann.path == "/queue"
    assert world.desk.leases == {}
    bob.open("/cases/c1")
    ann.send("/review/renew", **held)
    assert (ann.status, ann.text) == (409, '{"held":false}')


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example"])
def test_nobody_is_sent_elsewhere(world: World, back: str) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    ann.send("/review/release", back=back)
    assert ann.path == "/overview"  # where the front page leads


def test_a_head_or_a_prefetch_claims_nothing(world: World) -> None:
    ann = Person(world)
    ann.open("/cases/c1", **{"sec-purpose": "prefetch"})
    assert world.desk.leases == {}


def test_a_link_from_elsewhere_costs_nobody_their_name(world: World) -> None:
    cookies = world.get("/cases/c1", headers={"sec-fetch-site": "cross-site"}).cookies
    assert dict(cookies) == {}
    assert "go on here" in world.get("/cases/c1", headers={"sec-fetch-site": "cross-site"}).text


def test_an_outage_is_a_page(world: World) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    world.desk.away = True
    shown = ann.send("/cases/c1/label", answer="wrong")
    assert ann.status == 503
    assert shown.of("h1")


def test_a_case_that_is_gone_says_so(world: World) -> None:
    ann = Person(world)
    ann.open("/cases/c1")
    world.cases.cases.clear()
    ann.send("/cases/c1/label", answer="wrong")
    assert ann.status == 404


# tasks


def test_a_task_is_blind_until_it_is_labelled_then_shows_what_was_found(world: World) -> None:
    world.cases.cases.append(case("t1", findings=[finding("54 €", ANSWER)]))
    ann = Person(world)
    ann.open("/review/next-task")
    assert ann.path == "/tasks/t1"
    assert "stands in no retrieved text" not in ann.text
    ann.send("/tasks/t1/label", answer="wrong")
    assert ann.status == 422
    assert "Still to say: Cause · needed chunks" in main(ann)
    assert "stands in no retrieved text" not in ann.text
    ann.send(
        "/tasks/t1/label", answer="wrong", fault="generation", needed=["none"], grounded="no",
        helpful="complete",
    )  # fmt: skip
    assert ann.path == "/tasks/t1"
    assert "Your label: wrong · cause: generation" in main(ann)
    assert "stands in no retrieved text" in ann.text
    assert '<form id="label"' not in ann.text
    ((_, _, label),) = saved(world, "task:t1")
    ann.send("/tasks/t1/label", answer="correct", **ann.form("/x"))
    assert saved(world, "task:t1")[-1][2] == label


def test_a_skipped_task_shows_nothing(world: World) -> None:
    world.cases.cases.append(case("t1"))
    ann = Person(world)
    ann.open("/tasks/t1")
    ann.send("/tasks/t1/label", skip="1")
    assert "No audit task waits for you" in main(ann)
    ann.open("/tasks/t1")
    assert "stands in no retrieved text" not in ann.text


def test_another_persons_label_reveals_nothing(world: World) -> None:
    world.cases.cases.append(case("t1"))
    ann, bob = Person(world), Person(world, "bob")
    ann.open("/tasks/t1")
    ann.send(
        "/tasks/t1/label", answer="correct", needed=["none"], grounded="yes", helpful="complete"
    )
    assert "stands in no retrieved text" in ann.text
    bob.open("/tasks/t1")
    assert "stands in no retrieved text" not in bob.text
    assert "ann" not in main(bob)


# groups


def test_a_group_shows_its_cause_its_trend_and_an_example(world: World) -> None:
    ann = Person(world)
    shown = ann.open("/groups/g1")
    told = main(ann)
    told_first = "Cites “[pricing#seats]”, which no retrieved text is called"
    assert shown.of("h1")[0]["text"] == told_first
    assert "240 answers alike: citations · unknown ref" in told
    assert [bar["text"] for bar in shown.of("rect")][-1].endswith(": 200")
    assert {bar["attrs"]["height"] for bar in shown.of("rect")} == {"10", "48"}
    assert shown.of("a", href="/cases/c1")


def test_a_bulk_label_needs_the_lease_of_the_group(world: World, clock: Clock) -> None:
    ann, bob = Person(world), Person(world, "bob")
    ann.open("/groups/g1")
    shown = bob.open("/groups/g1")
    assert "ann holds this until" in main(bob)
    assert shown.of("form", action="/groups/g1/label") == []
    ann.send("/groups/g1/label", answer="wrong", fault="source_wrong")
    assert ann.path == "/groups/g1?done=2"
    assert "2 cases labelled." in main(ann)
    assert [action for _, action, _ in saved(world, "case:c2")] == ["labelled_in_bulk"]
    assert saved(world, "case:c3") == []


def test_a_bulk_label_after_the_lease_is_refused(world: World, clock: Clock) -> None:
    ann = Person(world)
    ann.open("/groups/g1")
    clock.wait(LEASE_MS + 1)
    ann.send("/groups/g1/label", answer="wrong")
    assert ann.status == 409
    assert saved(world, "case:c2") == []


def test_a_bulk_label_leaves_alone_what_somebody_holds(world: World) -> None:
    ann, bob = Person(world), Person(world, "bob")
    bob.open("/cases/c2")
    ann.open("/groups/g1")
    ann.send("/groups/g1/label", answer="wrong")
    assert "1 case labelled." in main(ann)
    assert saved(world, "case:c2") == []


def test_a_decision_is_made_shown_and_ended(world: World) -> None:
    ann = Person(world)
    ann.open("/groups/g1")
    ann.send(
        "/groups/g1/decide", kind="known_cause", until="2026-12-24", ruleset="1-abc", note="#7"
    )
    told = main(ann)
    assert "Decided: a known cause" in told
    assert "by ann" in told
    assert "until 2026-12-25 00:00 UTC" in told
    assert "for ruleset 1-abc" in told
    ann.send("/groups/g1/reopen")
    assert "Decided" not in main(ann).replace("decided", "")
    assert [action for _, action, _ in saved(world, "group:g1")] == ["decided", "reopened"]


@pytest.mark.parametrize("until", ["2020-01-01", "tomorrow", "0000-00-00", "9999-12-31"])
def test_a_date_that_is_none_decides_nothing(world: World, until: str) -> None:
    ann = Person(world)
    ann.open("/groups/g1")
    ann.send("/groups/g1/decide", kind="false_alarm", until=until)
    assert ann.status == 422
    assert saved(world, "group:g1") == []


def test_an_unknown_group_is_not_found(world: World) -> None:
    ann = Person(world)
    ann.open("/groups/none")
    assert ann.status == 404


# the rest


def test_the_raw_event_is_text(world: World) -> None:
    world.cases.cases = [hostile_case(), *world.cases.cases]
    response = world.get("/cases/c1/event")
    assert response.status_code == 200
    assert "<script>" not in response.text
    shown = Person(world, "").open("/cases/c1/event")
    assert HOSTILE.split('"')[0] in shown.of("pre")[0]["text"]


def test_every_word_of_the_pages_is_german_for_germans(world: World) -> None:
    ann = Person(world, lang="de")
    for path in ("/cases/c1", "/tasks/t1", "/groups/g1", "/review/name"):
        ann.open(path)
        told = main(ann)
        assert not re.search(r"\b(the|your|answer|needed|label|case|is)\b", told), path


def test_answers_are_shown_as_markdown_and_as_written(world: World) -> None:
    answer = (
        "# Preise\n\n| Tarif | € |\n|---|--:|\n| **Pro** | 54 € |\n\n[mehr](https://wiki.example/x)"
    )
    event = EVENT | {"answer": answer}
    shown_case = case("c1", event, findings=[finding("54 €", answer)], evidence=[])
    world.cases.cases = [shown_case]
    shown = Person(world, "").open("/cases/c1")
    assert [e["text"] for e in shown.of("th")][:2] == ["Tarif", "€"]
    (cell,) = [e for e in shown.of("td") if "54" in e["text"]]
    assert (cell["text"], cell["attrs"]) == ("154 €", {"class": "right"})
    assert [e["text"] for e in shown.of("strong") if e["text"] == "Pro"] == ["Pro"]
    assert "mehr (wiki.example)" in shown.of("div", **{"class": "prose"})[0]["text"]
    assert [a for a in shown.of("a") if "wiki" in (a["attrs"].get("href") or "")] == []
    raw = shown.of("details", **{"class": "raw"})[0]["text"]
    assert "| **Pro** | 154 € |" in raw
