"""Who may do what, asked in one place before anything answers: the caller, the role that the route
needs, and that no other site's page writes in somebody's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, cast

from fastapi import FastAPI, Request, Response
from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp, Receive, Scope, Send

from service.outage import Outage
from service.web.allowances import Allowances
from service.web.authentication import Authenticate
from service.web.caller import CALLER, NOBODY, Caller, Way
from service.web.guarding import own_origins, refuse_other_sites
from service.web.needs import NEEDS, OPEN, SIGNED_IN, Need
from service.web.options import WebOptions
from service.web.problems import Problem

READS = ("GET", "HEAD")
INGESTION = ("/v1/answers", "/v1/feedback")


class _Address(NamedTuple):
    """``path``: as the route was declared; ``methods``: empty for every one."""

    pattern: re.Pattern[str]
    methods: frozenset[str]
    path: str


class Admission:
    """Middleware. ``routes_of``: the app whose routes are asked for."""

    def __init__(
        self,
        app: ASGIApp,
        routes_of: FastAPI,
        authenticate: Authenticate,
        options: WebOptions,
        monotonic: Callable[[], float],
    ) -> None:
        self._app = app
        self._routes_of = routes_of
        self._authenticate = authenticate
        self._own = own_origins(options.public_url) | own_origins(options.address)
        self._hosts = options.allowed_hosts
        self._sends = Allowances(options.sends_per_minute, monotonic)
        self._opened = {"/metrics": OPEN} if options.metrics_open else {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            admitted = await self._admitted(request)
        except (Problem, Outage) as error:
            response = await _refusal(request, error)
            await response(scope, receive, send)
            return
        token = CALLER.set(admitted)
        try:
            await self._app(scope, receive, send)
        finally:
            CALLER.reset(token)

    async def _admitted(self, request: Request) -> Caller:
        path = self._path_of(request)
        need = SIGNED_IN if path is None else self._need_of(path)
        if need.is_open:
            return NOBODY
        caller = await self._authenticate(request)
        if caller.way is not Way.KEY:  # a key is not sent by a browser of its own accord
            self._refuse_strange_hosts(request)
            if request.method not in READS:
                refuse_other_sites(request, self._own)
        _refuse_role(caller, need, request.method in READS)
        if path in INGESTION:
            self._refuse_flood(caller)
        return caller

    def _need_of(self, path: str) -> Need:
        return self._opened.get(path) or NEEDS.get(path) or _CLOSED

    def _path_of(self, request: Request) -> str | None:
        """Of the route that will answer, as it was declared; None where none will."""
        path, method = request.scope["path"], request.method
        for address in self._addresses:
            takes = not address.methods or method in address.methods
            if takes and address.pattern.match(path):
                return address.path
        return None

    @cached_property
    def _addresses(self) -> list[_Address]:
        return [
            _Address(route.path_regex, frozenset(route.methods or ()), route.path or "")
            for route in iter_route_contexts(self._routes_of.routes)
        ]

    def _refuse_strange_hosts(self, request: Request) -> None:
        """A stranger's name can be made to lead here, and its pages then count as ours."""
        if self._hosts is None:
            return
        if _name_of(request.headers.get("host", "")) not in self._hosts:
            detail = (
                "nobody calls this server by that name; GROUNDWATCH_ALLOWED_HOSTS lists more names"
            )
            raise Problem(421, "host", detail)

    def _refuse_flood(self, caller: Caller) -> None:
        wait_s = self._sends.take(caller.key_id) if caller.way is Way.KEY else 0
        if wait_s:
            detail = "this key sends more requests than GROUNDWATCH_SENDS_PER_MINUTE allows"
            raise Problem(429, "too_many_requests", detail, headers={"Retry-After": str(wait_s)})


def _name_of(host: str) -> str:
    """Without its port."""
    name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    return name.lower()


_CLOSED = Need(frozenset(), frozenset())


def _refuse_role(caller: Caller, need: Need, reads: bool) -> None:
    if caller.role not in (need.read if reads else need.write):
        role = "" if caller.role is None else caller.role.value
        raise Problem(403, "role", f"the role {role} may not do this")
    if need.every_app and not caller.grant.everything:
        raise Problem(403, "every_app", "this tells of all apps, and you may see some of them")


async def _refusal(request: Request, error: Problem | Outage) -> Response:
    """As the app answers an error that one of its routes raises."""
    app = cast(FastAPI, request.scope["app"])
    kind = Problem if isinstance(error, Problem) else Outage
    response: Response = await app.exception_handlers[kind](request, error)  # type: ignore[misc]  # ours are async
    return response
