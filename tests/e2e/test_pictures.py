"""The pictures of the guide. Written into docs/ with ``UPDATE_PICTURES=1``; small either way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.e2e.reviewing import Reviewer
from tests.e2e.serving import serving
from tests.e2e.test_accessible import SERIOUS
from tests.e2e.test_reviewing import Arrive, arrive, clock, world  # noqa: F401 - fixtures
from tests.unit.web.test_incident import PATH as INCIDENT
from tests.unit.web.test_incident import world as incident_world

DOCS = Path(__file__).parents[2] / "docs" / "review"
LARGEST = 150_000


@pytest.mark.parametrize(("name", "path"), [("case", "/cases/c1"), ("task", "/tasks/t1")])
def test_the_guide_shows_the_page(
    arrive: Arrive,  # noqa: F811
    tmp_path: Path,
    name: str,
    path: str,
) -> None:
    ann = arrive(viewport={"width": 1280, "height": 800})
    page = ann.open(path)
    if name == "case":
        ann.press("j")
    picture = (DOCS if os.environ.get("UPDATE_PICTURES") else tmp_path) / f"{name}.png"
    page.screenshot(path=picture)
    assert 10_000 < picture.stat().st_size < LARGEST
    kept = DOCS / f"{name}.png"
    assert kept.is_file()
    assert kept.stat().st_size < LARGEST


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_guide_shows_an_incident(
    chrome: Browser, tmp_path: Path, scheme: str, width: int
) -> None:
    with serving(incident_world().app) as address:
        size = {"width": width, "height": 800}
        ann = Reviewer(chrome, address, viewport=size, color_scheme=scheme, bypass_csp=True)
        page = ann.open(INCIDENT)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        update = os.environ.get("UPDATE_PICTURES") and (scheme, width) == ("light", 1280)
        picture = (DOCS if update else tmp_path) / "incident.png"
        page.screenshot(path=picture)
        assert 10_000 < picture.stat().st_size < LARGEST
        found = Axe().run(page).response["violations"]
        assert [one["id"] for one in found if one["impact"] in SERIOUS] == []
        ann.leave()
    assert (DOCS / "incident.png").is_file()
