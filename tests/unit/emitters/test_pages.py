"""The pages of docs/emitting are held to the code that they show."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted((ROOT / "docs" / "emitting").glob("*.md"))
OURS = {"groundwatch_emitter", "langchain_emitter", "llamaindex_emitter"}


def programs() -> list[tuple[str, str]]:
    return [
        (page.name, block)
        for page in PAGES
        for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]


def defined(module: str) -> set[str]:
    """Read, not imported: the libraries take seconds to load."""
    source = (ROOT / "examples" / "emitters" / f"{module}.py").read_text("utf-8")
    return {
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }


@pytest.mark.parametrize(("page", "program"), programs())
def test_what_is_imported_and_called_is_there(page: str, program: str) -> None:
    tree = ast.parse(program)
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in OURS:
            assert {alias.name for alias in node.names} <= defined(node.module), page
            imported |= {alias.name for alias in node.names}
    assert imported, page
    calls = [
        (node.func.id, {keyword.arg for keyword in node.keywords})
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    for name, keywords in calls:
        if name in imported and name != "KafkaSender":  # the producer's own options
            known = {"app", "more", "ref_of", "accept"}
            assert keywords <= known, (name, keywords)


def test_every_link_leads_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_documented_bounds_are_the_code_s() -> None:
    page = (ROOT / "docs" / "emitting" / "python.md").read_text("utf-8")
    source = (ROOT / "examples" / "emitters" / "groundwatch_emitter.py").read_text("utf-8")
    for told, name in re.findall(r"`(\w+)` \(([\d,.]+)", page):
        assert re.search(rf"{told}: (?:int|float) = {name.replace(',', '_')}\b", source) or (
            told == "max_bytes" and "max_bytes: int = 32 << 20" in source
        ), told
