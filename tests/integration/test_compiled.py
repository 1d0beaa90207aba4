"""The compiled checks find, to the letter, what their source finds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.servers import unavailable

ROOT = Path(__file__).parents[2]
COMPILED = ROOT / "build" / "compiled"
CASES = sorted((ROOT / "tests" / "cases").glob("*.jsonl"))

pytestmark = pytest.mark.timeout(1_800)  # minutes of a C compiler, the first time


@pytest.fixture(scope="session")
def compiled() -> Path:
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        unavailable("no C compiler here: apt-get install gcc")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        unavailable("no Python.h here: apt-get install python3-dev")
    command = [sys.executable, "-m", "tools.compiled", str(COMPILED)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return COMPILED


def _python(path: Path, *arguments: str) -> str:
    """Standard output of Python with the packages of ``path``."""
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONSAFEPATH": "1"}
    run = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode in (0, 1), run.stderr  # 1: something was found
    return run.stdout


def test_all_modules_of_the_checks_are_compiled(compiled: Path) -> None:
    said = (
        "import sys, service.cli, service.checks\n"
        "for name, module in sorted(sys.modules.items()):\n"
        "    if name.startswith('service.checks.') and not hasattr(module, '__path__'):\n"
        "        print(module.__file__)\n"
    )
    files = _python(compiled, "-c", said).split()
    assert len(files) > 30
    assert [one for one in files if not (one.startswith(str(compiled)) and one[-3:] == ".so")] == []


@pytest.mark.parametrize("cases", CASES, ids=lambda path: path.stem)
def test_it_finds_what_the_source_finds(compiled: Path, cases: Path) -> None:
    command = ("-m", "service.cli", "check", str(cases), "--format", "json")
    found = _python(compiled, *command)
    assert found.count("\n") > 20
    assert found == _python(ROOT, *command)
