"""No registry address stands in the project, and the check that says so can fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.architecture.addresses import faults

# Put together here, so that this file holds none itself.
ADDRESSES = [
    "https://{}.org/simple".format("py" + "pi"),
    "https://files.{}.org/packages".format("python" + "hosted"),
    "https://registry.{}.org".format("npm" + "js"),
    "https://repo1.{}.org/maven2".format("ma" + "ven"),
    "https://proxy.{}.org".format("go" + "lang"),
    "--index" + "-url https://mirror.example/simple",
    "index" + "-url = https://mirror.example/simple",
    "<repo" + "sitory>",
    "see /" + "work/notes.md",
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def test_the_project_holds_no_address() -> None:
    assert faults() == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_found(repository: Path, address: str) -> None:
    (repository / "settings.txt").write_text(f"first line\n{address}\n")
    assert faults(repository) == ["settings.txt:2: an address"]


def test_a_lock_file_holds_no_address_at_all(repository: Path) -> None:
    (repository / "requirements.lock").write_text("a @ https://mirror.example/a.whl\n")
    (repository / "README.md").write_text("See https://mirror.example/a.\n")
    assert faults(repository) == ["requirements.lock:1: an address"]


def test_ignored_files_are_left_alone(repository: Path) -> None:
    (repository / ".gitignore").write_text("local.txt\n")
    (repository / "local.txt").write_text(ADDRESSES[0])
    assert faults(repository) == []


def test_the_namespace_of_a_pom_is_no_address(repository: Path) -> None:
    (repository / "pom.xml").write_text('<project xmlns="http://maven.apache.org/POM/4.0.0"/>\n')
    assert faults(repository) == []
