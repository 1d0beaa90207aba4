"""What the pages point at exists: links, make targets, decision records."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path.relative_to(ROOT)
    for pattern in ("*.md", "docs/**/*.md", "dashboards/**/*.md", "helm/**/*.md")
    for path in sorted(ROOT.glob(pattern))
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
NAMED_PAGE = re.compile(r"\bdocs/[\w/.-]+\.md\b")
SOURCES = [
    path.relative_to(ROOT)
    for pattern in ("pyproject.toml", "Makefile", "service/**/*.py", "consumers/**/*.py")
    for path in sorted(ROOT.glob(pattern))
]
RECORD = re.compile(r"# (\d{4})\. \S")


def broken_links(page: Path, text: str) -> list[str]:
    """The relative links of a page that lead nowhere; those in code are examples, not links."""
    targets = [target.partition("#")[0] for target in LINK.findall(CODE.sub("", text))]
    return [
        target
        for target in targets
        if target and "://" not in target and not target.startswith("mailto:")
        if not (page.parent / target).exists()
    ]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def named_targets(text: str) -> set[str]:
    """The targets of each ``make …`` that a page tells the reader to type."""
    return {
        target
        for code in CODE.findall(text)
        for target in re.findall(r"(?:^|[`\n;&])\s*make ([a-z-]+)", code)
    }


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_resolve(page: Path) -> None:
    assert broken_links(ROOT / page, (ROOT / page).read_text()) == []


def test_a_broken_link_is_found() -> None:
    text = "[a](Makefile) [b](missing.md#part) [c](https://example.org) [d](#here) `[e](code)`"
    assert broken_links(ROOT / "README.md", text) == ["missing.md"]


def test_the_pages_that_the_code_names_exist() -> None:
    named = {
        (str(source), page)
        for source in SOURCES
        for page in NAMED_PAGE.findall((ROOT / source).read_text())
    }
    assert named
    assert sorted(name for name in named if not (ROOT / name[1]).exists()) == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_make_targets_exist(page: Path) -> None:
    assert named_targets((ROOT / page).read_text()) <= make_targets()


def test_named_targets_are_found() -> None:
    text = "Run `make demo`, then\n```\nmake test-fast\ncd x && make bench  # make sense\n```\n"
    assert named_targets(text) == {"demo", "test-fast", "bench"}


def test_every_target_for_people_has_its_line_in_the_help() -> None:
    phony = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(phony) == make_targets()


def test_decision_records_are_numbered_once() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = Counter(record.name[:4] for record in records)
    assert [number for number, count in numbers.items() if count > 1] == []
    for record in records:
        title = RECORD.match(record.read_text())
        assert title, f"{record.name} must start with its number and title"
        assert title[1] == record.name[:4]
