"""A headless Chromium, one process a page: the page's DOM after its scripts ran."""

from __future__ import annotations

import re
import subprocess
from html import unescape
from pathlib import Path

from tests.servers.debian import find_program

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "needs Chromium: apt-get install -y --no-install-recommends chromium (or Chrome on PATH)"
TIMEOUT_S = 60


class BrowserMissing(Exception):
    """This machine has no Chromium and cannot install one."""


class Browser:
    def __init__(self, profile: Path) -> None:
        """``profile``: a folder of its own. Raises :class:`BrowserMissing`."""
        found = find_program(NAMES, "chromium")
        if found is None:
            raise BrowserMissing(MISSING)
        self._command = [
            found,
            "--headless",
            "--no-sandbox",  # tests run as root in containers
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--hide-scrollbars",
            f"--user-data-dir={profile}",
        ]

    def dom(self, url: str) -> str:
        """The document as it stands once its resources have loaded and two seconds have passed."""
        return self._run("--virtual-time-budget=2000", "--dump-dom", url)

    def _run(self, *options: str) -> str:
        done = subprocess.run(
            [*self._command, *options],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=True,
        )
        return done.stdout


def title_of(dom: str) -> str:
    found = re.search(r"<title>(.*?)</title>", dom, re.DOTALL)
    return unescape(found[1]) if found else ""
