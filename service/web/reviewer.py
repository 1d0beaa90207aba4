"""Who looks at the pages: a name, given once and kept in a signed cookie, and the token that shows
that a form came from one of our own pages.

A name is what a person says of themselves, and nothing proves it; where people are signed in
(``service.web.caller``), it is theirs and nothing else is asked. The signature keeps it from being
changed on the way, and the token keeps other sites from labelling in somebody's name.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from dataclasses import dataclass, replace
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from service.web.caller import caller

COOKIE = "reviewer"
MAX_NAME = 100
A_YEAR_S = 365 * 86_400


@dataclass(frozen=True, slots=True)
class Visitor:
    """``session``: random, of one browser; ``name``: empty as long as none was given; ``known``:
    the browser sent our cookie; ``signed_in``: it is known who it is, and a name only stands here
    where they may label."""

    session: str
    name: str = ""
    known: bool = False
    signed_in: bool = False


def clean_name(said: str) -> str | None:
    """A name or e-mail address as it is kept: trimmed; None for one that is empty, too long, or
    cannot be shown."""
    name = " ".join(said.split())
    return name if 0 < len(name) <= MAX_NAME and name.isprintable() else None


def from_elsewhere(request: Request) -> bool:
    """A link on another site led here: the browser then sends no cookie of ours."""
    return request.headers.get("sec-fetch-site") == "cross-site"


class Identity:
    """``secret``: the store's; all web processes of one store share it. ``secure``: the cookie goes
    over TLS alone."""

    def __init__(self, secret: bytes, secure: bool = False) -> None:
        self._secure = secure
        self._key = hmac.digest(secret, b"groundwatch pages", "sha256")

    def visitor(self, request: Request) -> Visitor:
        kept, known = self._read(request.cookies.get(COOKIE, "")), caller()
        if not known.named:
            return kept or Visitor(secrets.token_urlsafe(18))
        # A link on another site must claim nothing, as it does not where the cookie says who it is.
        name = known.name if known.reviews and not from_elsewhere(request) else ""
        if kept is None or kept.name != name:
            return Visitor(secrets.token_urlsafe(18), name, signed_in=True)
        return replace(kept, signed_in=True)

    def named(self, visitor: Visitor, name: str) -> Visitor:
        """Under a new name a session of its own: older forms are not sent in the new name."""
        return replace(visitor, session=secrets.token_urlsafe(18), name=name, known=False)

    def keep(self, request: Request, response: Response, visitor: Visitor) -> None:
        """Let the browser remember, unless it does already. One that comes from another site hid
        its cookie from us, and must not lose it."""
        if visitor.known or from_elsewhere(request):
            return
        body = base64.urlsafe_b64encode(f"{visitor.session}:{visitor.name}".encode()).decode()
        response.set_cookie(
            COOKIE,
            f"{body}.{self._sign('cookie', body)}",
            max_age=A_YEAR_S,
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )

    def token(self, visitor: Visitor) -> str:
        """For the forms of this visitor."""
        return self._sign("form", visitor.session)

    def admits(self, visitor: Visitor, token: str) -> bool:
        return visitor.known and hmac.compare_digest(
            self.token(visitor).encode(), token.encode("utf-8", "replace")
        )

    def _read(self, cookie: str) -> Visitor | None:
        body, _, signature = cookie.partition(".")
        try:
            if not hmac.compare_digest(self._sign("cookie", body), signature):
                return None
            session, _, name = base64.urlsafe_b64decode(body).decode().partition(":")
        except (binascii.Error, TypeError, ValueError):
            return None
        return Visitor(session, name, known=True)

    def _sign(self, what: str, text: str) -> str:
        return hmac.new(self._key, f"{what} {text}".encode(), sha256).hexdigest()
