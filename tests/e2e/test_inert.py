"""Hostile answers beside a running script: nothing of theirs runs, nothing leaves the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.e2e.reviewing import Reviewer
from tests.e2e.serving import Stranger, serving
from tests.e2e.test_hostile_text import attack, hostile_case
from tests.unit.web.world import MemoryCases, MemoryTasks, World, task


def markdown(address: str) -> str:
    """Everything that Markdown could be made to fetch, follow or run."""
    return (
        f"![x]({address}/image) [click]({address}/link) [run](javascript:document.title='owned') "
        f"<{address}/auto> {address}/bare\n\n[ref]: {address}/ref\n\n"
        f"| a | <img src={address}/cell onerror=document.title='owned'> |\n|---|---|\n"
        f"| `</code><script>document.title='owned'</script>` | [x](data:text/html,<script>) |\n\n"
        f'<button data-key="1" form="label" name="answer" value="correct">1</button>\n'
        f'<form id="label" action="{address}/form"><input name="token"></form>\n'
        f"```html\n<script>fetch('{address}/fence')</script>\n```\n# <b onclick=x>\n"
    )


@pytest.mark.parametrize("path", ["/cases/c1", "/tasks/t1", "/cases/c1/event"])
def test_a_hostile_answer_is_inert(chrome: Browser, elsewhere: Stranger, path: str) -> None:
    text = markdown(elsewhere.address) + attack(elsewhere.address)
    found = hostile_case(text, chunk_start=3, chunk_end=70)
    world = World(cases=MemoryCases(found), tasks=MemoryTasks(task(event=found.event)))
    with serving(world.app) as address:
        ann = Reviewer(chrome, address, "ann")
        page = ann.open(path)
        title = page.title()
        for _ in range(4):
            ann.press("j", "o", "x")
        ann.press("m", "m", "?", "Escape")
        page.wait_for_load_state("networkidle")
        assert (page.title(), title.endswith("groundwatch")) == (title, True)
        assert ann.path == path
        assert ann.strangers() == []
        assert elsewhere.asked == []
        assert page.locator("script").count() <= 1
        for tag in ("img", "iframe", "base", "svg", "style", "main b[onclick]"):
            assert page.locator(tag).count() == 0, tag
        for link in page.locator(".prose a, .text a").all():
            assert (link.get_attribute("href") or "#").startswith("#")
        assert page.locator("form#label").count() == (0 if path.endswith("event") else 1)
        ann.leave()
