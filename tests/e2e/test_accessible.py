"""axe-core finds nothing serious on the pages where people label, light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.test_reviewing import Arrive, arrive, clock, world  # noqa: F401 - fixtures

PATHS = [
    "/queue",
    "/cases/c1",
    "/cases/rtl",
    "/tasks/t1",
    "/groups/g1",
    "/review/name",
    "/cases/c1/event",
]
SERIOUS = ("serious", "critical")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_serious(arrive: Arrive, scheme: str, width: int) -> None:  # noqa: F811
    # The page's policy lets no foreign script in, the checker's neither.
    ann = arrive(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    found = []
    for path in PATHS:
        page = ann.open(path)
        if path == "/cases/c1":
            ann.press("j")
            page.locator(".more summary").click()
        for violation in Axe().run(page).response["violations"]:
            if violation["impact"] in SERIOUS:
                where = [node["target"] for node in violation["nodes"]]
                found.append((path, violation["id"], where[:3]))
    assert found == []
