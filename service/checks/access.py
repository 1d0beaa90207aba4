"""Check ``access``: no chunk was retrieved that this user may not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import UnsetType

from service.checks import citations
from service.checks.citations import CitationReading, ReadCitation
from service.checks.model import CheckInput, CheckResult, Finding, Outcome, Severity
from service.checks.reading.sources import in_german, one_line
from service.events import Chunk, User

NAME = "access"

FORBIDDEN_CHUNK = "forbidden_chunk"
FORBIDDEN_CHUNK_CITED = "forbidden_chunk_cited"

SEVERITY: dict[str, Severity] = {
    FORBIDDEN_CHUNK: Severity.HIGH,
    FORBIDDEN_CHUNK_CITED: Severity.HIGH,  # the text reached the user, in so many words
}
"""Every reason of this check, and how bad it is."""

_MOST_SHOWN = 5


class _Forbidden(NamedTuple):
    chunk: Chunk
    by_tenant: bool


def check(given: CheckInput, reading: CitationReading | None = None) -> CheckResult:
    """Decide every chunk that names who may read it, in the prompt or not.

    An absent ``acl`` is public, an empty one is nobody's. A chunk is left undecided where the event
    does not send the user's side of it (``groups``, ``tenant``); groups sent empty are sent.
    ``reading`` is read anew when absent, and only where a chunk is forbidden.
    """
    user = given.event.user
    if user is None:
        return CheckResult(Outcome.NOT_APPLICABLE)
    told = _groups(user)
    groups = frozenset(told or ()).union(given.policy.access.everyone)
    tenant = user.tenant
    evaluated = 0
    forbidden: list[_Forbidden] = []
    for chunk in given.event.retrieved:
        theirs = None if tenant is None else chunk.tenant
        acl = None if told is None else chunk.acl
        if theirs is None and acl is None:
            continue
        evaluated += 1
        if theirs is not None and theirs != tenant:
            forbidden.append(_Forbidden(chunk, True))
        elif acl is not None and groups.isdisjoint(acl):
            forbidden.append(_Forbidden(chunk, False))
    if not evaluated:
        return CheckResult(Outcome.NOT_APPLICABLE)
    findings = tuple(_findings(given, user, forbidden, reading)) if forbidden else ()
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        findings,
        evaluated=evaluated,
        failed=len(findings),
    )


def _findings(
    given: CheckInput, user: User, forbidden: list[_Forbidden], reading: CitationReading | None
) -> Iterator[Finding]:
    """One a chunk; a cited one has the place of the first citation that resolves to it."""
    if reading is None:
        reading = citations.read(given.event, given.policy.citations)
    cited: dict[str, ReadCitation] = {}
    for citation in reading.citations:
        for member in citation.members:
            if member.ref is not None:
                cited.setdefault(member.ref, citation)
    german = in_german(given)
    for one in forbidden:
        ref = one.chunk.ref
        place = cited.get(ref)
        reason = FORBIDDEN_CHUNK_CITED if place is not None else FORBIDDEN_CHUNK
        yield Finding(
            NAME,
            reason,
            place.surface if place is not None else "",
            place.start if place is not None else None,
            place.end if place is not None else None,
            _detail(one, user, german),
            SEVERITY[reason],
            ref[:200],
        )


def _detail(one: _Forbidden, user: User, german: bool) -> str:
    ref = one_line(one.chunk.ref)
    if one.by_tenant:
        theirs, ours = one_line(one.chunk.tenant or ""), one_line(user.tenant or "")
        if german:
            return f"{ref} gehört dem Mandanten „{theirs}“, gefragt hat „{ours}“."
        return f'{ref} belongs to tenant "{theirs}"; the user is of "{ours}".'
    readers, groups = _listed(one.chunk.acl or []), _listed(_groups(user) or [])
    if german:
        return f"{ref} darf lesen: {readers or 'niemand'}; gefragt hat: {groups or 'keine Gruppe'}."
    return f"{ref} may be read by {readers or 'nobody'}; the user is in {groups or 'no group'}."


def _groups(user: User) -> list[str] | None:
    return None if isinstance(user.groups, UnsetType) else user.groups


def _listed(names: list[str]) -> str:
    shown = ", ".join(one_line(name, 40) for name in names[:_MOST_SHOWN])
    return shown + (", …" if len(names) > _MOST_SHOWN else "")
