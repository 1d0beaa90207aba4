"""May what is shipped be shipped? The licence of each distribution in ``requirements.lock``.

``python -m tests.architecture.licences`` compares docs/licences.md with what the distributions say
of themselves and exits 1 where one is new, says something else, or has a licence that is not
allowed; with ``--write`` it writes the page anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

from tests.architecture.locks import ROOT, read_lock

PAGE = ROOT / "docs" / "licences.md"
ALLOWED = frozenset(
    {
        "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "PSF-2.0",
        # Asks for the source of its own files, if they are changed, and of nothing else.
        "MPL-2.0",
    }
)  # fmt: skip
LESSER_GPL = {
    "crc32c": "in C, the checksum of every Kafka batch: in Python it is some twenty times slower",
    "python-stdnum": "knows what is an IBAN or a card number",
}
"""Used as they are, as libraries that anybody can replace: what the LGPL asks of whoever ships
them. Each with why it is worth that."""

SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "MIT style": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""Of spellings that leave nothing open."""

READ = {
    ("colorama", "BSD License"): "BSD-3-Clause",
    ("jinja2", "BSD License"): "BSD-3-Clause",
    ("lz4", "BSD License"): "BSD-3-Clause",
    ("python-snappy", "BSD"): "BSD-3-Clause",
    ("python-stdnum", "LGPL"): "LGPL-2.1-or-later",
}
"""What the licence files say of distributions whose metadata leave it open."""

ELSEWHERE = {
    "async-timeout": "Apache-2.0",
    "colorama": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
}
"""Of those that are for another platform or Python than this."""

HEAD = """\
# Licences

Of everything in [requirements.lock](../requirements.lock), as each distribution says of itself or
in the licence file that it ships. Written by `make licences`; `make check` fails where one is new,
says something else, or may not be shipped (`tests/architecture/licences.py`). The base image
brings Python and Debian with theirs.

| distribution | licence |
|---|---|
"""


def licences(root: Path = ROOT) -> dict[str, str]:
    """Distribution → SPDX expression, or what it says in other words, of the whole lock."""
    lock = read_lock((root / "requirements.lock").read_text())
    return {name: _licence(name) for name in sorted(lock)}


def _licence(name: str) -> str:
    try:
        said = _said(metadata(name))
    except PackageNotFoundError:
        return ELSEWHERE.get(name, "not installed here, and not in ELSEWHERE")
    return READ.get((name, said)) or SPDX.get(said, said)


def _said(about: PackageMetadata) -> str:
    """The newest field that is filled in. A whole licence text in ``License`` says nothing."""
    told = about.json
    stated = told.get("license_expression") or told.get("license") or ""
    if stated and "\n" not in stated:
        return str(stated)
    lines = (line for line in told.get("classifier", ()) if line.startswith("License ::"))
    found = [line.rpartition(" :: ")[2] for line in lines]
    return " AND ".join(SPDX.get(one, one) for one in found) or "nothing"


def faults(found: dict[str, str]) -> Iterator[str]:
    """A sentence for each that may not be shipped. Of alternatives too, all must be allowed."""
    for name, expression in found.items():
        parts = re.split(r" AND | OR ", expression.replace("(", "").replace(")", ""))
        if name in LESSER_GPL:
            parts = [part for part in parts if part != "LGPL-2.1-or-later"]
        if unknown := [part for part in parts if part not in ALLOWED]:
            yield f"{name}: {', '.join(unknown)} is not allowed"


def page(found: dict[str, str]) -> str:
    rows = (
        f"| {name} | {expression}{'; ' + LESSER_GPL[name] if name in LESSER_GPL else ''} |\n"
        for name, expression in found.items()
    )
    return HEAD + "".join(rows)


def main() -> int:
    found = licences()
    wrong = list(faults(found))
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(found))
    elif PAGE.read_text() != page(found):
        wrong.append("docs/licences.md is out of date: make licences")
    for fault in wrong:
        sys.stderr.write(f"{fault}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
