"""Who asks: nobody is asked, a machine shows its key, or a trusted proxy says which person it
is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import structlog
from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from service.access.api_keys import PREFIX, ApiKey, parts_of
from service.access.proxies import Proxies
from service.access.rules import AccessRules
from service.web.allowances import Allowances
from service.web.caller import ANYBODY, Caller, Way
from service.web.problems import Problem
from service.web.reviewer import clean_name

log = structlog.get_logger(__name__)

FAILURES_A_MINUTE = 10
"""Refused keys of one address, before its keys are not looked at any more."""
USED_STEP_MS = 60_000
"""That a key is used is written down so often at most, by each process."""
MOST_GROUPS = 1_000
MOST_TOLD = 100


class Authenticate(Protocol):
    async def __call__(self, request: Request) -> Caller:
        """Raises :class:`Problem` 401 or 429, and ``service.outage.Outage`` where the keys cannot
        be read."""
        ...


async def nobody_is_asked(request: Request) -> Caller:
    """On loopback, or where an operator said so in so many words."""
    return ANYBODY


class KeyReader(Protocol):
    """Both methods raise ``service.outage.Outage`` while the store is away."""

    def key(self, key_id: str) -> ApiKey | None: ...

    def used(self, key_id: str, now_ms: int) -> None: ...


@dataclass(frozen=True, slots=True)
class ProxyHeaders:
    user: str = "X-Forwarded-User"
    email: str = "X-Forwarded-Email"
    groups: str = "X-Forwarded-Groups"


class Doorkeeper:
    """Asks everybody. ``rules``: as the access file has them now; ``now``: seconds since 1970;
    ``monotonic``: seconds, by which failures are forgotten."""

    def __init__(
        self,
        keys: KeyReader,
        rules: Callable[[], AccessRules],
        proxies: Proxies,
        headers: ProxyHeaders,
        now: Callable[[], float],
        monotonic: Callable[[], float],
    ) -> None:
        self._keys = keys
        self._rules = rules
        self._proxies = proxies
        self._headers = headers
        self._now = now
        self._failures = Allowances(FAILURES_A_MINUTE, monotonic)
        self._noted: dict[str, int] = {}
        self._told: set[str] = set()

    async def __call__(self, request: Request) -> Caller:
        peer = request.client.host if request.client is not None else ""
        token = _bearer(request)
        if token.startswith(PREFIX):
            address = self._proxies.client(peer, request.headers.get("x-forwarded-for", ""))
            return await self._machine(token, address)
        if self._proxies.trusts(peer):
            return self._person(request)
        self._tell_ignored(request, peer)
        raise _stranger("show a key (Authorization: Bearer gw_…), or come by the proxy that signs "
                        "people in")  # fmt: skip

    # Machines.

    async def _machine(self, token: str, address: str) -> Caller:
        if wait := self._failures.wait_s(address):
            raise _too_often(wait)
        fault, key = await run_in_threadpool(self._checked, token)
        if key is None:
            self._failures.take(address)
            log.warning("key_refused", why=fault, address=address)
            raise Problem(401, "key_refused", _FAULTS[fault], headers=_CHALLENGE)
        return Caller(Way.KEY, key.role, key.grant, key.name, key.key_id)

    def _checked(self, token: str) -> tuple[str, ApiKey | None]:
        """Why it is refused, and None; or the key."""
        parts, now_ms = parts_of(token), int(self._now() * 1000)
        if parts is None:
            return "unknown", None
        key_id, secret = parts
        listed = self._rules().key(key_id)
        key = listed if listed is not None else self._keys.key(key_id)
        fault = "unknown" if key is None else key.fault(secret, now_ms)
        if fault is not None:
            return fault, None
        if listed is None:
            self._note_use(key_id, now_ms)
        return "", key

    def _note_use(self, key_id: str, now_ms: int) -> None:
        if now_ms - self._noted.get(key_id, 0) >= USED_STEP_MS:
            self._noted[key_id] = now_ms
            self._keys.used(key_id, now_ms)

    # People.

    def _person(self, request: Request) -> Caller:
        user, email = (_header(request, name) for name in (self._headers.user, self._headers.email))
        listed = _header(request, self._headers.groups).split(",")
        groups = {one.strip() for one in listed[:MOST_GROUPS] if one.strip()}
        name = clean_name(email or user)
        if name is None:
            raise _stranger("the proxy does not say who you are")
        found = self._rules().person({user, email} - {""}, groups)
        if found is None:
            detail = "you are signed in, but in no group that may look here"
            raise Problem(403, "no_rule", detail)
        return Caller(Way.PROXY, *found, name)

    def _tell_ignored(self, request: Request, peer: str) -> None:
        """Once for each address: somebody forges headers, or a proxy is not listed."""
        said = [
            name
            for name in (self._headers.user, self._headers.email, self._headers.groups)
            if name in request.headers
        ]
        if said and peer not in self._told and len(self._told) < MOST_TOLD:
            self._told.add(peer)
            log.warning(
                "proxy_headers_ignored",
                address=peer,
                headers=said,
                mend="a proxy of yours? List its address in GROUNDWATCH_TRUSTED_PROXIES",
            )


_CHALLENGE = {"WWW-Authenticate": "Bearer"}
_FAULTS = {
    "unknown": "this key is not known",
    "revoked": "this key was revoked",
    "expired": "this key has expired",
}


def _stranger(detail: str) -> Problem:
    return Problem(401, "unauthenticated", detail, headers=_CHALLENGE)


def _too_often(wait_s: int) -> Problem:
    detail = "too many refused keys from this address; come back later"
    return Problem(429, "too_many_failures", detail, headers={"Retry-After": str(wait_s)})


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _header(request: Request, name: str) -> str:
    """Raises :class:`Problem` 401 for one that came twice: somebody wrote one before the proxy."""
    values = request.headers.getlist(name)
    if len(values) > 1:
        raise _stranger(f"the header {name} came more than once")
    # Servers hand out headers as Latin-1; proxies mean UTF-8.
    raw = values[0].encode("latin-1") if values else b""
    return raw.decode("utf-8", "replace").strip()
