"""Try: what was pasted is checked and shown, and nothing else happens to it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from service.policy import AppPolicy, Policy
from service.web.trying import EXAMPLE, MOST_BYTES, chunks_of
from tests.unit.web.test_pages import HOSTILE, Elements, page
from tests.unit.web.world import World


def tried(world: World | None = None, **fields: str) -> Elements:
    world = world or World()
    body = urlencode(EXAMPLE | fields).encode()
    response = world.request(
        "POST", "/try", content=body,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )  # fmt: skip
    assert response.status_code == 200, response.text
    return Elements(response.text)


def text(shown: Elements, tag: str, **attrs: str) -> str:
    return " ".join(shown.of(tag, **attrs)[0]["text"].split())


def test_the_form_comes_with_an_example() -> None:
    shown = page(World(), "/try")
    assert [field["attrs"]["name"] for field in shown.of("textarea")] == [
        "query",
        "texts",
        "answer",
    ]
    assert EXAMPLE["answer"] in shown.of("textarea", name="answer")[0]["text"]


def test_findings_and_marks_are_shown() -> None:
    shown = tried()
    assert text(shown, "h2", id="h-found") == "2 findings"
    marked = {mark["text"] for mark in shown.of("mark")}
    assert {"54 €", "[pricing#seats]"} <= marked
    assert "54 €" in text(shown, "section", **{"class": "findings"})
    hrefs = {a["attrs"].get("href", "") for a in shown.of("a")}
    ids = {element["attrs"].get("id") for element in shown.found}
    assert {href[1:] for href in hrefs if href.startswith("#")} <= ids


def test_a_clean_answer_is_told_so() -> None:
    shown = tried(answer="An extra seat costs 45 € per month [pricing#plans].")
    assert text(shown, "h2", id="h-found") == "No check found anything"
    assert "numbers" in text(shown, "details", **{"class": "about"})
    assert shown.of("a", **{"class": "mark evidence"})


def test_what_was_pasted_stands_in_the_form_again() -> None:
    shown = tried(query="Was?", answer="\n\nHallo 7 €.")
    assert shown.of("textarea", name="query")[0]["text"].strip() == "Was?"
    assert shown.of("textarea", name="answer")[0]["text"] == "\n\n\nHallo 7 €."


@pytest.mark.parametrize(
    ("texts", "chunks"),
    [
        ("", []),
        ("  \n", []),
        ("one\n\ntwo", [("1", "one\n\ntwo")]),
        ("# a\nfirst\n# b#c\nsecond\nmore\n", [("a", "first"), ("b#c", "second\nmore")]),
        ("#no heading", [("1", "#no heading")]),
        ("before\n# a", [("1", "before"), ("a", "")]),
    ],
)
def test_texts_are_told_apart_by_their_headings(texts: str, chunks: list[tuple[str, str]]) -> None:
    assert [(chunk["ref"], chunk["text"]) for chunk in chunks_of(texts)] == chunks


def test_an_apps_own_policy_can_be_tried() -> None:
    policy = Policy.model_validate(
        {"apps": {"support": {"disabled_checks": frozenset({"numbers"})}}}
    )
    assert isinstance(policy.of("support"), AppPolicy)
    found = text(tried(World(policy=policy), app="support"), "h2", id="h-found")
    assert found == "1 finding"
    assert text(tried(World(policy=policy)), "h2", id="h-found") == "2 findings"
    assert text(tried(World(policy=policy), app="nobody"), "h2", id="h-found") == "2 findings"


def test_what_cannot_be_checked_says_why() -> None:
    many = "".join(f"# r{n}\nx\n" for n in range(201))
    assert "cannot be checked" in text(tried(texts=many), "p", role="status")


def test_nothing_is_stored() -> None:
    world = World()
    tried(world)
    assert world.intake.taken == []
    assert world.get("/v1/cases").json()["cases"] == []


def test_sizes_are_capped() -> None:
    world = World()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    huge = b"answer=" + b"x" * MOST_BYTES
    assert world.request("POST", "/try", content=huge, headers=headers).status_code == 413
    fields = b"&".join(b"f%d=1" % n for n in range(50))
    assert world.request("POST", "/try", content=fields, headers=headers).status_code == 200


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe%ff%00", b"answer", b"&&=;", b"answer=%ED%A0%80x"])
def test_odd_forms_are_no_defect(raw: bytes) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert World().request("POST", "/try", content=raw, headers=headers).status_code == 200


def test_hostile_text_stays_text() -> None:
    fields: dict[str, Any] = {name: HOSTILE for name in ("query", "answer", "app")}
    shown = tried(**fields, texts=f"# {HOSTILE}\n{HOSTILE} 54 €")
    tags = [element["tag"] for element in shown.found]
    assert {"script", "img", "style", "iframe"}.isdisjoint(tags)
    assert tags.count("textarea") == 3
    names = {name for element in shown.found for name in element["attrs"]}
    assert not [name for name in names if name.startswith("on")]


def test_what_is_shown_is_redacted_as_a_case_would_be() -> None:
    answer = "Call +49 30 901820 or jane@example.com, 54 € [pricing#seats]."
    shown = tried(query="Who is jane@example.com?", answer=answer,
                  texts="# pricing#plans\nCall +49 30 901821.")  # fmt: skip
    fields = "".join(field["text"] for field in shown.of("textarea"))
    assert "901820" in fields
    rest = "".join(element["text"] for element in shown.of("section"))
    assert "54 €" in rest
    assert "██" in rest
    for part in ("90182", "jane"):
        assert part not in rest
