"""Knowledge gaps on their page and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.world import event
from tests.unit.web.reviewed import Reviewed

NO_ANSWER = "I could not find anything about that in the documents."
HOSTILE = "<script>alert(1)</script> who pays?"


@pytest.fixture
def world() -> Iterator[Reviewed]:
    made = Reviewed()
    made.now_s += 60
    yield made
    made.close()


def test_gaps_are_told_with_counts_and_wordings(world: Reviewed) -> None:
    world.store.take([
        event("a", query="Can I pay by invoice?", answer=NO_ANSWER),
        event("b", query="can I pay by invoice", answer=NO_ANSWER, retrieved=[]),
        event("c", query=HOSTILE, answer=NO_ANSWER, app="sales"),
    ])  # fmt: skip
    page = world.get("/gaps").text
    assert "3 questions" in page
    assert "other wordings" in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    body = world.get("/v1/gaps?limit=1").json()
    assert (body["total"], body["questions"], len(body["gaps"])) == (2, 3, 1)
    assert body["gaps"][0]["why"] == {"abstained": 2, "empty": 1}
    assert world.get("/v1/gaps?app=sales").json()["questions"] == 1
    assert "Can I pay" not in world.get("/gaps?app=sales&days=7").text


def test_without_any_it_says_so(world: Reviewed) -> None:
    assert "No unserved question" in world.get("/gaps").text
    assert (
        "Keine unbediente Frage"
        in world.ask("GET", "/gaps", headers={"Accept-Language": "de"}).text
    )
    assert world.get("/v1/gaps?days=31").status_code == 422


def test_the_overview_leads_there(world: Reviewed) -> None:
    world.store.take([event("a")])
    assert 'href="/gaps"' in world.get("/overview").text
