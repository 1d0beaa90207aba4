"""The JSON routes that read, the probes, and what every response carries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.events import RejectReason
from service.health import Health
from service.judging.judgement import (
    Assessment,
    Cause,
    Claim,
    Judgement,
    Quote,
    Relevance,
    Status,
    Verdict,
)
from service.web.assets import asset
from service.web.middleware import SECURITY_HEADERS
from tests.unit.web.world import EVENT, MemoryCases, MemoryTasks, World, books, case, task

ROOT = Path(__file__).resolve().parents[3]
SOURCES = "".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "service" / "web").glob("*.py"))
)
CASES = MemoryCases(
    case("high", app="shop", occurred_ms=1_796_000_000_000),
    case("low", severity="low", occurred_ms=1_796_000_000_000, reasons=("sign",)),
    case("done", status="resolved"),
)


def ids(world: World, query: str) -> list[str]:
    response = world.get(f"/v1/cases?{query}")
    assert response.status_code == 200, response.text
    return [row["case_id"] for row in response.json()["cases"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["high", "low"]),
        ("status=resolved", ["done"]),
        ("app=shop", ["high"]),
        ("app=shop&severity=low", []),
        ("reason=sign", ["low"]),
        ("check=numbers&severity=&release=", ["high", "low"]),
        ("check=quotes", []),
    ],
)
def test_filters_hold_together_and_open_is_the_default(query: str, expected: list[str]) -> None:
    assert ids(World(cases=CASES), query) == expected


def test_any_status_lists_them_all() -> None:
    assert set(ids(World(cases=CASES), "status=any")) == {"high", "low", "done"}


def test_pages_follow_their_cursor_to_the_end() -> None:
    world = World(cases=MemoryCases(*(case(f"c{number}") for number in range(5))))
    seen, cursor = [], ""
    while cursor is not None:
        page = world.get(f"/v1/cases?limit=2&cursor={cursor}").json()
        seen += [row["case_id"] for row in page["cases"]]
        cursor = page["next_cursor"]
    assert sorted(seen) == [f"c{number}" for number in range(5)]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=zebra", "limit"),
        ("severity=zebra", "severity"),
        ("status=withheld", "status"),
        ("cursor=zebra", "cursor"),
    ],
)
def test_an_invalid_parameter_is_named_and_not_repeated(query: str, field: str) -> None:
    response = World(cases=CASES).get(f"/v1/cases?{query}")
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["field"] == field
    assert "zebra" not in response.text


def test_a_case_is_read_in_full() -> None:
    body = World(cases=CASES).get("/v1/cases/high").json()
    assert body["event"] == EVENT
    assert [finding["surface"] for finding in body["findings"]] == ["54 €", "[pricing#seats]"]
    assert body["position"] == ["http", 0, 7]


def test_a_case_with_half_a_surrogate_pair_is_still_json() -> None:
    event = EVENT | {"answer": "54 € \ud800", "huge": 1 << 70}
    body = World(cases=MemoryCases(case(event=event))).get("/v1/cases/c1").json()
    assert body["event"]["answer"] == "54 € \ud800"
    assert body["event"]["huge"] == 1 << 70


def test_an_unknown_case_is_a_problem() -> None:
    response = World().get("/v1/cases/zebra")
    assert (response.status_code, response.json()["reason"]) == (404, "not_found")
    assert "zebra" not in response.text


def test_the_books_show_each_term_and_the_imbalance() -> None:
    body = World(books=books(received=10, checked=9)).get("/v1/books").json()
    records = next(row for row in body["equations"] if row["name"] == "records")
    assert body["balanced"] is False
    assert records["left"] == {"received": 10}
    assert records["right"] == {"checked": 9, "recorded": 0, "rejected": 0, "duplicate": 0}
    assert records["imbalance"] == 1
    assert body["partitions"][0]["counts"]["received"] == 10


@pytest.mark.parametrize("path", ["/v1/cases", "/v1/cases/high"])
def test_without_the_store_the_answer_is_503(path: str) -> None:
    cases = MemoryCases(case())
    cases.away = True
    response = World(cases=cases).get(path)
    assert (response.status_code, response.json()["reason"]) == (503, "outage")
    assert int(response.headers["retry-after"]) > 0


def test_healthz_follows_the_tick() -> None:
    now = [0.0]
    world = World(health=Health(clock=lambda: now[0]))
    now[0] = 30.0
    assert world.get("/healthz").status_code == 200
    now[0] = 30.1
    assert world.get("/healthz").status_code == 503
    world.health.tick()
    assert world.get("/healthz").json()["alive"] is True


def test_readyz_says_what_is_missing() -> None:
    world = World(health=Health(expects=("redis",)))
    assert world.get("/readyz").status_code == 503
    world.health.set("redis", True)
    assert world.get("/readyz").json() == {
        "ready": True,
        "checks": {"redis": {"ok": True, "detail": ""}},
    }
    world.health.set("halted", False, "store_lost: run rebuild")
    response = world.get("/readyz")
    assert (response.status_code, response.json()["ready"]) == (503, False)
    assert response.json()["checks"]["halted"]["detail"] == "store_lost: run rebuild"


def test_metrics_count_requests_by_route_and_need_no_store() -> None:
    world = World()
    world.cases.away = True
    world.metrics.set_books(books(received=10, checked=9))
    assert world.get("/cases/a-strangers-path").status_code == 503
    assert world.get("/a-strangers-path").status_code == 404
    text = world.get("/metrics").text
    assert 'groundwatch_accounting_imbalance{equation="records"} 1.0' in text
    assert re.search(r'requests_total\{code="5xx",route="/cases/\{case_id\}"\} 1.0', text)
    assert re.search(r'requests_total\{code="4xx",route="unmatched"\} 1.0', text)
    assert "stranger" not in text


@pytest.mark.parametrize(
    "path", ["/queue", "/v1/cases", "/metrics", "/static/groundwatch.css", "/nothing", "/books"]
)
def test_every_response_is_locked_down(path: str) -> None:
    headers = World().get(path).headers
    assert (
        SECURITY_HEADERS.items() <= {name: headers.get(name) for name in SECURITY_HEADERS}.items()
    )
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


def test_the_openapi_describes_the_contract_and_resolves() -> None:
    world = World()
    schema = world.get("/openapi.json").json()
    schemas = schema["components"]["schemas"]
    for name in re.findall(r'"#/components/schemas/([^"]+)"', world.get("/openapi.json").text):
        assert name in schemas
    assert schemas["AnswerEvent"]["required"] == ["event_id", "query", "retrieved", "answer"]
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            assert operation["summary"], path
    assert "HTTPValidationError" not in str(schema["paths"]["/v1/answers"])


@pytest.mark.parametrize("path", ["/", "/queue", "/cases/high", "/tasks", "/tasks/t1", "/books"])
def test_pages_answer_to_head_as_to_get(path: str) -> None:
    world = World(cases=CASES, tasks=MemoryTasks(task()))
    head, get = world.request("HEAD", path), world.get(path)
    assert head.status_code == get.status_code < 400
    told = {name: value for name, value in get.headers.items() if name != "set-cookie"}
    assert {name: head.headers[name] for name in told} == told


def test_the_example_of_a_case_is_true() -> None:
    schema = World().get("/openapi.json").json()
    response = schema["paths"]["/v1/cases/{case_id}"]["get"]["responses"]["200"]
    example = response["content"]["application/json"]["example"]
    event, judgement = example["event"], example["judgement"]
    (claim,) = judgement["assessment"]["claims"]
    (quote,) = claim["evidence"]
    assert claim["text"] in event["answer"][claim["start"] : claim["end"]]
    text = event["retrieved"][0]["text"]
    assert text[quote["start"] : quote["end"]] == quote["quote"]
    assert set(judgement) <= set(Judgement.__slots__)
    assert set(judgement["assessment"]) <= set(Assessment.__slots__)
    assert set(claim) == set(Claim.__slots__)


def test_the_guide_names_every_part_of_a_judgement() -> None:
    guide = (ROOT / "docs" / "http-api.md").read_text(encoding="utf-8")
    for part in (Judgement, Assessment, Claim, Quote):
        for name in part.__slots__:
            assert f"`{name}`" in guide, name
    for word in (*Verdict, *Cause, *Relevance, *Status):
        assert f"`{word.value}`" in guide, word


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_no_page_of_a_third_party(path: str) -> None:
    assert World().get(path).status_code == 404


def test_a_file_is_kept_for_ever_under_the_address_of_its_content_alone() -> None:
    world = World()
    text = world.get("/queue").text
    assert f'href="{asset("groundwatch.css")}"' in text
    assert "/static/groundwatch.css?v=" in asset("groundwatch.css")
    control = {
        path: world.get(path).headers["cache-control"]
        for path in (asset("groundwatch.css"), "/static/groundwatch.css",
                     "/static/groundwatch.css?v=of-another-release", "/queue")
    }  # fmt: skip
    assert list(control.values()) == [
        "public, max-age=31536000, immutable", "no-cache", "no-cache", "no-store"
    ]  # fmt: skip


def test_the_static_folder_is_no_way_out() -> None:
    assert World().get("/static/..%2fapp.py").status_code == 404
    assert World().get("/static/").status_code == 404


def test_the_guide_names_every_route_and_every_reason() -> None:
    guide = (ROOT / "docs" / "http-api.md").read_text(encoding="utf-8")
    schema = World().get("/openapi.json").json()
    for path in schema["paths"]:
        assert f"{path}`" in guide, path
    for parameter in schema["paths"]["/v1/cases"]["get"]["parameters"]:
        assert f"`{parameter['name']}`" in guide
    named = re.findall(r'Problem\(\s*\d+,\s*"(\w+)"', SOURCES)
    assert len(named) > 5
    for reason in {*named, *(reason.value for reason in RejectReason)}:
        assert f"`{reason}`" in guide, reason
