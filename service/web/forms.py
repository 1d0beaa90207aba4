"""What a form of ours sends. Bounded, and only from one of our own pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends
from starlette.requests import ClientDisconnect, Request

from service.web.caller import Way, caller
from service.web.problems import Problem
from service.web.reviewer import Identity, Visitor

FORM = "application/x-www-form-urlencoded"
TOKEN = "token"  # noqa: S105 (the name of a form field)
MAX_BYTES = 256 << 10
MAX_FIELDS = 2_000


@dataclass(frozen=True, slots=True)
class Form:
    """Fields that were left empty are not there."""

    fields: Mapping[str, Sequence[str]]

    def one(self, name: str) -> str:
        return self.fields.get(name, ("",))[-1]

    def many(self, name: str) -> Sequence[str]:
        return self.fields.get(name, ())

    def number(self, name: str) -> int:
        """Raises :class:`Problem` 422 for what is no whole number."""
        said = self.one(name) or "0"
        if not said.isdecimal() or len(said) > 15:
            raise Problem(422, "parameter", "not a whole number", field=name)
        return int(said)


@dataclass(frozen=True, slots=True)
class Posted:
    """A form and who sent it."""

    visitor: Visitor
    form: Form

    @property
    def reviewer(self) -> str:
        """Raises :class:`Problem` 403 where nobody gave a name yet."""
        if not self.visitor.name:
            raise Problem(403, "nameless", "say who you are first")
        return self.visitor.name


async def posted(request: Request) -> Posted:
    """The dependency of every route that a form is sent to. Raises :class:`Problem`: 403 without
    the token of this browser's pages, 413, 415, 400."""
    identity: Identity = request.app.state.identity
    visitor = identity.visitor(request)
    form = await _form(request)
    # A key is sent on purpose, never by a browser that another site's page leads here.
    if caller().way is not Way.KEY and not identity.admits(visitor, form.one(TOKEN)):
        raise Problem(403, "form", "this form is not of your browser's session; load its page")
    return Posted(visitor, form)


Sent = Annotated[Posted, Depends(posted)]


async def _form(request: Request) -> Form:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != FORM:
        raise Problem(415, "unsupported_media_type", f"send {FORM}")
    raw = bytearray()
    try:
        async for part in request.stream():
            raw += part
            if len(raw) > MAX_BYTES:
                raise Problem(413, "too_large", f"the limit is {MAX_BYTES} bytes a form")
    except ClientDisconnect:
        raise Problem(
            400, "incomplete", "the sender hung up before the form was complete"
        ) from None
    try:
        text = raw.decode("ascii", "replace")
        return Form(parse_qs(text, errors="replace", max_num_fields=MAX_FIELDS))
    except ValueError:
        raise Problem(413, "too_large", f"the limit is {MAX_FIELDS} fields a form") from None
