"""Twenty seconds of fuzzing; ``make fuzz`` runs longer."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.target import CheckFailed, one_input

ROOT = Path(__file__).parents[2]
SECONDS = 20


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_no_input_makes_a_check_fail() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", str(SECONDS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "stat::number_of_executed_units" in done.stderr


def test_a_check_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("service.checks.numbers.check", broken)
    with pytest.raises(CheckFailed, match="numbers: ZeroDivisionError"):
        one_input(b"a\0b\0c")
