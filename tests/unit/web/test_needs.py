"""Every route stands in the table of what it needs, and asks for that and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from service.access.roles import Role
from service.web.needs import NEEDS
from tests.unit.web.callers import TOKENS, ask, doorkeeper, key_rule, routes_of
from tests.unit.web.tenants import Tenants
from tests.unit.web.world import World

OPEN = {"/healthz", "/readyz", "/static"}
SENDING = {("POST", "/v1/answers"), ("POST", "/v1/feedback")}
HARMLESS = {("POST", "/try")}
"""Writes nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[Tenants]:
    """With every route that there is, and a key of each role for all apps."""
    made = Tenants(keys=[key_rule(role) for role in Role])
    yield made
    made.close()


def refused(site: Tenants, method: str, path: str, token: str | None) -> str | None:
    """Why, where it was the door that refused."""
    filled = re.sub(r"{\w+}", "x", path) + ("/x" if path == "/static" else "")
    response = ask(site.app, method, filled, token)
    if response.status_code not in (401, 403):
        return None
    problem = response.headers["content-type"] == "application/problem+json" and response.text
    return str(response.json()["reason"]) if problem else str(response.status_code)


def test_the_table_has_each_route_and_no_other(site: Tenants) -> None:
    assert {path for _, path in routes_of(site.app)} == set(NEEDS)


def expected(role: Role, method: str, path: str) -> bool:
    """What a role may do, told another way than by the table."""
    reads = method in ("GET", "HEAD") and not path.startswith("/review/")
    if (method, path) in SENDING or path in ("/v1/answers", "/v1/feedback"):
        return role in (Role.SENDER, Role.ADMIN)
    if role is Role.SENDER:
        return False
    if role is Role.VIEWER:
        only_post = path in ("/v1/cases/next", "/v1/tasks/next")
        return (reads and not only_post) or (method, path) in HARMLESS
    return True


@pytest.mark.parametrize("role", Role)
def test_each_role_may_do_its_own(site: Tenants, role: Role) -> None:
    for method, path in routes_of(site.app):
        if path in OPEN:
            continue
        why = refused(site, method, path, TOKENS[role])
        if expected(role, method, path):
            assert why not in ("role", "403", "401"), (method, path, why)
        else:
            assert why in ("role", "403"), (method, path, why)


def test_a_stranger_may_do_nothing_but_ask_whether_we_live(site: Tenants) -> None:
    for method, path in routes_of(site.app):
        why = refused(site, method, path, None)
        assert (why is None) is (path in OPEN), (method, path, why)


def test_a_stranger_does_not_learn_which_addresses_there_are(site: Tenants) -> None:
    assert ask(site.app, "GET", "/nothing/here").status_code == 401
    assert ask(site.app, "DELETE", "/v1/cases").status_code == 401
    assert ask(site.app, "GET", "/nothing/here", TOKENS[Role.VIEWER]).status_code == 404
    assert ask(site.app, "DELETE", "/v1/cases", TOKENS[Role.VIEWER]).status_code == 405


def test_a_route_without_a_row_opens_to_nobody() -> None:
    world = World(authenticate=doorkeeper())
    world.app.add_api_route("/forgotten", lambda: "secret", methods=["GET"])
    response = ask(world.app, "GET", "/forgotten", TOKENS[Role.ADMIN])
    assert response.status_code == 403
    assert "secret" not in response.text
