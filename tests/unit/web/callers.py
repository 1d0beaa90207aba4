"""Keys of each role in a file, a proxy, and requests in their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from service.access.api_keys import ApiKey, digest_of, token_of
from service.access.proxies import Proxies, networks_of
from service.access.roles import Role
from service.access.rules import AccessRules
from service.web.authentication import Doorkeeper, ProxyHeaders
from tests.unit.web.world import LOOP, NOW_MS

PROXY, STRANGER = "10.0.0.1", "203.0.113.9"
IDS = {role: f"{number:012x}" for number, role in enumerate(Role)}
TOKENS = {role: token_of(key_id, "s" * 43) for role, key_id in IDS.items()}


def key_rule(role: Role, apps: Sequence[str] = ("*",), **parts: Any) -> dict[str, Any]:
    digest = digest_of(IDS[role], "s" * 43)
    return {"id": IDS[role], "name": f"the {role}", "sha256": digest, "role": role.value,
            "apps": list(apps)} | parts  # fmt: skip


@dataclass
class MemoryKeys:
    """``reads``: ids that were looked up; ``uses``: ids that were written down as used."""

    known: dict[str, ApiKey] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)
    error: Exception | None = None

    def key(self, key_id: str) -> ApiKey | None:
        if self.error is not None:
            raise self.error
        self.reads.append(key_id)
        return self.known.get(key_id)

    def used(self, key_id: str, now_ms: int) -> None:
        self.uses.append(key_id)


def doorkeeper(
    people: Sequence[Mapping[str, Any]] = (),
    keys: Sequence[Mapping[str, Any]] | None = None,
    stored: MemoryKeys | None = None,
    now: Callable[[], float] = lambda: NOW_MS / 1000,
    monotonic: Callable[[], float] = lambda: 0.0,
) -> Doorkeeper:
    """``keys``: by default one of each role, for all apps."""
    listed = [key_rule(role) for role in Role] if keys is None else list(keys)
    rules = AccessRules.model_validate({"people": list(people), "keys": listed})
    return Doorkeeper(
        stored or MemoryKeys(), lambda: rules, Proxies(networks_of("10.0.0.0/8")), ProxyHeaders(),
        now, monotonic,
    )  # fmt: skip


def routes_of(app: FastAPI) -> list[tuple[str, str]]:
    """(method, path as declared) of each."""
    return sorted(
        (method, route.path or "")
        for route in iter_route_contexts(app.routes)
        for method in (route.methods or {"GET"})
    )


def ask(
    app: FastAPI,
    method: str,
    path: str,
    token: str | None = None,
    client: str = STRANGER,
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    **parts: Any,
) -> httpx.Response:
    """``client``: the address that asks."""
    sent = [*(headers.items() if isinstance(headers, Mapping) else headers)]
    if token is not None:
        sent.append(("Authorization", f"Bearer {token}"))

    async def once() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(client, 1234))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as one:
            return await one.request(method, path, headers=sent, **parts)

    return LOOP.run_until_complete(once())


def person(email: str = "ann@example.org", groups: str = "shop") -> dict[str, str]:
    return {"X-Forwarded-Email": email, "X-Forwarded-User": "id-1", "X-Forwarded-Groups": groups}
