"""Two browsers over the real store: they race for cases, and nothing is labelled twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from operator import ne
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import Browser

from service.bootstrap import Parts, build, desk
from service.embedded import EmbeddedIntake
from service.health import Health
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.review.cases import CaseFilter
from service.review.labels import Action
from service.settings import Settings
from service.store.reviews import Desk
from service.web.app import create_app
from service.web.options import WebOptions
from service.web.ports import JudgeState
from tests.e2e.reviewing import Reviewer
from tests.e2e.serving import serving

CASES = 14


@dataclass
class Site:
    address: str
    parts: Parts
    desk: Desk


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    parts = build(Settings(), Policy(default=AppPolicy(sampling=SamplingPolicy(audit=0))))
    intake = EmbeddedIntake(parts.store, parts.ingest, tmp_path)
    intake.open()
    # Causes of their own: otherwise they are one group, and two people are dealt it apart.
    intake.submit(
        [
            orjson.dumps(
                {
                    "event_id": f"e{number}",
                    "query": "What does a seat cost?",
                    "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € a month."}],
                    "answer": f"A seat costs {540 + number} € a month.",
                }
            )
            for number in range(CASES)
        ]
    )
    reviews = desk(parts, lambda: None)
    app = create_app(
        intake=intake,
        cases=parts.store.archive,
        tasks=parts.store.tasks,
        books=parts.store.archive.books,
        judge=JudgeState,
        counters=parts.store.archive,
        health=Health(),
        metrics=parts.metrics,
        settings=WebOptions(),
        desk=reviews,
        secret=parts.terms().secret,
        policy=lambda: parts.terms().policy,
    )
    with serving(app) as address:
        yield Site(address, parts, reviews)
    intake.close()


def test_two_people_race_and_nothing_is_labelled_twice(chrome: Browser, site: Site) -> None:
    people = [Reviewer(chrome, site.address, name) for name in ("ann", "bob")]
    for person in people:
        person.open("/review/next")
    while any("/cases/" in person.path for person in people):
        at_work = [person for person in people if "/cases/" in person.path]
        paths = {person.path for person in at_work}
        assert len(paths) == len(at_work)
        # Both press before either is answered.
        urls = [person.page.url for person in at_work]
        for person in at_work:
            person.page.evaluate(
                "setTimeout(() => document.querySelector('[data-key=\"3\"]').click())"
            )
        for person, url in zip(at_work, urls, strict=True):
            person.page.wait_for_url(partial(ne, url))
            person.page.wait_for_load_state()
    changes = site.desk.changes(limit=50).changes
    assert [change.action for change in changes] == [Action.LABELLED] * CASES
    assert len({change.subject for change in changes}) == CASES
    assert {change.reviewer for change in changes} == {"ann", "bob"}
    assert site.parts.store.archive.list_cases(CaseFilter(), None, 50).cases == []
    assert site.parts.store.archive.books().balanced
    for person in people:
        assert "No case is open" in person.page.locator("main").inner_text()
        person.context.close()


def test_undo_puts_a_case_back_into_the_queue(chrome: Browser, site: Site) -> None:
    ann = Reviewer(chrome, site.address, "ann")
    ann.open("/review/next")
    first = ann.path
    ann.press("3")
    ann.page.wait_for_url(lambda url: "saved=" in url)
    assert len(site.parts.store.archive.list_cases(CaseFilter(), None, 50).cases) == CASES - 1
    ann.press("u")
    ann.page.wait_for_url(f"**{first}*")
    assert len(site.parts.store.archive.list_cases(CaseFilter(), None, 50).cases) == CASES
    assert "undone" in ann.page.locator(".history").inner_text()
    ann.context.close()


def test_a_group_is_labelled_and_decided(chrome: Browser, site: Site) -> None:
    ann = Reviewer(chrome, site.address, "ann")
    page = ann.open("/review/next")
    ann.press("g")
    page.wait_for_url("**/groups/*")
    page.get_by_label("a false alarm").check()
    page.get_by_role("button", name="Decide").click()
    page.wait_for_load_state()
    assert "Decided: a false alarm" in page.locator("main").inner_text()
    page.get_by_role("button", name="Open again").click()
    page.wait_for_load_state()
    assert page.locator("#decided").count() == 0
    ann.context.close()
