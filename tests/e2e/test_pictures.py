"""The pictures of the guide. Written into docs/ with ``UPDATE_PICTURES=1``; small either way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.test_reviewing import Arrive, arrive, clock, world  # noqa: F401 - fixtures

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
