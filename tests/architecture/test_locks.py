"""The lock files are current, and the check that says so can fail."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture.locks import ROOT, faults, read_lock

LOCKS = ("requirements.lock", "requirements-build.lock", "requirements-dev.lock")
Edit = Callable[[str, str, str], None]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("pyproject.toml", *LOCKS):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.fixture
def edit(project: Path) -> Edit:
    def replace_once(name: str, old: str, new: str) -> None:
        text = (project / name).read_text()
        assert text.count(old) == 1
        (project / name).write_text(text.replace(old, new))

    return replace_once


def pin_text(name: str, project: Path, lock: str) -> str:
    """The text of one pin of ``lock`` with all its hashes."""
    found = re.search(rf"^{name}==.*\n(?: {{4}}.*\n)+", (project / lock).read_text(), re.MULTILINE)
    assert found
    return found[0]


def test_the_lock_files_are_current() -> None:
    assert faults() == []


def test_an_untouched_copy_is_current(project: Path) -> None:
    assert faults(project) == []


def test_a_new_dependency_is_missing(project: Path, edit: Edit) -> None:
    edit("pyproject.toml", '"structlog>=25,<27",', '"structlog>=25,<27", "not-locked>=2",')
    assert faults(project) == [
        "requirements.lock: not-locked>=2 (pyproject.toml) is missing",
        "requirements-dev.lock: not-locked>=2 (pyproject.toml) is missing",
    ]


def test_a_new_development_dependency_is_missing(project: Path, edit: Edit) -> None:
    edit("pyproject.toml", '"types-PyYAML",', '"types-PyYAML", "not-locked",')
    assert faults(project) == ["requirements-dev.lock: not-locked (pyproject.toml) is missing"]


def test_a_new_dependency_of_the_build_is_missing_from_both(project: Path, edit: Edit) -> None:
    edit("pyproject.toml", '"setuptools>=65",', '"setuptools>=65", "not-locked",')
    assert faults(project) == [
        "requirements-build.lock: not-locked (pyproject.toml) is missing",
        "requirements-dev.lock: not-locked (pyproject.toml) is missing",
    ]


def test_a_build_with_another_version_than_the_tested_one(project: Path, edit: Edit) -> None:
    hashed = read_lock((project / "requirements-build.lock").read_text())["hatchling"].hashes[0]
    edit("requirements-build.lock", hashed, "sha256:" + "0" * 64)
    assert faults(project) == [
        "hatchling: requirements-build.lock and requirements-dev.lock differ"
    ]


def test_a_raised_bound_is_not_satisfied(project: Path, edit: Edit) -> None:
    edit("pyproject.toml", '"structlog>=25,<27",', '"structlog>=900",')
    version = read_lock((project / "requirements.lock").read_text())["structlog"].version
    assert faults(project)[0] == (
        f"requirements.lock: structlog>=900 (pyproject.toml) is not satisfied by {version}"
    )


def test_a_dependency_for_another_system_is_missing_too(project: Path, edit: Edit) -> None:
    edit(
        "pyproject.toml",
        '"structlog>=25,<27",',
        '"structlog>=25,<27", "not-locked; sys_platform == \'win32\'",',
    )
    assert len(faults(project)) == 2


def test_a_removed_dependency_leaves_an_orphan(project: Path, edit: Edit) -> None:
    edit("pyproject.toml", '"structlog>=25,<27",', "")
    assert faults(project) == [
        "requirements.lock: structlog is locked, but nothing asks for it",
        "requirements-dev.lock: structlog is locked, but nothing asks for it",
    ]


def test_an_extra_brings_its_own_requirements(project: Path, edit: Edit) -> None:
    edit("pyproject.toml", '"fakeredis[lua]>=2.36,<3",', '"fakeredis>=2.36,<3",')
    assert "requirements.lock: lupa is locked, but nothing asks for it" in faults(project)


def test_a_transitive_requirement_is_missing(project: Path, edit: Edit) -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        edit(lock, pin_text("starlette", project, lock), "")
    assert any("starlette" in fault and fault.endswith("is missing") for fault in faults(project))


def test_another_version_than_the_installed_one(project: Path, edit: Edit) -> None:
    version = read_lock((project / "requirements.lock").read_text())["structlog"].version
    for lock in ("requirements.lock", "requirements-dev.lock"):
        edit(lock, f"structlog=={version} ", "structlog==25.0.0 ")
    assert (
        f"requirements.lock: structlog 25.0.0 is locked, {version} is installed: make setup"
        in faults(project)
    )


def test_two_lock_files_that_differ(project: Path, edit: Edit) -> None:
    hashed = read_lock((project / "requirements.lock").read_text())["structlog"].hashes[0]
    edit("requirements.lock", hashed, "sha256:" + "0" * 64)
    assert faults(project) == ["structlog: requirements.lock and requirements-dev.lock differ"]


@pytest.mark.parametrize(
    "line",
    ["structlog", "structlog>=25", "--index-url=https://mirror.example/simple", "./structlog.whl"],
)
def test_a_line_that_pins_nothing(project: Path, line: str) -> None:
    lock = project / "requirements.lock"
    lock.write_text(f"{line}\n{lock.read_text()}")
    assert faults(project) == [f"not a line of a lock file: {line!r}"]


def test_a_pin_without_a_hash(project: Path, edit: Edit) -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        pinned = pin_text("structlog", project, lock)
        edit(lock, pinned, pinned.splitlines()[0] + "\n")
    assert "requirements.lock: structlog has no hash" in faults(project)
