"""Reviewers at real browsers: one Chromium, a context of its own for each person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests.e2e.browser import MISSING, NAMES, BrowserMissing
from tests.servers import unavailable
from tests.servers.debian import find_program

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's. Raises :class:`BrowserMissing`."""
    found = find_program(NAMES, "chromium")
    if found is None:
        raise BrowserMissing(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def installed_chromium() -> Iterator[Browser]:
    """As :func:`chromium`; where there is none the test is skipped, or fails in CI."""
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(chromium())
        except BrowserMissing as error:
            unavailable(str(error))
        yield browser


class Reviewer:
    """A person with a browser profile of their own. ``asked``: every address that it requested."""

    def __init__(self, browser: Browser, address: str, name: str = "", **options: Any) -> None:
        self.address = address
        self.context: BrowserContext = browser.new_context(**{"locale": "en-GB"} | options)
        self.page: Page = self.context.new_page()
        self.asked: list[str] = []
        self.context.on("request", lambda request: self.asked.append(request.url))
        if name:
            self.open("/review/name?back=/books")
            self.page.fill("input[name=name]", name)
            self.page.keyboard.press("Enter")
            self.page.wait_for_url(f"{address}/books")

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def leave(self) -> None:
        """Closes the profile, once no navigation is under way: Chromium may confirm a close that
        meets one's commit and yet forget it, and the caller waits for ever (crbug.com/536385539).
        """
        while not self._arrived_nowhere():
            pass
        self.context.close()

    def _arrived_nowhere(self) -> bool:
        try:
            self.page.goto("about:blank")
        except Error as error:
            if "interrupted by another navigation" not in error.message:
                raise
            return False
        return True

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(self.address).partition("?")[0]

    def strangers(self) -> list[str]:
        """What was asked of anybody else."""
        return [url for url in self.asked if not url.startswith(self.address + "/")]
