"""On a phone and on a desk no page is wider than its window, whatever the texts hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from service.accounting import PartitionBook, States, books_of
from service.web.ports import JudgeState
from tests.e2e.browser import Browser, title_of
from tests.e2e.serving import serving
from tests.unit.web.judged import RIGHT, WRONG, finding, hostile, judgement
from tests.unit.web.world import EVENT, MemoryCases, MemoryTasks, World, case, task

LONG = "w" * 10_000
BROAD = "cellcell | " * 60
BIG = 987_654_321_012

# The page forbids scripts and frames, so its text is put into a frame of the measuring page.
MEASURE = """<!doctype html><title>not measured</title><body><script>
const asked = new URLSearchParams(location.search);
fetch(asked.get("path")).then(page => page.text()).then(text => {
  const frame = document.createElement("iframe");
  frame.style = `border: 0; height: 800px; width: ${asked.get("width")}px`;
  frame.srcdoc = text;
  frame.onload = () => {
    const page = frame.contentDocument;
    for (const part of page.querySelectorAll("details")) part.open = true;
    const styled = page.styleSheets.length && page.styleSheets[0].cssRules.length > 20;
    document.title = styled ? page.documentElement.scrollWidth : "without its style sheet";
  };
  document.body.append(frame);
});
</script>"""


def world() -> World:
    answer = f"54 € {LONG} [pricing#seats]\n| {BROAD}\n{LONG}"
    event = EVENT | {
        "query": LONG,
        "answer": answer,
        "retrieved": [{"ref": LONG, "text": LONG, "title": LONG}, {"ref": "r", "text": BROAD}],
        "context": [{"name": LONG, "kind": LONG, "text": LONG}],
        "release": {"id": LONG},
    }
    said = hostile(LONG, judgement(WRONG, RIGHT, *(replace(RIGHT, sentence=BIG),) * 9))
    broad = case(
        event=event, headline=LONG, app=LONG, release=LONG, reasons=(LONG,), alike=BIG,
        judgement=said | {"scripted": True, "cost_micros": BIG}, scripted=True,
        findings=[finding(detail=LONG)],
    )  # fmt: skip
    counts = dict.fromkeys(("received", "checked", "gaps", "lost"), BIG)
    partitions = [PartitionBook(LONG, number, 0, BIG, 12, counts) for number in range(3)]
    totals = {"checked": BIG, "check:numbers:not_evaluated": BIG}
    return World(
        cases=MemoryCases(broad, case("c2")),
        tasks=MemoryTasks(task(event=event, app=LONG, release=LONG, language=LONG)),
        judge=JudgeState(LONG, True, BIG),
        books=books_of(partitions, totals, States({"open": BIG}), ("citations", "numbers")),
    )


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize(
    "path", ["/queue", f"/queue%3Fapp={LONG[:250]}", "/cases/c1", "/books", "/tasks", "/tasks/t1"]
)
def test_no_page_is_wider_than_its_window(browser: Browser, path: str, width: int) -> None:
    async def measure(_: Request) -> HTMLResponse:
        return HTMLResponse(MEASURE)

    app = Starlette(routes=[Route("/measure", measure), Mount("/", world().app)])
    with serving(app) as address:
        dom = browser.dom(f"{address}/measure?path={path}&width={width}")
    assert title_of(dom) == str(width)
