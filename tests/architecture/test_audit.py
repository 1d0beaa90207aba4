"""An audit that looked nowhere fails, whatever pip-audit says."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.architecture.audit import COMMAND, known_faults, not_looked_up

REPORT = {
    "dependencies": [
        {"name": "looked-up", "version": "1.0", "vulns": []},
        {"name": "unknown", "skip_reason": "Dependency not found on PyPI"},
        {
            "name": "faulty",
            "version": "2.0",
            "vulns": [
                {"id": "PYSEC-1", "fix_versions": ["2.1", "3.0"], "aliases": [], "description": ""},
                {"id": "PYSEC-2", "fix_versions": [], "aliases": [], "description": ""},
            ],
        },
    ]
}


def test_what_was_skipped_or_left_out_was_not_looked_up() -> None:
    names = ["looked-up", "unknown", "faulty", "left-out"]
    assert not_looked_up(REPORT, names) == ["unknown", "left-out"]


def test_faults_are_told_with_what_mends_them() -> None:
    assert known_faults(REPORT) == [
        "faulty 2.0: PYSEC-1, fixed in 2.1, 3.0",
        "faulty 2.0: PYSEC-2, fixed in no version yet",
    ]


def audit(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.architecture.audit", *options],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
    )


def test_a_source_out_of_reach_fails_with_a_clear_line() -> None:
    done = audit("-s", "osv", "--osv-url", "http://127.0.0.1:9/")
    assert done.returncode == 1
    assert "audit: FAILED: pip-audit reached no source" in done.stderr


def test_nothing_looked_up_fails_where_pip_audit_is_content() -> None:
    """``--dry-run`` looks nothing up, and exits 0."""
    skipped = (*COMMAND, "--dry-run")
    assert subprocess.run(skipped, capture_output=True, timeout=100, check=False).returncode == 0
    assert audit("--dry-run").returncode == 1
