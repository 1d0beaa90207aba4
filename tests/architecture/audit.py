"""Known faults in what is shipped: ``python -m tests.architecture.audit [options]``.

pip-audit exits 0 where a package index knows nothing of faults (a mirror, say): it has found none,
having looked nowhere. So its report is held against the lock file: each distribution must have been
looked up. Exits 0 only if all were and none has a known fault. The options are pip-audit's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tests.architecture.locks import ROOT, read_lock

LOCK = ROOT / "requirements.lock"
COMMAND = (
    *(sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), "--disable-pip"),
    *("--require-hashes", "--format", "json", "--progress-spinner", "off"),
)


def not_looked_up(report: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Those of ``names`` of which the source said nothing."""
    told = {one["name"] for one in report["dependencies"] if "skip_reason" not in one}
    return [name for name in names if name not in told]


def known_faults(report: Mapping[str, Any]) -> list[str]:
    """A line for each, with what mends it."""
    return [
        f"{one['name']} {one['version']}: {fault['id']}, "
        f"fixed in {', '.join(fault['fix_versions']) or 'no version yet'}"
        for one in report["dependencies"]
        for fault in one.get("vulns", ())
    ]


def main() -> int:
    done = subprocess.run([*COMMAND, *sys.argv[1:]], stdout=subprocess.PIPE, text=True, check=False)
    say = sys.stderr.write
    try:
        report = json.loads(done.stdout)
    except ValueError:
        say("audit: FAILED: pip-audit reached no source, so nothing is known of any fault\n")
        return 1
    names = [name for name, pin in read_lock(LOCK.read_text()).items() if pin.applies_here]
    if missing := not_looked_up(report, names):
        say(f"audit: FAILED: {len(missing)} of {len(names)} distributions were not looked up:\n")
        say(f"  {', '.join(missing)}\n")
        say("  Its source must be reachable, not a mirror of the packages.\n")
        return 1
    faults = known_faults(report)
    for fault in faults:
        say(f"audit: {fault}\n")
    say(f"audit: {len(names)} distributions looked up, {len(faults)} known faults\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
