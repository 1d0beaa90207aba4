"""Two browsers over the real store: they race for cases, and nothing is labelled twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import Browser, expect

from service.review.cases import CaseFilter
from service.review.labels import Action
from tests.e2e.racing import NAMES, race
from tests.e2e.reviewing import Reviewer
from tests.sites import Site, embedded_site

CASES = 14


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with embedded_site(tmp_path) as made:
        # Causes of their own: otherwise they are one group, and two people are dealt it apart.
        made.intake.submit(
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
        yield made


def test_two_people_race_and_nothing_is_labelled_twice(chrome: Browser, site: Site) -> None:
    race(chrome, [site.address] * 2)
    changes = site.desk.changes(limit=50).changes
    assert [change.action for change in changes] == [Action.LABELLED] * CASES
    assert len({change.subject for change in changes}) == CASES
    assert {change.reviewer for change in changes} == set(NAMES)
    assert site.parts.store.archive.list_cases(CaseFilter(), None, 50).cases == []
    assert site.parts.store.archive.books().balanced


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
    ann.leave()


def test_a_group_is_labelled_and_decided(chrome: Browser, site: Site) -> None:
    ann = Reviewer(chrome, site.address, "ann")
    page = ann.open("/review/next")
    ann.press("g")
    page.wait_for_url("**/groups/*")
    page.get_by_label("a false alarm").check()
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("main")).to_contain_text("Decided: a false alarm")
    page.get_by_role("button", name="Open again").click()
    expect(page.locator("#decided")).to_have_count(0)
    ann.leave()
