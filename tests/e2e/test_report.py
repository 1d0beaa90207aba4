"""The monthly report in a real browser: it needs nothing else, can be read by all, and printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page

from service.reporting import csv_of, html_of
from service.web.texts import Tongue
from tests.unit.web.test_labels_page import WRONG, said
from tests.unit.web.test_overview import probed
from tests.unit.web.test_pages import HOSTILE
from tests.unit.web.test_report import NEW, OLD, reported
from tests.unit.web.traffic import Stream
from tests.unit.web.world import MemoryCases, case

LONG = "w" * 300


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = reported(
        OLD, NEW, Stream(f"hr-{LONG}", LONG, first=9),
        cases=MemoryCases(case("c1", headline=HOSTILE, query=LONG), case("c2")),
        said=[said("case:c1", "ada", WRONG)],
        probes=[probed()],
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("report")
    (folder / "report.csv").write_text(csv_of(found, Tongue("en")), encoding="utf-8")
    path = folder / "report.html"
    path.write_text(html_of(found, Tongue("en")), encoding="utf-8")
    return path


def opened(chrome: Chromium, file: Path, width: int) -> tuple[Page, list[str]]:
    """And what the page asked for beside itself."""
    # The page's own policy lets no script in, the checker's neither.
    page = chrome.new_page(viewport={"width": width, "height": 900}, bypass_csp=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    return page, [url for url in asked if url != file.as_uri()]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_report_is_one_page_that_all_can_read(chrome: Chromium, file: Path, width: int) -> None:
    page, asked = opened(chrome, file, width)
    assert asked == []
    assert page.get_by_role("heading", level=1).inner_text() == "Answers in 2026-11"
    assert page.get_by_role("img", name="Unresolvable citations, day by day").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = [
        violation["id"]
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert found == []
    assert page.evaluate("document.querySelectorAll('script, img').length") == 0
    page.close()


def test_the_report_can_be_printed(chrome: Chromium, file: Path) -> None:
    page, _ = opened(chrome, file, 1280)
    page.emulate_media(media="print", color_scheme="dark")
    background, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (background, ink) == ("rgb(255, 255, 255)", "rgb(27, 31, 36)")
    inside = page.evaluate("getComputedStyle(document.querySelector('tbody tr')).breakInside")
    assert inside == "avoid"
    paper = page.pdf()
    assert paper.startswith(b"%PDF")
    page.close()
