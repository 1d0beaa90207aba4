"""Audit tasks over HTTP: the open ones, due first, and each of them blind."""

from __future__ import annotations

from typing import Any

import pytest

from service.review.tasks import blind
from service.web.texts import Tongue
from tests.unit.web.test_pages import HOSTILE, hostile_event, page
from tests.unit.web.world import ANSWER, EVENT, NOW_MS, MemoryTasks, World, task

HOUR_MS = 3_600_000
TELLING = EVENT | {
    "tags": {"demo": "invented-ref"},
    "usage": {"cost_usd": 1},
    "user": {"id_hash": "somebody"},
    "context": [{"name": "plan", "kind": "user", "text": "pro"}],
    "retrieved": [EVENT["retrieved"][0] | {"score": 0.123, "metadata": {"judged": "bad"}}, "odd"],
}


def world(*tasks: Any) -> World:
    return World(tasks=MemoryTasks(*tasks))


def test_open_tasks_are_listed_with_what_is_due_first() -> None:
    late, soon = task("late"), task("soon", due_ms=NOW_MS + HOUR_MS)
    body = world(late, soon, task("done", status="done")).get("/v1/tasks").json()
    assert [one["task_id"] for one in body["tasks"]] == ["soon", "late"]
    assert set(body["tasks"][0]) == {
        "task_id", "app", "event_id", "release", "language", "occurred_ms", "due_ms", "status",
        "query",
    }  # fmt: skip


def test_pages_of_tasks_follow_their_cursor_to_the_end() -> None:
    many = world(*(task(f"t{n}", due_ms=NOW_MS + n) for n in range(5)))
    seen, cursor = [], ""
    while cursor is not None:
        found = many.get(f"/v1/tasks?limit=2&cursor={cursor}").json()
        seen += [one["task_id"] for one in found["tasks"]]
        cursor = found["next_cursor"]
    assert seen == [f"t{n}" for n in range(5)]
    for path in ("/v1/tasks?cursor=zebra", "/tasks?cursor=zebra"):
        refused = many.get(path)
        assert refused.status_code == 422
        assert "zebra" not in refused.text


def test_a_task_is_question_answer_and_sources_and_no_more() -> None:
    body = world(task(event=TELLING)).get("/v1/tasks/t1").json()
    assert body["event"] == {
        "query": EVENT["query"],
        "answer": ANSWER,
        "context": [{"name": "plan", "kind": "user", "text": "pro"}],
        "retrieved": [EVENT["retrieved"][0]],
    }
    assert (body["status"], body["reduced"]) == ("open", False)
    assert blind({}) == {"retrieved": []}


def test_the_page_of_a_task_is_as_blind() -> None:
    shown = page(world(task(event=TELLING, due_ms=1_796_100_000_000)), "/tasks/t1")
    text = shown.of("main")[0]["text"]
    assert ANSWER in text
    assert EVENT["retrieved"][0]["text"] in text
    assert "nothing that was found" in text
    assert "expires 2026-12-01 04:40 UTC" in " ".join(text.split())
    for told in ("invented-ref", "0.12", "bad", "somebody", "inding", "udge"):
        assert told not in text.replace("what was found", "")
    assert shown.of("mark") == []
    assert [a for a in shown.of("a") if "mark" in a["attrs"].get("class", "")] == []


@pytest.mark.parametrize("status", ["expired", "done"])
def test_a_task_that_is_over_says_so(status: str) -> None:
    text = page(world(task(status=status)), "/tasks/t1").of("main")[0]["text"]
    assert f"This task is {status}." in text
    assert "expires" not in text


def test_the_list_says_where_from_how_old_and_until_when() -> None:
    shown = page(world(task(occurred_ms=0)), "/tasks")
    (row,) = shown.of("a", **{"class": "row"})
    assert row["attrs"]["href"] == "/tasks/t1"
    text = " ".join(row["text"].split())
    assert text.startswith(EVENT["query"])
    assert "support · 2026-11-29.2 · de · " in text
    assert "d old due " in text


def test_the_list_goes_on_and_comes_to_an_end() -> None:
    many = world(*(task(f"t{n}") for n in range(60)))
    first = page(many, "/tasks")
    (following,) = first.of("a", **{"class": "action"})
    last = page(many, following["attrs"]["href"])
    assert len(last.of("a", **{"class": "row"})) == 10
    assert "that was the last one" in last.of("nav", **{"class": "pager"})[0]["text"]
    assert "No audit task waits" in page(world(), "/tasks").of("h2")[0]["text"]


@pytest.mark.parametrize("path", ["/tasks/none", "/v1/tasks/none", "/cases/t1", "/v1/cases/t1"])
def test_what_is_not_to_be_seen_is_not_there(path: str) -> None:
    """An open task's case is withheld: its address is like any that never was."""
    one = world(task())
    unknown = one.get(path.replace("t1", "none"))
    response = one.get(path)
    assert (response.status_code, response.text) == (404, unknown.text)
    if path.startswith("/v1"):
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["errors"] == []


@pytest.mark.parametrize("path", ["/tasks", "/tasks/t1", "/v1/tasks", "/v1/tasks/t1"])
def test_without_the_store_no_task_is_shown(path: str) -> None:
    tasks = MemoryTasks(task())
    tasks.away = True
    assert World(tasks=tasks).get(path).status_code == 503


def test_hostile_tasks_make_no_element() -> None:
    nasty = task(event=hostile_event(), app=HOSTILE, release=HOSTILE, language=HOSTILE)
    for path in ("/tasks", "/tasks/t1"):
        shown = page(world(nasty), path)
        assert shown.strangers.isdisjoint({"script", "img", "iframe"})
        assert HOSTILE in shown.of("main")[0]["text"]


def test_a_long_chunk_is_there_in_full() -> None:
    event = EVENT | {"retrieved": [{"ref": "long", "text": "x" * 9_000}, {"ref": "gone"}]}
    text = page(world(task(event=event, reduced=True)), "/tasks/t1").of("main")[0]["text"]
    assert "x" * 9_000 in text
    assert "The text of this chunk is not known" in text
    assert "only parts of the event were kept" in text


def test_the_time_that_is_left_is_short() -> None:
    assert Tongue().until(NOW_MS + HOUR_MS, NOW_MS) == "in 1 h"
    assert Tongue().until(NOW_MS - 1, NOW_MS) == "now"
