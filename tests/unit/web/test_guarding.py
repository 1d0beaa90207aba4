"""Who may write through the JSON API, and in which form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import httpx
import pytest

from service.web.guarding import MAX_BYTES, own_origins
from tests.unit.web.reviewed import ANN, Reviewed, case_path

JSON = "application/json"


@pytest.fixture(scope="module")
def world() -> Iterator[Reviewed]:
    made = Reviewed(a="x")
    yield made
    made.close()


def claim(
    world: Reviewed,
    headers: Mapping[str, str | bytes],
    content: bytes = b"{}",
    client: str = "127.0.0.1",
) -> httpx.Response:
    """Beside those of a good claim, ``headers``."""
    named = {"X-Reviewer": ANN, "Content-Type": JSON} | dict(headers)
    return world.request("POST", f"{case_path('a')}/lease", client, content=content, headers=named)


def reason(response: httpx.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    return response.status_code, response.json()["reason"]


@pytest.mark.parametrize(
    ("url", "own", "foreign"),
    [
        ("http://127.0.0.1:8321", "http://localhost:8321", "http://127.0.0.1:8322"),
        ("http://0.0.0.0:8321", "http://127.0.0.1:8321", "https://127.0.0.1:8321"),
        ("http://[::1]:8321", "http://[::1]:8321", "http://[::2]:8321"),
        ("https://watch.example.org", "https://watch.example.org", "https://localhost"),
        ("http://watch.example.org:80", "http://watch.example.org", "null"),
    ],
)
def test_the_servers_own_pages_have_its_origin(url: str, own: str, foreign: str) -> None:
    assert own in own_origins(url)
    assert foreign not in own_origins(url)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        # A name of a stranger's that leads here: the browser takes it for the same site.
        {"Origin": "http://evil.example:8321", "Host": "evil.example:8321",
         "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)  # fmt: skip
def test_a_page_of_another_site_writes_nothing(world: Reviewed, headers: dict[str, str]) -> None:
    assert reason(claim(world, headers)) == (403, "cross_site")
    assert world.desk.holders([f"case:{case_path('a').rpartition('/')[2]}"]) == {}
    deleted = world.request(
        "DELETE", f"{case_path('a')}/lease",
        headers=headers,
    )  # fmt: skip
    assert reason(deleted) == (403, "cross_site")


@pytest.mark.parametrize(
    ("headers", "content", "status", "why"),
    [
        ({"Content-Type": "text/plain"}, b"{}", 415, "unsupported_media_type"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=b", 415,
         "unsupported_media_type"),
        ({"Content-Type": ""}, b"", 415, "unsupported_media_type"),
        ({}, b"", 400, "invalid_json"),
        ({}, b"{zebra", 400, "invalid_json"),
        ({}, b"[" * 5000, 400, "invalid_json"),
        ({}, b'{"a":"\\ud800"}', 400, "invalid_json"),
        ({}, b'"' + b"z" * MAX_BYTES + b'"', 413, "too_large"),
        ({"Content-Length": str(MAX_BYTES + 1)}, b"", 413, "too_large"),
        ({}, b"[]", 422, "parameter"),
        ({"X-Reviewer": ""}, b"{}", 422, "parameter"),
        ({"X-Reviewer": " \t "}, b"{}", 422, "parameter"),
        ({"X-Reviewer": "z" * 101}, b"{}", 422, "parameter"),
    ],
)  # fmt: skip
def test_a_write_of_another_form_is_refused(
    world: Reviewed, headers: dict[str, str], content: bytes, status: int, why: str
) -> None:
    response = claim(world, headers, content)
    assert reason(response) == (status, why)
    assert "zebra" not in response.text


def test_a_name_is_only_taken_from_this_machine(world: Reviewed) -> None:
    assert reason(claim(world, {}, client="203.0.113.7")) == (403, "forbidden")
    assert reason(claim(world, {}, client="somebody")) == (403, "forbidden")
    read = world.request(
        "GET", f"{case_path('a')}/label", "203.0.113.7", headers={"X-Reviewer": ANN}
    )
    assert reason(read) == (403, "forbidden")
    assert world.request("GET", f"{case_path('a')}/label", "203.0.113.7").status_code == 200


@pytest.mark.parametrize(
    ("sent", "known"),
    [
        ("  Ann   Ö. ".encode(), "Ann Ö."),
        ("Ann Ö.".encode("latin-1"), "Ann Ö."),
        ("Ann\u202egro".encode(), "Ann\ufffdgro"),
    ],
)
def test_a_name_is_kept_as_it_can_be_shown(sent: bytes, known: str) -> None:
    world = Reviewed(a="x")
    own: dict[str, str | bytes] = {
        "Origin": "http://localhost:8321",
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "Application/JSON; charset=utf-8",
    }
    claimed = claim(world, own | {"X-Reviewer": sent})
    assert (claimed.status_code, claimed.json()["reviewer"]) == (200, known)
    world.close()
