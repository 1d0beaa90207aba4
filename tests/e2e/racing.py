"""Two people at two browsers who label as fast as they can, each at a web process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import ne

from playwright.sync_api import Browser

from tests.e2e.reviewing import Reviewer

NAMES = ("ann", "bob")


def race(chrome: Browser, addresses: Sequence[str]) -> None:
    """Until no case is open; no two of them ever see the same one. ``addresses``: ann's, bob's."""
    people = [Reviewer(chrome, *at) for at in zip(addresses, NAMES, strict=True)]
    for person in people:
        person.open("/review/next")
    while any("/cases/" in person.path for person in people):
        at_work = [person for person in people if "/cases/" in person.path]
        assert len({person.path for person in at_work}) == len(at_work)
        # Both press before either is answered.
        urls = [person.page.url for person in at_work]
        for person in at_work:
            person.page.evaluate(
                "setTimeout(() => document.querySelector('[data-key=\"3\"]').click())"
            )
        for person, url in zip(at_work, urls, strict=True):
            person.page.wait_for_url(partial(ne, url))
            person.page.wait_for_load_state()
    for person in people:
        assert "No case is open" in person.page.locator("main").inner_text()
        person.leave()
