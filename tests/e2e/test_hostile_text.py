"""Hostile text in a real browser: no script runs, nothing is fetched, the page stays the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from service.review.cases import Case
from service.web.assets import asset
from service.web.middleware import ResponseHeaders
from service.web.ports import JudgeState
from tests.e2e.browser import Browser, title_of
from tests.e2e.serving import Stranger, serving
from tests.unit.web.judged import RIGHT, WRONG, hostile, judgement
from tests.unit.web.world import MemoryCases, MemoryTasks, World, case, task


def attack(address: str) -> str:
    """Ways out of text, attributes, styles and the title, each telling ``address`` of it."""
    return (
        f'"><script>document.title="owned";fetch("{address}/script")</script>'
        f"</title></style></textarea></mark></a></details>"
        f"<img src='{address}/image' onerror='document.title=\"owned\"'>"
        f"<svg onload='document.title=\"owned\"'></svg>"
        f"<link rel=stylesheet href='{address}/style'>"
        f"<iframe src='{address}/frame'></iframe>"
        f"<meta http-equiv=refresh content='0;url={address}/refresh'>"
        f"<base href='{address}/'><style>*{{background:url({address}/css)}}</style>"
        f" javascript:document.title='owned' {{{{ 7*7 }}}} {{% raw %}} &lt;b&gt; '\"`"
    )


def hostile_case(text: str, **place: Any) -> Case:
    names = ("check", "reason", "surface", "detail", "severity", "cause")
    return case(
        event={
            "event_id": text,
            "query": text,
            "answer": text,
            "retrieved": [
                {"ref": text, "text": text, "title": text, "url": "javascript:" + text},
                {"ref": "second", "text": None, "url": text},
            ],
            "context": [{"name": text, "kind": text, "text": text}],
            "release": {"id": text, text: text},
        },
        findings=[dict.fromkeys(names, text) | {"start": 2, "end": 30}],
        evidence=[
            {"kind": "grounded", "start": 10, "end": 80, "ref": text} | place,
            {"kind": "from_query", "start": 90, "end": 95, "ref": None} | place,
        ],
        judgement=hostile(text, judgement(WRONG, RIGHT, instructions_in_data=("x",))),
        outcomes={text: text}, headline=text, app=text, release=text, language=text,
        reasons=(text,), ruleset=text, stratum=text, position=(text, 0, 1), reduced=True,
    )  # fmt: skip


def test_the_text_is_dangerous_where_it_is_not_escaped(
    browser: Browser, elsewhere: Stranger, tmp_path: Path
) -> None:
    """The control: the very same text, put into a page raw, does what it threatens."""
    raw = tmp_path / "raw.html"
    text = attack(elsewhere.address).replace("<meta", "<x-meta")
    raw.write_text(f'<!doctype html><title>safe</title><p title="{text}">', encoding="utf-8")
    assert title_of(browser.dom(raw.as_uri())) == "owned"
    assert {"/image", "/style", "/frame"} <= set(elsewhere.asked)


def test_the_headers_alone_would_hold(browser: Browser, elsewhere: Stranger) -> None:
    """The second lock: were the escaping lost, the content policy still stops all of it."""
    text = attack(elsewhere.address).replace("<meta", "<x-meta")
    app = FastAPI()
    app.add_middleware(ResponseHeaders)

    @app.get("/raw")
    def raw() -> HTMLResponse:
        return HTMLResponse(f'<!doctype html><title>safe</title><p title="{text}">')

    with serving(app) as address:
        dom = browser.dom(address + "/raw")
    assert "<script>" in dom
    assert title_of(dom) == "safe"
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/queue", "Queue · groundwatch"),
        ("/queue?app=%22%3E%3Cscript%3Edocument.title%3D1%3C%2Fscript%3E", "Queue · groundwatch"),
        ("/cases/c1", "Case · groundwatch"),
        ("/cases/c1#claim-1", "Case · groundwatch"),
        ("/tasks", "Audit tasks · groundwatch"),
        ("/tasks/t1", "Audit task · groundwatch"),
    ],
)
def test_hostile_text_is_inert(
    browser: Browser, elsewhere: Stranger, path: str, title: str
) -> None:
    text = attack(elsewhere.address)
    found = hostile_case(text, chunk_start=3, chunk_end=70)
    world = World(
        cases=MemoryCases(found),
        tasks=MemoryTasks(task(event=found.event, app=text, release=text, language=text)),
        judge=JudgeState(text),
    )
    with serving(world.app) as address:
        dom = browser.dom(address + path)
    assert title_of(dom) == title
    assert elsewhere.asked == []
    dom = dom.replace(f'<script src="{asset("review.js")}" defer=""></script>', "")
    for tag in ("script", "img", "iframe", "base", "style", "textarea"):
        assert f"<{tag}" not in dom
    if "app=" not in path:
        assert 'document.title="owned"' in dom.replace("&quot;", '"')


def test_the_style_sheet_is_all_that_a_page_loads(browser: Browser) -> None:
    world = World(cases=MemoryCases(case()))
    with serving(world.app) as address:
        browser.dom(f"{address}/cases/c1")
    text = world.metrics.exposition()[0].decode()
    routes = {
        line.split('route="')[1].split('"')[0]
        for line in text.splitlines()
        if line.startswith("groundwatch_http_requests_total{")
    }
    assert "/cases/{case_id}" in routes
    assert routes <= {"/cases/{case_id}", "unmatched", "/static"}
