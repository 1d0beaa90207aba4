"""Who writes through the JSON API: whoever the key or the trusted proxy names; where nobody is
asked, a header, believed from this machine alone."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request

from service.access.proxies import is_loopback
from service.web.caller import caller
from service.web.problems import Problem
from service.web.reviewer import MAX_NAME
from service.web.showing import showable

HEADER = "X-Reviewer"
_FORM = {
    "alias": HEADER,
    "min_length": 1,
    "max_length": MAX_NAME,
    "pattern": r"\S",
    "description": "Your name or e-mail address, where no key and no proxy says it: taken from "
    "this machine alone.",
    "examples": ["ann@example.org"],
}


def _reader(request: Request, name: Annotated[str | None, Header(**_FORM)] = None) -> str | None:
    said, known = None if name is None else _read(name), caller()
    if known.named:
        if said not in (None, known.name):
            raise Problem(403, "forbidden", f"{HEADER} names somebody else than key or proxy do")
        return known.name
    if said is not None and request.client is not None and not is_loopback(request.client.host):
        raise Problem(403, "forbidden", f"{HEADER} is only taken from the machine that serves")
    return said


def _reviewer(name: Annotated[str | None, Depends(_reader)]) -> str:
    if name is None:
        raise Problem(422, "parameter", "Field required", field=HEADER)
    return name


Reviewer = Annotated[str, Depends(_reviewer)]
"""Raises :class:`Problem` 403 for a client on another machine, 422 for no name."""
Reader = Annotated[str | None, Depends(_reader)]
"""As :data:`Reviewer`, or None where nobody says who reads."""


def _read(header: str) -> str:
    # Servers hand out headers as Latin-1; clients mostly mean UTF-8.
    raw = header.encode("latin-1")
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        name = header
    return showable(" ".join(name.split()))
