"""A claim leads to its sentence and a quote to its place in the source, and both light up."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from service.review.cases import Case
from tests.e2e.browser import Browser, title_of
from tests.e2e.serving import serving
from tests.unit.web.judged import QUOTE, RIGHT, WRONG, finding, judgement, stored
from tests.unit.web.world import MemoryCases, World, case

# The page's own policy forbids scripts, so a copy of it is served with one that clicks.
CLICK = """<script>
addEventListener("load", () => {{
  document.querySelector('{selector}').click();
  setTimeout(() => {{
    const target = document.querySelector(":target");
    const lit = {lit};
    const colour = getComputedStyle(lit).backgroundColor;
    const plain = getComputedStyle(document.querySelector(".answer")).backgroundColor;
    document.title = [target.id, colour !== plain, lit.textContent].join("|");
  }}, 200);
}});
</script>"""


def clicked(browser: Browser, shown: Case, selector: str, lit: str) -> str:
    """What the target of a link is, whether ``lit`` (an expression) lights up, and its text."""
    world = World(cases=MemoryCases(shown))
    text = world.get("/cases/c1").text + CLICK.format(selector=selector, lit=lit)

    async def page(_: Request) -> HTMLResponse:
        return HTMLResponse(text)

    app = Starlette(routes=[Route("/clicked", page), Mount("/", world.app)])
    with serving(app) as address:
        return title_of(browser.dom(f"{address}/clicked"))


@pytest.mark.parametrize(
    ("selector", "lit", "expected"),
    [
        ("#claim-2 a.claim", "target", "answer-sentence-2|true|, ab 3 Plätzen."),
        ("#claim-1 .quoted a", "target.nextElementSibling", f"source-quote-1|true|{QUOTE}"),
    ],
)
def test_a_click_lights_up_what_it_leads_to(
    browser: Browser, selector: str, lit: str, expected: str
) -> None:
    shown = case(judgement=stored(judgement(WRONG, RIGHT)), findings=[])
    assert clicked(browser, shown, selector, lit) == expected


def test_a_quote_lights_up_where_a_finding_is_as_well(browser: Browser) -> None:
    shown = case(judgement=stored(judgement(WRONG), finding()), findings=[finding()])
    lit = 'document.querySelector(".sources .mark")'
    assert clicked(browser, shown, ".quoted a", lit) == f"source-quote-1|true|{QUOTE}"
