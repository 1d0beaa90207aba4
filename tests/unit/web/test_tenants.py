"""Every route, tried by somebody of one app with the ids of another: nothing is there, nothing is
told, nothing is changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from service.access.roles import Role
from tests.unit.web.callers import TOKENS, ask, routes_of
from tests.unit.web.tenants import THEIRS, Tenants

LISTED = [
    "/v1/cases", "/v1/groups", "/v1/incident", "/v1/rates", "/v1/judged-rates", "/judge", "/queue",
    "/groups", "/overview", "/incident", "/compare",
]  # fmt: skip
"""Addresses that take the name of an app."""
EVERYWHERE = {"/books", "/v1/books", "/v1/gates/{name}", "/metrics"}
"""Of all apps together."""


@pytest.fixture(scope="module", params=[0.0, 1.0], ids=["flagged", "audited"])
def tenants(request: pytest.FixtureRequest) -> Iterator[Tenants]:
    made = Tenants(request.param)
    yield made
    made.close()


def body_of(tenants: Tenants, method: str, path: str) -> dict[str, Any]:
    """What a request of ours would send there, about what is theirs."""
    subject = {"groups": f"group:{tenants.group_id}"}.get(
        path.split("/")[1], f"case:{tenants.case_id}"
    )
    if method in ("GET", "HEAD", "DELETE"):
        return {}
    if not path.startswith("/v1/"):
        picked = [f"case:{tenants.case_id}", f"group:{tenants.group_id}"]
        return {"data": {"subject": subject, "number": "1", "lease": "x", "fence": "1",
                         "answer": "wrong", "pick": picked, "kind": "known_cause"}}  # fmt: skip
    last = path.rpartition("/")[2]
    said = {"label": {"answer": "wrong"}, "labels": {"answer": "wrong"}, "undo": {"number": 1},
            "decision": {"kind": "false_alarm"}}  # fmt: skip
    if path == "/v1/cases/next":
        return {"json": {"filter": {"app": THEIRS}, "passed": []}}
    return {"json": said.get(last, {})}


def ask_for_theirs(tenants: Tenants, role: Role, method: str, path: str):
    group = "/groups/" in path
    filled = re.sub(r"{\w+}", tenants.group_id if group else tenants.case_id, path)
    headers = {"X-Lease-Token": "1.x", "If-Match": '"0"'}
    parts = body_of(tenants, method, path)
    return ask(tenants.app, method, filled, TOKENS[role], headers=headers, **parts)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_no_route_tells_of_another_app_or_changes_it(tenants: Tenants, role: Role) -> None:
    before = tenants.theirs()
    for method, path in routes_of(tenants.app):
        response = ask_for_theirs(tenants, role, method, path)
        where = (method, path, response.status_code)
        assert response.status_code < 500, where
        assert THEIRS not in response.text.lower(), where
        assert "987,654" not in response.text, where
        refused = response.status_code in (403, 405)
        if "{" in path and not refused:
            assert response.status_code == 404, where
        if path in EVERYWHERE:
            assert response.status_code in (403, 405), where
    assert tenants.theirs() == before


def test_what_is_there_for_who_may_see_everything(tenants: Tenants) -> None:
    """Else the walk above would find nothing because there is nothing."""
    told = [
        path
        for method, path in routes_of(tenants.app)
        if method == "GET" and "/next" not in path
        and THEIRS in ask_for_theirs(tenants, Role.ADMIN, method, path).text.lower()
    ]  # fmt: skip
    audited = bool(tenants.desk.next_task("eve", 0))
    wanted = ["/v1/tasks", "/tasks", "/v1/tasks/{task_id}"] if audited else [
        "/v1/cases", "/v1/cases/{case_id}", "/v1/groups", "/v1/groups/{id}", "/v1/labels", "/queue",
        "/groups", "/labels", "/overview", "/cases/{case_id}", "/groups/{group_id}",
        "/incident",
    ]  # fmt: skip
    assert set(wanted) <= set(told), set(wanted) - set(told)


def test_no_page_holds_a_script_or_a_style_of_its_own(tenants: Tenants) -> None:
    """The policy of the pages forbids them: a browser would drop them in silence."""
    inline = re.compile(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:")
    pages = 0
    for method, path in routes_of(tenants.app):
        if method != "GET" or path.startswith("/v1/"):
            continue
        response = ask_for_theirs(tenants, Role.ADMIN, method, path)
        policy = response.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        if response.headers.get("content-type", "").startswith("text/html"):
            pages += 1
            assert not inline.search(response.text), path
    assert pages > 10


@pytest.mark.parametrize("path", LISTED)
def test_another_app_looks_as_one_that_never_was(tenants: Tenants, path: str) -> None:
    def told(app: str) -> tuple[int, str]:
        response = ask(tenants.app, "GET", f"{path}?app={app}", TOKENS[Role.VIEWER])
        return response.status_code, response.text.replace(app, "APP")

    assert told(THEIRS) == told("neverwas")


def test_a_reviewer_is_dealt_what_is_granted() -> None:
    tenants = Tenants()
    token, dealt = TOKENS[Role.REVIEWER], set[str]()
    for _ in range(4):
        found = ask(
            tenants.app, "POST", "/v1/cases/next", token, json={"passed": sorted(dealt)}
        ).json()["case"]
        if found is None:
            break
        assert found["summary"]["app"] == "support"
        dealt.add(found["summary"]["case_id"])
    assert len(dealt) == 2
    tenants.close()


def test_a_sender_sends_for_its_apps_alone() -> None:
    tenants, token = Tenants(), TOKENS[Role.SENDER]
    mine = {"event_id": "e1", "app": "support", "query": "?", "retrieved": [], "answer": "!"}
    theirs = mine | {"app": THEIRS, "event_id": "e2"}
    refused = ask(tenants.app, "POST", "/v1/answers", token, json=theirs)
    assert (refused.status_code, refused.json()["reason"]) == (403, "app_not_granted")
    several = b"\n".join(map(orjson.dumps, [theirs, mine, theirs]))
    headers = {"Content-Type": "application/x-ndjson"}
    sent = ask(tenants.app, "POST", "/v1/answers", token, headers=headers, content=several)
    states = [one["state"] for one in sent.json()["results"]]
    assert states == ["rejected", "checked", "rejected"]
    assert [orjson.loads(one)["event_id"] for one in tenants.intake.taken] == ["e1"]
    # What names no app is of the default one, which is none of the policy's.
    nameless = {name: value for name, value in mine.items() if name != "app"}
    assert ask(tenants.app, "POST", "/v1/answers", token, json=nameless).status_code == 403
    thumb = {"event_id": "e1", "app": THEIRS, "thumb": "down"}
    assert ask(tenants.app, "POST", "/v1/feedback", token, json=thumb).status_code == 403
    mine_too = thumb | {"app": "support"}
    assert ask(tenants.app, "POST", "/v1/feedback", token, json=mine_too).status_code == 200
    assert ask(tenants.app, "POST", "/v1/answers", TOKENS[Role.ADMIN], json=theirs).is_success
    tenants.close()
