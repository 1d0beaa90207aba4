"""Who writes through the JSON API, until keys and a trusted proxy say so: a header, believed from
this machine alone."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from fastapi import Depends, Header, Request

from service.web.problems import Problem
from service.web.reviewer import MAX_NAME
from service.web.showing import showable

HEADER = "X-Reviewer"
_FORM = {
    "alias": HEADER,
    "min_length": 1,
    "max_length": MAX_NAME,
    "pattern": r"\S",
    "description": "Your name or e-mail address, taken from this machine alone.",
    "examples": ["ann@example.org"],
}


def _reviewer(request: Request, name: Annotated[str, Header(**_FORM)]) -> str:
    return _believed(request, name)


def _reader(request: Request, name: Annotated[str | None, Header(**_FORM)] = None) -> str | None:
    return None if name is None else _believed(request, name)


Reviewer = Annotated[str, Depends(_reviewer)]
"""Raises :class:`Problem` 403 for a client on another machine, 422 for no name."""
Reader = Annotated[str | None, Depends(_reader)]
"""As :data:`Reviewer`, or None where nobody says who reads."""


def _believed(request: Request, header: str) -> str:
    if request.client is not None and not _is_here(request.client.host):
        raise Problem(403, "forbidden", f"{HEADER} is only taken from the machine that serves")
    # Servers hand out headers as Latin-1; clients mostly mean UTF-8.
    raw = header.encode("latin-1")
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        name = header
    return showable(" ".join(name.split()))


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
