"""The pages of figures in a real browser: nothing wider than its window, nothing that axe-core
finds serious, hostile names inert, light and dark, with no, some and many releases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from service.review.labels import Change
from service.web.ports import JudgeState
from tests.e2e.browser import MISSING, NAMES
from tests.e2e.serving import Stranger, serving
from tests.e2e.test_hostile_text import attack
from tests.servers import unavailable
from tests.servers.debian import find_program
from tests.unit.web.test_labels_page import RIGHT, WRONG, said
from tests.unit.web.test_overview import probed
from tests.unit.web.test_pages import EMPTY
from tests.unit.web.traffic import Stream, counters, judged
from tests.unit.web.world import (
    NOW_MS,
    MemoryCases,
    MemoryCounters,
    World,
    books,
    case,
)

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LONG = "w" * 240
STREAMS = (
    Stream("support", "2026-11-14.3", 40, 3, unsupported=0.05),
    Stream("support", "2026-11-29.2", 3, unresolved=0.12, ruleset="1-bbbb"),
    Stream("sales", "s-7", 22, hourly=1, language="en"),
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    found = find_program(NAMES, "chromium")
    if found is None:
        unavailable(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def changes() -> list[Change]:
    pairs = [
        said(f"task:t{n}", name, WRONG if n < most else RIGHT, number=number)
        for n in range(20)
        for number, name, most in ((1, "ada", 8), (2, "bob", 6))
    ]
    return [*pairs, said("case:c1", "ada")]


def many(number: int = 12) -> World:
    made = counters(STREAMS, quiet=range(30, 40))
    judged(made, {"generation": 30, "retrieval": 12, "not_in_corpus": 4, "unknown": 9}, STREAMS[1])
    cases = [case(f"c{n}", occurred_ms=NOW_MS - n * 3_600_000) for n in range(number)]
    return World(
        counters=MemoryCounters(made), cases=MemoryCases(*cases), books=books(8_412, 8_412),
        judge=JudgeState("judge-large", True, 12), said=changes(),
        probes=[probed(lost=1, lost_ids=("q-1",)), probed("sales")],
    )  # fmt: skip


def crowd() -> World:
    """A release a day, long names, more apps than fit."""
    streams = [
        Stream("support", f"2026-11-{day:02}.1", 30 - day, max(0.0, 28.9 - day), hourly=2)
        for day in range(1, 30)
    ]
    streams += [Stream(f"{app}{LONG}", LONG, 30, hourly=1) for app in ("hr-", "legal-")]
    cases = [case(f"c{n}", headline=LONG, app=LONG, release=LONG) for n in range(80)]
    return World(
        counters=MemoryCounters(counters(streams)), cases=MemoryCases(*cases), books=books(9, 9),
        probes=[probed(LONG, LONG, answered=2, answered_ids=(LONG, LONG))],
        said=[said("case:c1", LONG, replace(WRONG, note=LONG * 4))],
    )  # fmt: skip


WORLDS = {"empty": lambda: World(books=EMPTY), "many": many, "crowd": crowd}
PATHS = ("/overview", "/overview?days=30&rate=flagged", "/compare", "/queue?severity=high",
         "/labels", "/try")  # fmt: skip


@pytest.fixture(scope="module", params=WORLDS)
def site(request: pytest.FixtureRequest) -> Iterator[str]:
    with serving(WORLDS[request.param]().app) as address:
        yield address


def pages(browser: Browser, stack: ExitStack, width: int, scheme: Scheme, lang: str) -> Page:
    # The policy of the page lets no foreign script in, the checker's neither.
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale=lang, bypass_csp=True
    )
    stack.callback(context.close)
    return context.new_page()


@pytest.mark.parametrize(
    ("width", "scheme", "lang"), [(1440, "light", "en"), (390, "dark", "de"), (720, "light", "de")]
)
def test_pages_of_figures_fit_and_can_be_read_by_all(
    chromium: Browser, site: str, width: int, scheme: Scheme, lang: str
) -> None:
    found = []
    with ExitStack() as stack:
        page = pages(chromium, stack, width, scheme, lang)
        for path in PATHS:
            page.goto(site + path)
            page.evaluate("for (const part of document.querySelectorAll('details')) part.open = 1")
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                found.append((path, "wide", [str(wide)]))
            for violation in Axe().run(page).response["violations"]:
                if violation["impact"] in ("serious", "critical"):
                    where = [str(node["target"]) for node in violation["nodes"]]
                    found.append((path, violation["id"], where[:3]))
    assert found == []


def test_a_plot_has_a_name_and_light_and_dark_differ(chromium: Browser) -> None:
    colours = []
    with serving(many().app) as address, ExitStack() as stack:
        for scheme in SCHEMES:
            page = pages(chromium, stack, 1440, scheme, "en")
            page.goto(address + "/overview")
            plot = page.get_by_role("img", name="Unresolvable citations, day by day").first
            assert plot.is_visible()
            colours.append(
                page.evaluate("getComputedStyle(document.querySelector('.plot .join')).stroke")
            )
    assert len(set(colours)) == 2


def test_what_was_tried_is_marked_in_place(chromium: Browser) -> None:
    world = World()
    with serving(world.app) as address, ExitStack() as stack:
        page = pages(chromium, stack, 1440, "light", "en")
        page.goto(address + "/try")
        page.get_by_role("button", name="Check").click()
        assert page.get_by_role("heading", name="2 findings").is_visible()
        page.locator(".findings a.surface").first.click()
        assert page.url.endswith("#answer-finding-1")


@pytest.mark.parametrize("path", ["/overview", "/compare", "/labels", "/queue", "/try"])
def test_hostile_names_are_inert(chromium: Browser, elsewhere: Stranger, path: str) -> None:
    text = attack(elsewhere.address)
    stream = Stream(text, text, 5, ruleset=text, language=text)
    world = World(
        counters=MemoryCounters(counters([stream])), books=books(9, 9),
        cases=MemoryCases(case(app=text, release=text, headline=text, language=text)),
        said=[said("case:c1", text, replace(WRONG, note=text))],
    )  # fmt: skip
    with serving(world.app) as address, ExitStack() as stack:
        page = pages(chromium, stack, 1440, "light", "en")
        page.goto(address + path)
        if path == "/try":
            for name in ("query", "texts", "answer"):
                page.locator(f"textarea[name={name}]").fill(f"# {text}\n{text}")
            page.get_by_role("button", name="Check").click()
        assert page.title().endswith("· groundwatch")
        assert page.locator("script:not([src^='/static/']), iframe, base, style").count() == 0
    assert elsewhere.asked == []
