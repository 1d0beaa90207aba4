"""Does a tracked file hold the address of a package registry, or of somebody's own machine?

``python -m tests.architecture.addresses`` prints file and line of each and exits 1. Where packages
come from is the business of the client's own settings (pip.conf, settings.xml, .npmrc, GOPROXY),
so that the project builds behind any mirror.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Written so that the pattern does not find itself.
FORBIDDEN = re.compile(
    rb"(?:pypi|pythonhosted|npmjs|yarnpkg|crates|rubygems|anaconda|nuget)\.(?:org|com|io)\b"
    rb"|\b(?:repo\d?|oss|central)\.(?:maven|sonatype)\b|(?:maven|jitpack|jcenter)\.(?:google|io)\b"
    rb"|(?:proxy|sum|index)\.golang\.org"
    rb"|<(?:plugin)?[r]epository>"
    rb"|^\s*(?:--?)?(?:extra-)?(?:index[-_]url|find[-_]links|trusted[-_]host)\s*[= ]"
    rb"|(?<![\w.])/work/\w",
    re.IGNORECASE | re.MULTILINE,
)
LOCK_ADDRESS = re.compile(rb"\w://")


def faults(root: Path = ROOT) -> list[str]:
    """``path:line`` of each address in what git tracks, or would track, under ``root``."""
    return [
        f"{path}:{line}: an address"
        for path in _tracked(root)
        for line in _lines(path, (root / path).read_bytes())
    ]


def _tracked(root: Path) -> list[str]:
    # A clone may belong to another user than the one who runs the checks.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(
        [*command, "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [path for path in listed.split("\0") if path and (root / path).is_file()]


def _lines(path: str, content: bytes) -> Iterator[int]:
    patterns = (FORBIDDEN, LOCK_ADDRESS) if path.endswith(".lock") else (FORBIDDEN,)
    for pattern in patterns:
        for match in pattern.finditer(content):
            yield content.count(b"\n", 0, match.start()) + 1


def main() -> int:
    found = faults()
    for fault in found:
        sys.stderr.write(f"{fault}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
