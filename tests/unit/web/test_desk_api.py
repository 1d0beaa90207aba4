"""The JSON API of the review desk: who may write, over what, and what a refusal says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from service.outage import Outage
from service.policy import ReviewPolicy
from service.review.cases import DAY_MS
from service.review.desk import Lease
from tests.contract.reviewing import flag
from tests.contract.world import NOW
from tests.unit.web.people import Person
from tests.unit.web.reviewed import ANN, BOB, EVE, Reviewed, case_path, task_path

AUDITED = {
    "answer": "wrong", "fault": "retrieval", "needed": ["pricing#plans"], "grounded": "no",
    "helpful": "partial_but_useful",
}  # fmt: skip
TWICE = ReviewPolicy(double_label=1.0)
ONCE = ReviewPolicy(double_label=0.0)


@pytest.fixture
def world() -> Iterator[Reviewed]:
    made = Reviewed(a="x", b="x", c="y")
    yield made
    made.close()


@pytest.fixture
def audits() -> Iterator[Reviewed]:
    """One audit task, which two people are to label."""
    made = Reviewed(audit=1.0, review=TWICE, a="x")
    yield made
    made.close()


def refused(response: Any, status: int, reason: str) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["status"], body["reason"]) == (status, status, reason)
    return body


# Leases.


def test_the_next_case_is_claimed_and_shown(world: Reviewed) -> None:
    first = world.ask("POST", "/v1/cases/next", ANN).json()
    assert first["lease"]["reviewer"] == ANN
    assert first["lease"]["until_ms"] == NOW + 600_000
    assert first["lease"]["subject"] == f"case:{first['case']['summary']['case_id']}"
    second = world.ask("POST", "/v1/cases/next", BOB).json()
    assert second["case"]["summary"]["group"] != first["case"]["summary"]["group"]


def test_the_next_case_holds_to_the_filter_and_what_was_passed(world: Reviewed) -> None:
    ids = [case_path(name).rpartition("/")[2] for name in "abc"]
    body = {"passed": ids[:2], "filter": {"app": "support", "since": "2000-01-01"}}
    found = world.ask("POST", "/v1/cases/next", ANN, body).json()
    assert found["case"]["summary"]["case_id"] == ids[2]
    for nothing in (
        {"passed": ids},
        {"filter": {"app": "sales"}},
        {"filter": {"since": "2100-01-01"}},
        {"filter": {"severity": "low"}},
    ):
        left = world.ask("POST", "/v1/cases/next", BOB, nothing)
        assert (left.status_code, left.json()) == (200, {"lease": None, "case": None})


def test_a_lease_is_renewed_and_given_back_by_its_token(world: Reviewed) -> None:
    path = case_path("a")
    token = world.claim(path)
    taken = refused(world.ask("POST", f"{path}/lease", BOB), 409, "lease_taken")
    assert (taken["holder"], taken["until_ms"]) == (ANN, NOW + 600_000)
    world.now_s += 9
    renewed = world.ask("PUT", f"{path}/lease", ANN, token=token).json()
    assert (renewed["token"], renewed["until_ms"]) == (token, NOW + 609_000)
    for _ in range(2):
        given = world.ask("DELETE", f"{path}/lease", ANN, token=token)
        assert (given.status_code, given.content) == (204, b"")
    world.claim(path, BOB)
    lost = refused(world.ask("PUT", f"{path}/lease", ANN, token=token), 409, "lease_lost")
    assert lost["change"] is None
    assert world.ask("DELETE", f"{path}/lease", ANN, token=token).status_code == 204
    refused(world.ask("POST", f"{path}/lease", ANN), 409, "lease_taken")


@pytest.mark.parametrize("token", ["", "1.", ".", "zebra", "1.ä", "x.abc"])
def test_nobody_writes_without_a_token(world: Reviewed, token: str) -> None:
    path = case_path("a")
    world.claim(path)
    headers = {"X-Lease-Token": token.encode()}
    response = world.ask("PUT", f"{path}/label", ANN, {"answer": "wrong"}, None, 0, headers)
    body = refused(response, 422, "parameter")
    assert body["field"] == "X-Lease-Token"
    assert world.desk.history("case:" + path.rpartition("/")[2]) == []


@pytest.mark.parametrize("kind", ["cases", "tasks", "groups"])
def test_what_is_not_there_is_not_found(world: Reviewed, kind: str) -> None:
    path = f"/v1/{kind}/zebra"
    token = "1.abc"
    asked = [
        world.ask("POST", f"{path}/lease", ANN),
        world.ask("PUT", f"{path}/lease", ANN, token=token),
        world.ask("DELETE", f"{path}/lease", ANN, token=token),
        world.get(path),
    ]
    if kind == "groups":
        asked += [
            world.ask("POST", f"{path}/labels", ANN, {"answer": "wrong"}, token),
            world.ask("PUT", f"{path}/decision", ANN, {"kind": "known_cause"}, token),
            world.ask("DELETE", f"{path}/decision", ANN, token=token),
        ]
    else:
        asked += [
            world.get(f"{path}/label"),
            world.ask("PUT", f"{path}/label", ANN, {"answer": "wrong"}, token, 0),
            world.ask("POST", f"{path}/undo", ANN, {"number": 1}),
            world.get(f"{path}/history"),
        ]
    for response in asked:
        refused(response, 404, "not_found")
        assert "zebra" not in response.text


# Labels.


def test_a_label_is_saved_over_the_version_that_was_seen(world: Reviewed) -> None:
    path = case_path("a")
    empty = world.get(f"{path}/label")
    assert (empty.headers["etag"], empty.json()) == (
        '"0"', {"label": None, "version": 0, "last": None},
    )  # fmt: skip
    finding = world.finding(path) | {"call": "false_alarm", "why": "format"}
    saved = world.save(path, {"answer": "partly", "findings": [finding], "needed": []})
    assert (saved.status_code, saved.headers["etag"]) == (200, '"1"')
    change = saved.json()
    assert (change["reviewer"], change["at_ms"], change["action"]) == (ANN, NOW, "labelled")
    assert change["label"]["findings"] == [finding]
    assert (change["label"]["answer"], change["label"]["needed"]) == ("partly", [])
    stands = world.get(f"{path}/label")
    assert stands.headers["etag"] == '"1"'
    assert (stands.json()["label"], stands.json()["last"]) == (change["label"], change)
    assert world.get(f"{path}/history").json() == {"changes": [change]}
    # What stands can be sent back as it is.
    again = world.save(path, stands.json()["label"], BOB, version=1)
    assert (again.status_code, again.headers["etag"]) == (200, '"2"')


def test_a_write_without_the_version_is_told_so(world: Reviewed) -> None:
    path = case_path("a")
    token = world.claim(path)
    body = refused(
        world.ask("PUT", f"{path}/label", ANN, {"answer": "wrong"}, token),
        428, "precondition_required",
    )  # fmt: skip
    assert body["field"] == "If-Match"
    for tag in ("*", "0", '"zebra"', '"0", "1"'):
        response = world.ask(
            "PUT", f"{path}/label", ANN, {"answer": "wrong"}, token, headers={"If-Match": tag}
        )
        assert refused(response, 422, "parameter")["field"] == "If-Match"
    # A proxy that compresses makes the tag weak; the version is the same.
    weak = world.ask(
        "PUT", f"{path}/label", ANN, {"answer": "wrong"}, token, headers={"If-Match": 'W/"0"'}
    )
    assert weak.status_code == 200


def test_a_stale_write_gets_what_stands_now(world: Reviewed) -> None:
    path = case_path("a")
    first = world.save(path, {"answer": "wrong"}).json()
    stale = world.save(path, {"answer": "correct"}, BOB)
    assert refused(stale, 412, "stale")["change"] == first
    assert world.get(f"{path}/label").json()["label"]["answer"] == "wrong"


def test_a_late_write_gets_the_other_label(world: Reviewed) -> None:
    path = case_path("a")
    late = world.claim(path)
    world.ask("DELETE", f"{path}/lease", ANN, token=late)
    theirs = world.save(path, {"answer": "correct"}, BOB).json()
    response = world.ask("PUT", f"{path}/label", ANN, {"answer": "wrong"}, late, 0)
    assert refused(response, 409, "lease_lost")["change"] == theirs
    response = world.ask("PUT", f"{path}/lease", ANN, token=late)
    assert refused(response, 409, "lease_lost")["change"] == theirs


def test_an_incomplete_label_is_told_what_it_lacks(audits: Reviewed) -> None:
    response = audits.save(task_path("a"), {"answer": "wrong", "needed": []})
    body = refused(response, 422, "incomplete")
    assert body["parts"] == ["fault", "grounded", "helpful"]
    assert audits.save(task_path("a"), AUDITED).status_code == 200


@pytest.mark.parametrize("part", ["findings", "needed"])
def test_a_label_speaks_of_what_is_there(world: Reviewed, part: str) -> None:
    path = case_path("a")
    other: list[Any] = ["pricing#zebra"]
    if part == "findings":
        other = [world.finding(path) | {"call": "real", "surface": "[pricing#zebra]"}]
    refused(world.save(path, {"answer": "wrong", part: other}), 409, "changed")
    assert world.get(f"{path}/history").json() == {"changes": []}


def test_a_label_of_a_task_calls_no_finding(world: Reviewed, audits: Reviewed) -> None:
    finding = world.finding(case_path("a")) | {"call": "real"}
    response = audits.save(task_path("a"), AUDITED | {"findings": [finding]})
    refused(response, 409, "changed")
    assert audits.save(task_path("a"), AUDITED).status_code == 200


def test_a_skip_is_no_label(world: Reviewed) -> None:
    skipped = world.save(case_path("a"), {"skipped": True, "note": "later"}).json()
    assert (skipped["action"], skipped["label"]["skipped"]) == ("skipped", True)
    assert skipped["label"]["note"] == "later"
    mixed = world.save(case_path("b"), {"skipped": True, "answer": "wrong"})
    refused(mixed, 422, "parameter")


def test_an_undo_is_a_change_of_its_own(world: Reviewed) -> None:
    path = case_path("a")
    world.save(path, {"answer": "wrong"})
    undone = world.ask("POST", f"{path}/undo", ANN, {"number": 1})
    assert undone.headers["etag"] == '"2"'
    assert (undone.json()["action"], undone.json()["undoes"]) == ("undone", 1)
    assert world.get(f"{path}/label").json()["label"] is None
    for reviewer, number in ((ANN, 1), (BOB, 2)):
        response = world.ask("POST", f"{path}/undo", reviewer, {"number": number})
        assert refused(response, 409, "stale")["change"] == undone.json()
    assert len(world.get(f"{path}/history").json()["changes"]) == 2


@pytest.mark.parametrize(
    ("label", "field"),
    [
        ({"answer": "zebra"}, "answer"),
        ({"zebra": 1}, "body"),
        ({"note": "zebra" * 1000}, "note"),
        ({"needed": [""]}, "needed[0]"),
        ({"needed": ["zebra"] * 201}, "needed"),
        ({"skipped": 0}, "skipped"),
        ({"findings": [{"call": "zebra"}]}, "findings[0]"),
        ({"findings": [{"call": "real", "check": "c", "reason": "r", "surface": "s",
                        "start": None, "why": "format"}]}, "findings[0].why"),
        ({"findings": [{"call": "real", "check": "c", "reason": "r", "surface": "s",
                        "start": "7"}]}, "findings[0].start"),
        (["zebra"], "body"),
    ],
)  # fmt: skip
def test_a_label_of_another_form_is_refused_and_not_repeated(
    world: Reviewed, label: Any, field: str
) -> None:
    path = case_path("a")
    response = world.save(path, label)
    assert refused(response, 422, "parameter")["field"] == field
    assert "zebra" not in response.text
    assert world.get(f"{path}/history").json() == {"changes": []}


# Blind.


def test_the_next_task_is_blind(audits: Reviewed) -> None:
    found = audits.ask("POST", "/v1/tasks/next", ANN).json()
    assert found["lease"]["subject"] == f"task:{found['task']['task_id']}"
    assert set(found["task"]["event"]) == {"query", "retrieved", "answer"}
    assert "finding" not in str(found)
    assert audits.ask("POST", "/v1/tasks/next", BOB).json() == {"lease": None, "task": None}


def test_of_a_task_nobody_sees_what_others_say_before_he_has_labelled_it(audits: Reviewed) -> None:
    path = task_path("a")
    anns = audits.save(path, AUDITED).json()

    def seen_by(reviewer: str | None) -> list[Any]:
        label = audits.get(f"{path}/label", reviewer).json()
        history = audits.get(f"{path}/history", reviewer).json()["changes"]
        listed = audits.get("/v1/labels", reviewer).json()["changes"]
        assert label["version"] == 1
        return [label["label"], label["last"], history, listed]

    assert seen_by(ANN) == [anns["label"], anns, [anns], [anns]]
    for other in (BOB, None):
        assert seen_by(other) == [None, None, [], []]
    # Nor by a write that is refused.
    stale = audits.save(path, AUDITED | {"answer": "correct"}, BOB, version=0)
    assert refused(stale, 412, "stale")["change"] is None
    undo = audits.ask("POST", f"{path}/undo", BOB, {"number": 1})
    assert refused(undo, 409, "stale")["change"] is None
    assert "retrieval" not in stale.text + undo.text

    bobs = audits.save(path, AUDITED | {"grounded": "yes"}, BOB, version=1).json()
    for reader in (ANN, BOB, EVE):
        assert audits.get(f"{path}/history", reader).json()["changes"] == [anns, bobs]
    assert audits.get(f"{path}/label", ANN).json()["label"] == anns["label"]
    [pair] = audits.get("/v1/disagreements").json()["disagreements"]
    assert (pair["first"], pair["second"]) == (anns, bobs)


def test_pages_and_api_show_the_same_of_a_task_that_one_of_two_labelled(
    audits: Reviewed,
) -> None:
    path = task_path("a")
    anns = audits.save(path, AUDITED | {"note": "hers"}).json()
    bob = Person(audits, BOB)
    eve = Person(audits, EVE)

    def listed(person: Person) -> bool:
        person.open("/labels")
        return "hers" in person.text

    def told(reviewer: str) -> bool:
        changes = audits.get("/v1/labels", reviewer).json()["changes"]
        assert audits.get(f"{path}/history", reviewer).json()["changes"] == changes
        return bool(changes == [anns])

    assert not listed(bob)
    assert not told(BOB)
    # It is due, and nobody may label it blind any more.
    audits.store.store.tasks.expire(NOW + 4 * DAY_MS)
    for person, name in ((bob, BOB), (eve, EVE)):
        assert listed(person)
        assert told(name)


def test_a_refused_label_of_a_task_tells_nobody_what_the_other_said(audits: Reviewed) -> None:
    path = task_path("a").removeprefix("/v1")
    bob = Person(audits, BOB)
    bob.open(path)
    late = bob.form(f"{path}/label")
    audits.desk.release(Lease(f"task:{path[7:]}", BOB, late["lease"], int(late["fence"]), 0))
    audits.save(task_path("a"), AUDITED | {"note": "hers"})
    bob.send(f"{path}/label", answer="correct", fault="", needed="none", grounded="yes",
             helpful="complete")  # fmt: skip
    assert bob.status == 409
    assert "hers" not in bob.text
    assert ANN not in bob.text
    assert audits.get(f"{task_path('a')}/history", ANN).json()["changes"][-1]["number"] == 1


def test_the_case_of_a_task_is_not_there_before_its_label() -> None:
    audits = Reviewed(audit=1.0, review=ONCE, a="x")
    path = case_path("a")
    refused(audits.ask("POST", f"{path}/lease", ANN), 404, "not_found")
    refused(audits.get(f"{path}/label"), 404, "not_found")
    refused(audits.get(f"{path}/history"), 404, "not_found")
    assert audits.save(task_path("a"), AUDITED).status_code == 200
    assert audits.get(f"{path}/label").status_code == 200
    audits.close()


# Groups.


def test_a_group_is_labelled_in_bulk_under_its_lease(world: Reviewed) -> None:
    [path] = [f"/v1/groups/{row['group_id']}" for row in world.get("/v1/groups").json()["groups"]
              if row["count"] == 2]  # fmt: skip
    held = world.claim(case_path("a"), BOB)
    token = world.claim(path)
    done = world.ask("POST", f"{path}/labels", ANN, {"answer": "wrong"}, token)
    assert (done.status_code, done.json()) == (200, {"labelled": 1})
    world.ask("DELETE", f"{case_path('a')}/lease", BOB, token=held)
    assert world.ask("POST", f"{path}/labels", ANN, {"answer": "wrong"}, token).json() == {
        "labelled": 1
    }
    labelled = world.get(f"{case_path('a')}/label").json()
    assert (labelled["last"]["action"], labelled["label"]["answer"]) == (
        "labelled_in_bulk", "wrong",
    )  # fmt: skip


def test_a_bulk_label_calls_no_finding_that_the_group_has_not(world: Reviewed) -> None:
    own = world.finding(case_path("a")) | {"call": "real"}
    [path] = [f"/v1/groups/{row['group_id']}" for row in world.get("/v1/groups").json()["groups"]
              if row["count"] == 2]  # fmt: skip
    token = world.claim(path)
    strange = {"answer": "wrong", "findings": [own, own | {"surface": "[pricing#zebra]"}]}
    response = world.ask("POST", f"{path}/labels", ANN, strange, token)
    assert "zebra" not in str(refused(response, 409, "changed"))
    assert world.get("/v1/labels").json()["changes"] == []
    said = {"answer": "wrong", "findings": [own]}
    assert world.ask("POST", f"{path}/labels", ANN, said, token).json() == {"labelled": 2}


def test_a_bulk_label_without_the_lease_says_how_many_were_done(world: Reviewed) -> None:
    path = world.group()
    token = world.claim(path)
    world.ask("DELETE", f"{path}/lease", ANN, token=token)
    body = refused(
        world.ask("POST", f"{path}/labels", ANN, {"answer": "wrong"}, token), 409, "lease_lost"
    )
    assert body["labelled"] == 0
    refused(world.ask("POST", f"{path}/labels", ANN, {"skipped": True}, token), 422, "parameter")


def test_a_group_is_decided_and_opened_again(world: Reviewed) -> None:
    path = world.group()
    token = world.claim(path)
    decision = {"kind": "false_alarm", "until_ms": NOW + DAY_MS, "note": "a quirk"}
    decided = world.ask("PUT", f"{path}/decision", ANN, decision, token)
    assert (decided.status_code, decided.json()["action"]) == (200, "decided")
    shown = world.get(path).json()["decision"]
    assert shown == decided.json()
    assert shown["decision"].items() >= decision.items()
    reopened = world.ask("DELETE", f"{path}/decision", ANN, token=token)
    assert reopened.json()["action"] == "reopened"
    assert world.get(path).json()["decision"] is None
    again = world.ask("DELETE", f"{path}/decision", ANN, token=token)
    assert refused(again, 409, "stale")["change"] == reopened.json()


def test_groups_are_filtered(world: Reviewed) -> None:
    def count(query: str) -> int:
        return len(world.get(f"/v1/groups?{query}").json()["groups"])

    assert count("") == count("app=support&check=citations&severity=high&reason=") == 2
    assert count("app=sales") == count("check=numbers") == count("severity=low") == 0
    assert world.get("/v1/groups?severity=zebra").status_code == 422


# Lists under inserts.


def test_pages_of_groups_skip_and_repeat_nothing_while_new_ones_come() -> None:
    world = Reviewed(a="v", b="w", c="x", d="y")
    rows = world.pages("/v1/groups", "groups")
    seen = [next(rows)["group_id"] for _ in range(2)]
    flag(world.store, {"e": "z"}, at_ms=NOW + DAY_MS)
    seen += [row["group_id"] for row in rows]
    assert len(seen) == len(set(seen)) == 4
    world.close()


def test_pages_of_labels_skip_and_repeat_nothing_while_new_ones_come() -> None:
    world = Reviewed(a="v", b="w", c="x", d="y", e="z")
    for name in "abcd":
        world.now_s += 1
        world.save(case_path(name), {"answer": "wrong"})
    rows = world.pages("/v1/labels", "changes")
    seen = [next(rows) for _ in range(2)]
    world.now_s += 1
    world.save(case_path("e"), {"answer": "wrong"}, BOB)
    seen += list(rows)
    assert [change["context"]["event_id"] for change in seen] == ["d", "c", "b", "a"]
    assert len(world.get(f"/v1/labels?reviewer={BOB}").json()["changes"]) == 1
    world.close()


@pytest.mark.parametrize("path", ["/v1/groups", "/v1/labels", "/v1/disagreements"])
def test_a_cursor_of_another_list_is_refused(world: Reviewed, path: str) -> None:
    response = world.get(f"{path}?cursor=zebra")
    assert refused(response, 422, "parameter")["field"] == "cursor"


# Away.


class Away:
    def __getattr__(self, name: str) -> Any:
        def call(*_: Any, **__: Any) -> Any:
            raise Outage("the store does not answer")

        return call


def test_an_outage_says_when_to_come_back(world: Reviewed, monkeypatch: Any) -> None:
    for name in ("claim", "next_case", "changes", "groups", "labelled"):
        # On its class: what is asked is the desk as the caller may see it.
        monkeypatch.setattr(type(world.desk), name, getattr(Away(), name), raising=True)
    path = case_path("a")
    for response in (
        world.ask("POST", f"{path}/lease", ANN),
        world.ask("POST", "/v1/cases/next", ANN),
        world.get("/v1/labels"),
        world.get("/v1/groups"),
        world.get(f"{path}/label"),
        world.get("/v1/agreement"),
    ):
        refused(response, 503, "outage")
        assert response.headers["retry-after"] == "5"
