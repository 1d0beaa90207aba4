"""The Redis user that docs/transport.md tells people to make."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "transport.md"
REDIS_USER, REDIS_PASSWORD = "groundwatch", "s3cret-quite"


def documented_line() -> str:
    """The line of an ACL file, as it stands in the page, with a password."""
    [line] = re.findall(r"^user groundwatch .*$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    return line.replace(">PASSWORD", f">{REDIS_PASSWORD}")


def allowed(line: str) -> set[str]:
    """The commands of an ACL line, subcommands behind a bar."""
    return set(re.findall(r" \+(\S+)", line))
