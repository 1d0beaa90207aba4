"""Our own style sheets and scripts, and their addresses."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

STATIC = Path(__file__).with_name("static")
STATIC_PATH = "/static/"


def asset(name: str) -> str:
    """The address of one of our own files, by its content: a browser may keep what is there for
    ever, and asks for no file twice."""
    return next(one for one in assets() if one.startswith(f"{STATIC_PATH}{name}?"))


@cache
def assets() -> frozenset[str]:
    """The addresses of all of them."""
    return frozenset(
        f"{STATIC_PATH}{path.name}?v={sha256(path.read_bytes()).hexdigest()[:12]}"
        for path in STATIC.iterdir()
        if path.is_file()
    )
