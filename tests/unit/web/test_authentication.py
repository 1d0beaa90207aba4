"""Who is let in: machines by their keys, people by a proxy's word, nobody else."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from service.access.api_keys import parts_of
from service.access.roles import ALL, Grant, Role
from service.outage import Outage
from service.store.api_keys import make_key
from service.web.authentication import FAILURES_A_MINUTE
from service.web.needs import NEEDS
from tests.unit.web.callers import (
    PROXY,
    STRANGER,
    TOKENS,
    MemoryKeys,
    ask,
    doorkeeper,
    key_rule,
    person,
)
from tests.unit.web.people import Person
from tests.unit.web.world import NOW_MS, MemoryCases, World, case

SHOP = [
    {"group": "shop", "role": "reviewer", "apps": ["*"]},
    {"user": "id-2", "role": "viewer", "apps": ["*"]},
]


def reason(response) -> tuple[int, str]:
    return response.status_code, response.json()["reason"]


# Machines.


def test_a_stored_key_opens_by_one_read_and_is_noted_once_a_minute() -> None:
    key, token = make_key("bot", Role.VIEWER, ALL, NOW_MS)
    stored, now = MemoryKeys({key.key_id: key}), [NOW_MS / 1000]
    world = World(authenticate=doorkeeper(stored=stored, now=lambda: now[0]))
    assert ask(world.app, "GET", "/v1/cases", token).status_code == 200
    assert (stored.reads, stored.uses) == ([key.key_id], [key.key_id])
    now[0] += 59
    ask(world.app, "GET", "/v1/cases", token)
    assert len(stored.uses) == 1
    now[0] += 1
    ask(world.app, "GET", "/v1/cases", token)
    assert len(stored.uses) == 2
    assert token not in repr(key)


@pytest.mark.parametrize(
    "token",
    ["gw_", "gw_0", "gw_" + "0" * 12 + "_" + "t" * 43, "gw_" + "f" * 12 + "_" + "s" * 43,
     TOKENS[Role.ADMIN] + "x", TOKENS[Role.ADMIN][:-1]],
)  # fmt: skip
def test_a_wrong_key_is_refused_and_not_repeated(token: str) -> None:
    world = World(authenticate=doorkeeper())
    with capture_logs() as logs:
        response = ask(world.app, "GET", "/v1/cases", token)
    assert reason(response) == (401, "key_refused")
    assert response.headers["www-authenticate"] == "Bearer"
    assert "content-security-policy" in response.headers
    assert [(one["event"], one["why"], one["address"]) for one in logs] == [
        ("key_refused", "unknown", STRANGER)
    ]
    assert "ssss" not in str(logs) + response.text


def test_what_became_of_a_key_is_told_to_who_has_it() -> None:
    key, token = make_key("bot", Role.VIEWER, ALL, NOW_MS, expires_ms=NOW_MS + 1000)
    stored = MemoryKeys({key.key_id: key})
    now = [NOW_MS / 1000]
    world = World(authenticate=doorkeeper(stored=stored, now=lambda: now[0]))
    assert ask(world.app, "GET", "/v1/cases", token).status_code == 200
    now[0] += 1
    assert "expired" in ask(world.app, "GET", "/v1/cases", token).json()["detail"]
    parts = parts_of(token)
    assert parts is not None
    guessed = f"gw_{parts[0]}_{'g' * 43}"
    assert "expired" not in ask(world.app, "GET", "/v1/cases", guessed).text


def test_refused_keys_of_one_address_are_soon_not_looked_at() -> None:
    now, stored = [0.0], MemoryKeys()
    world = World(authenticate=doorkeeper(stored=stored, monotonic=lambda: now[0]))
    wrong, right = "gw_" + "0" * 12 + "_" + "t" * 43, TOKENS[Role.VIEWER]
    stored.known = {}
    for _ in range(FAILURES_A_MINUTE):
        assert reason(ask(world.app, "GET", "/v1/cases", wrong)) == (401, "key_refused")
    blocked = ask(world.app, "GET", "/v1/cases", wrong)
    assert reason(blocked) == (429, "too_many_failures")
    assert int(blocked.headers["retry-after"]) == 6
    reads = len(stored.reads)
    assert ask(world.app, "GET", "/v1/cases", right).status_code == 429
    assert len(stored.reads) == reads
    assert ask(world.app, "GET", "/v1/cases", right, client="203.0.113.10").status_code == 200
    # Whoever a proxy of ours passes on counts by his own address, whatever he writes before it.
    behind = {"X-Forwarded-For": f"{STRANGER}, 198.51.100.1"}
    passed = ask(world.app, "GET", "/v1/cases", right, client=PROXY, headers=behind)
    assert passed.status_code == 200
    now[0] += 6
    assert ask(world.app, "GET", "/v1/cases", right).status_code == 200


def test_while_the_keys_cannot_be_read_nobody_is_taken_for_a_stranger() -> None:
    world = World(authenticate=doorkeeper(stored=MemoryKeys(error=Outage("away"))))
    unknown = "gw_" + "f" * 12 + "_" + "s" * 43
    response = ask(world.app, "GET", "/v1/cases", unknown)
    assert reason(response) == (503, "outage")
    assert "retry-after" in response.headers


def test_what_a_key_sends_is_bounded_by_the_minute() -> None:
    world = World(authenticate=doorkeeper())
    options = type(world.options)(sends_per_minute=2)
    world = World(authenticate=doorkeeper(), options=options)

    def send(token: str):
        return ask(world.app, "POST", "/v1/answers", token, json={"event_id": "e"})

    assert [send(TOKENS[Role.SENDER]).status_code for _ in range(2)] == [200, 200]
    flooded = send(TOKENS[Role.SENDER])
    assert reason(flooded) == (429, "too_many_requests")
    assert flooded.headers["retry-after"] == "30"
    assert flooded.headers["content-type"] == "application/problem+json"
    assert send(TOKENS[Role.ADMIN]).status_code == 200
    assert len(world.intake.taken) == 3


# People.


def test_a_listed_proxy_says_who_a_person_is() -> None:
    world = World(cases=MemoryCases(case("c1")), authenticate=doorkeeper(SHOP))
    page = ask(world.app, "GET", "/cases/c1", client=PROXY, headers=person())
    assert page.status_code == 200
    assert "you: ann@example.org" in page.text
    assert "/review/name" not in page.text
    assert world.desk.holders(["case:c1"])["case:c1"].reviewer == "ann@example.org"
    claimed = ask(world.app, "POST", "/v1/cases/c1/lease", client=PROXY, headers=person(), json={})
    assert claimed.json()["reviewer"] == "ann@example.org"
    other = person() | {"X-Reviewer": "bob@example.org"}
    posed = ask(world.app, "POST", "/v1/cases/c1/lease", client=PROXY, headers=other, json={})
    assert reason(posed) == (403, "forbidden")


def test_the_headers_of_anybody_else_are_ignored_and_that_is_said_once() -> None:
    world = World(authenticate=doorkeeper(SHOP))
    with capture_logs() as logs:
        for _ in range(2):
            response = ask(world.app, "GET", "/v1/cases", headers=person())
            assert reason(response) == (401, "unauthenticated")
    assert [one["event"] for one in logs] == ["proxy_headers_ignored"]
    assert "ann@example.org" not in str(logs)
    assert "GROUNDWATCH_TRUSTED_PROXIES" in logs[0]["mend"]


@pytest.mark.parametrize(
    ("headers", "status", "why"),
    [
        (person(groups="others"), 403, "no_rule"),
        (person(groups=""), 403, "no_rule"),
        ({}, 401, "unauthenticated"),
        ({"X-Forwarded-Groups": "shop"}, 401, "unauthenticated"),
        (person(email="a" * 101), 401, "unauthenticated"),
        ([*person().items(), ("X-Forwarded-Groups", "shop")], 401, "unauthenticated"),
        ([*person(groups="none").items(), ("x-forwarded-email", "boss@example.org")], 401,
         "unauthenticated"),
    ],
)  # fmt: skip
def test_whom_the_proxy_does_not_say_plainly_stays_out(headers, status: int, why: str) -> None:
    world = World(authenticate=doorkeeper(SHOP))
    response = ask(world.app, "GET", "/v1/cases", client=PROXY, headers=headers)
    assert reason(response) == (status, why)
    page = ask(world.app, "GET", "/queue", client=PROXY, headers=headers)
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")


def test_a_viewer_reads_and_claims_nothing() -> None:
    world = World(cases=MemoryCases(case("c1")), authenticate=doorkeeper(SHOP))
    viewer = {"X-Forwarded-User": "id-2"}
    page = ask(world.app, "GET", "/cases/c1", client=PROXY, headers=viewer)
    assert page.status_code == 200
    assert "You may read here, and not label." in page.text
    assert world.desk.holders(["case:c1"]) == {}
    assert "/review/next" not in ask(world.app, "GET", "/queue", client=PROXY, headers=viewer).text
    refused = ask(world.app, "GET", "/review/next", client=PROXY, headers=viewer)
    assert refused.status_code == 403
    assert "Your role may read" in refused.text


def test_a_link_on_another_site_claims_nothing_for_who_is_signed_in() -> None:
    world = World(cases=MemoryCases(case("c1")), authenticate=doorkeeper(SHOP))
    from_there = person() | {"Sec-Fetch-Site": "cross-site"}
    page = ask(world.app, "GET", "/cases/c1", client=PROXY, headers=from_there)
    assert "go on here" in page.text
    assert world.desk.holders(["case:c1"]) == {}
    asked = ask(world.app, "GET", "/review/next", client=PROXY, headers=from_there)
    assert asked.status_code == 303
    named = ask(world.app, "GET", asked.headers["location"], client=PROXY, headers=from_there)
    assert named.status_code == 200
    assert "go on here" in named.text
    again = ask(world.app, "GET", asked.headers["location"], client=PROXY, headers=person())
    assert again.headers["location"] == "/review/next"


# Beside the door.


def test_no_other_site_writes_in_the_name_of_who_is_signed_in() -> None:
    world = World(cases=MemoryCases(case("c1")), authenticate=doorkeeper(SHOP))
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):  # fmt: skip
        for path, _ in ((path, need) for path, need in NEEDS.items() if not need.is_open):
            sent = person() | headers
            for method in ("POST", "PUT", "DELETE"):
                filled = path.replace("{", "").replace("}", "")
                refused = ask(world.app, method, filled, client=PROXY, headers=sent)
                assert refused.status_code == 403, (method, path, refused.status_code)
    by_key = ask(world.app, "POST", "/v1/cases/c1/lease", TOKENS[Role.REVIEWER],
                 headers={"Origin": "https://evil.example"}, json={})  # fmt: skip
    assert by_key.status_code == 200


def test_a_strange_host_is_refused_where_no_key_is_shown() -> None:
    options = type(World().options)(allowed_hosts=frozenset({"127.0.0.1", "[::1]"}))
    world = World(options=options, authenticate=doorkeeper(SHOP))

    def status(host: str, token: str | None = None) -> int:
        headers = [("Host", host), *person().items()]
        return ask(world.app, "GET", "/v1/cases", token, PROXY, headers).status_code

    assert [status(host) for host in ("127.0.0.1", "127.0.0.1:9", "[::1]:8321")] == [200] * 3
    for strange in ("evil.example", "evil.example:8321", "127.0.0.1.evil.example", "[::1", ""):
        assert status(strange) == 421, strange
    assert status("evil.example", TOKENS[Role.VIEWER]) == 200
    assert ask(world.app, "GET", "/healthz", headers={"Host": "10.4.5.6:8321"}).status_code == 200
    assert World().get("/v1/cases").status_code == 200


def test_metrics_are_for_who_may_see_every_app_unless_they_are_open() -> None:
    keys = [key_rule(Role.VIEWER), key_rule(Role.REVIEWER, ["shop"]), key_rule(Role.SENDER)]
    world = World(authenticate=doorkeeper(keys=keys))
    asked = {
        role: ask(world.app, "GET", "/metrics", TOKENS[role]).status_code
        for role in (Role.VIEWER, Role.REVIEWER, Role.SENDER)
    }
    assert asked == {Role.VIEWER: 200, Role.REVIEWER: 403, Role.SENDER: 403}
    assert ask(world.app, "GET", "/metrics").status_code == 401
    opened = World(options=type(world.options)(metrics_open=True), authenticate=doorkeeper())
    assert ask(opened.app, "GET", "/metrics").status_code == 200


def test_where_nobody_is_asked_a_person_still_says_a_name() -> None:
    world = World(cases=MemoryCases(case("c1")))
    ann = Person(world)
    ann.open("/cases/c1")
    assert "you: ann" in ann.text
    assert 'href="/review/name' in ann.text


def test_a_grant_of_some_apps_is_told_no_books() -> None:
    some = [key_rule(Role.VIEWER, ["shop"])]
    world = World(authenticate=doorkeeper(keys=some))
    token = TOKENS[Role.VIEWER]
    assert reason(ask(world.app, "GET", "/v1/books", token)) == (403, "every_app")
    for path in ("/queue", "/overview", "/tasks"):
        page = ask(world.app, "GET", path, token)
        assert page.status_code == 200
        assert "/books" not in page.text, path
    assert Grant.of(["shop"]).covers("shop")
