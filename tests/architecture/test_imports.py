"""Each import contract holds, and each one is able to break."""

from __future__ import annotations

import ast
import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "importlinter:contract:"

# Contract → one import that breaks it: (where, what).
BAD_IMPORTS = {
    "one-way": ("service.intake", "consumers"),
    "no-web": ("consumers", "service.web"),
    "pure": ("service.events", "time"),
    "kafka": ("service.intake", "kafka"),
    "entry-point": ("service.intake", "service.cli"),
    "redis": ("consumers", "redis"),
    "prometheus": ("service.intake", "prometheus_client"),
    "openai": ("service.intake", "openai"),
    "traces": ("service.intake", "opentelemetry"),
}

# Ways to reach the clock or the disk through modules that a pure part does need.
IMPURE_CALLS = {"now", "utcnow", "today", "open", "print", "input", "read_text", "write_text"}


def contracts() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter")
    return parser


def listed(contract: str, option: str) -> list[str]:
    return contracts()[PREFIX + contract][option].split()


def source_of(root: Path, module: str) -> Path:
    path = root.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for package in ("service", "consumers"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def add_import(tree: Path, where: str, what: str) -> None:
    with source_of(tree, where).open("a") as source:
        source.write(f"\nimport {what}\n")


def lint(tree: Path, *only: str) -> tuple[int, str]:
    """Exit code and output of import-linter over ``tree``, for the contracts ``only`` (or all)."""
    finished = subprocess.run(
        [
            Path(sys.executable).with_name("lint-imports"),
            *("--no-logo", "--no-cache"),
            *(part for contract in only for part in ("--contract", contract)),
        ],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return finished.returncode, finished.stdout + finished.stderr


def test_every_contract_is_kept(tree: Path) -> None:
    code, output = lint(tree)
    assert code == 0, output
    assert f"Contracts: {len(BAD_IMPORTS)} kept, 0 broken." in output


def test_every_contract_has_a_bad_import() -> None:
    named = {name.removeprefix(PREFIX) for name in contracts() if name.startswith(PREFIX)}
    assert named == set(BAD_IMPORTS)


@pytest.mark.parametrize("contract", BAD_IMPORTS)
def test_a_bad_import_breaks_its_contract(tree: Path, contract: str) -> None:
    where, what = BAD_IMPORTS[contract]
    add_import(tree, where, what)
    code, output = lint(tree, contract)
    assert code == 1
    assert "Contracts: 0 kept, 1 broken." in output
    assert f"{where} -> {what} (l." in output


def test_no_pure_part_may_import_the_clock(tree: Path) -> None:
    parts = listed("pure", "source_modules")
    for part in parts:
        add_import(tree, part, "time")
    _, output = lint(tree, "pure")
    assert [part for part in parts if f"{part} is not allowed to import time" not in output] == []


def test_a_pure_part_may_import_none_of_the_forbidden(tree: Path) -> None:
    forbidden = listed("pure", "forbidden_modules")
    for module in forbidden:
        add_import(tree, "service.sampling", module)
    _, output = lint(tree, "pure")
    prefix = "service.sampling is not allowed to import "
    assert [module for module in forbidden if f"{prefix}{module}:" not in output] == []


def impure_calls(source: str) -> list[str]:
    """``line: name`` of each call that reaches clock or disk without an import of its own."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    named = [
        (call.lineno, getattr(call.func, "attr", getattr(call.func, "id", ""))) for call in calls
    ]
    return [f"{line}: {name}" for line, name in named if name in IMPURE_CALLS]


@pytest.mark.parametrize("part", listed("pure", "source_modules"))
def test_a_pure_part_reads_neither_clock_nor_disk(part: str) -> None:
    source = source_of(ROOT, part)
    files = source.parent.rglob("*.py") if source.name == "__init__.py" else [source]
    found = {str(path): impure_calls(path.read_text()) for path in files}
    assert {path: calls for path, calls in found.items() if calls} == {}


def test_impure_calls_are_seen() -> None:
    source = "a = datetime.now(UTC)\nb = date.today()\nwith open('x') as c: pass\nd = min(1, 2)"
    assert impure_calls(source) == ["1: now", "2: today", "3: open"]
