"""The committed dashboards are those of the code, and keep what was promised of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from service.metrics import Metrics
from tests.unit.dashboards.boards import COMMITTED, NAME, ROOT, expressions, panels
from tools.dashboards.write import BOARDS, text_of

UIDS = {
    "operations": "groundwatch-operations",
    "answer-quality": "groundwatch-answer-quality",
    "review": "groundwatch-review",
    "application": "groundwatch-application",
}

everywhere = pytest.mark.parametrize("name", BOARDS)


@everywhere
def test_the_committed_json_is_what_the_code_writes(name: str) -> None:
    path = ROOT / "dashboards" / "grafana" / f"{name}.json"
    assert path.read_text(encoding="utf-8") == text_of(BOARDS[name]), "run `make dashboards`"


def test_there_is_nothing_else() -> None:
    assert COMMITTED.keys() == BOARDS.keys()


@everywhere
def test_it_can_be_bookmarked_imported_and_pointed_anywhere(name: str) -> None:
    board = COMMITTED[name]
    assert board["uid"] == UIDS[name]
    assert "groundwatch" in board["tags"]
    variables = {v["name"]: v for v in board["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    assert {"namespace", "groundwatch_url", "runbook_url"} <= variables.keys()
    assert all(
        t["datasource"]["uid"] == "${datasource}" for p in panels(board) for t in p["targets"]
    )
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)


@everywhere
def test_all_is_everything(name: str) -> None:
    for variable in COMMITTED[name]["templating"]["list"]:
        if variable.get("includeAll"):
            assert variable["multi"]
            assert variable["allValue"] == ".*"
            assert variable["current"]["value"] == ["$__all"]


@everywhere
def test_every_panel_says_what_it_shows_and_what_to_do(name: str) -> None:
    for panel in panels(COMMITTED[name]):
        shows, do = panel["description"].split("\n\n**What to do:** ")
        assert len(shows) > 10, panel["title"]
        assert len(do) > 10, panel["title"]
        assert panel["fieldConfig"]["defaults"].get("unit") or panel["type"] == "table"
        assert panel["fieldConfig"]["defaults"]["noValue"]


@everywhere
def test_panels_lie_on_the_grid_and_on_no_other(name: str) -> None:
    def area(panel: dict[str, Any]) -> set[tuple[int, int]]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24, panel["title"]
        columns = range(place["x"], place["x"] + place["w"])
        return {(x, y) for x in columns for y in range(place["y"], place["y"] + place["h"])}

    for one, other in combinations(COMMITTED[name]["panels"], 2):
        assert not area(one) & area(other), (one["title"], other["title"])


@everywhere
def test_rows_are_filled_to_the_edge(name: str) -> None:
    """A hole beside a panel looks like one that failed to load."""
    wide: dict[int, int] = {}
    for panel in COMMITTED[name]["panels"]:
        wide[panel["gridPos"]["y"]] = wide.get(panel["gridPos"]["y"], 0) + panel["gridPos"]["w"]
    assert {y: w for y, w in wide.items() if w != 24} == {}


@everywhere
def test_every_variable_that_is_used_exists(name: str) -> None:
    board = COMMITTED[name]
    known = {variable["name"] for variable in board["templating"]["list"]}
    known |= {"__all", "__data", "__field", "__from", "__to", "__range", "__rate_interval"}
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(board))) <= known


@everywhere
def test_counters_are_read_as_growth_and_summed_before_they_are_divided(name: str) -> None:
    counters = {d.name for d in Metrics().definitions if d.kind != "gauge"}
    for what, expression in expressions(COMMITTED[name]):
        for found in NAME.finditer(expression):
            metric = re.sub("_(bucket|sum|count)$", "", found.group())
            before = expression[: found.start()]
            if metric in counters or found.group() in counters:
                assert re.search(r"sum(?: by \([^)]*\))? ?\((?:rate|increase)\($", before), what


def _divisors(expression: str) -> Iterator[str]:
    """What stands in brackets after each division sign."""
    for division in re.finditer(r"/ (?:on \(\) group_left \(\) )?(?=\()", expression):
        depth, start = 0, division.end()
        for place in range(start, len(expression)):
            depth += {"(": 1, ")": -1}.get(expression[place], 0)
            if not depth:
                yield expression[start : place + 1]
                break


@everywhere
def test_no_share_is_told_of_nothing(name: str) -> None:
    """Each sum that is divided by is compared with 0 first: 0 / 0 is no rate of 0."""
    seen = 0
    for what, expression in expressions(COMMITTED[name]):
        # The interval that clusters: tests/integration/test_promql.py asks it of silence.
        if "citations_squared" not in expression:
            for divisor in _divisors(expression):
                seen += 1
                # Wilson's n + z² is never 0; its share is empty where n is.
                assert "> 0)" in divisor or "+ 3.84" in divisor, what
    assert seen or name == "review"


@pytest.mark.parametrize("name", ["operations", "application"])
def test_no_quantile_is_told_of_nothing(name: str) -> None:
    """NaN >= 0 is false: the panel says "no data" where it would say NaN."""
    quantiles = [e for _, e in expressions(COMMITTED[name]) if "histogram_quantile(" in e]
    assert len(quantiles) >= 5
    assert all(expression.endswith(") >= 0") for expression in quantiles)


def test_faithfulness_never_stands_without_context_sufficiency() -> None:
    told = 0
    for board in COMMITTED.values():
        for panel in panels(board):
            queries = " ".join(target["expr"] for target in panel["targets"])
            if re.search(r'(?:measure|rate)="faithfulness"', queries):
                told += 1
                assert re.search(r'measure="sufficient"|rate="context_sufficiency"', queries)
    assert told >= 3


def test_the_number_stands_with_its_companions_in_the_first_row() -> None:
    first = [p for p in COMMITTED["answer-quality"]["panels"] if p["gridPos"]["y"] == 1]
    queries = " ".join(target["expr"] for panel in first for target in panel["targets"])
    for part in ("answers_unresolved", "hours_without_data", "check_precision", "not_evaluated"):
        assert part in queries
    assert first[0]["title"] == "Answers with an unresolvable citation"


def test_the_books_come_first_on_operations() -> None:
    first = next(panels(COMMITTED["operations"]))
    assert "groundwatch_accounting_imbalance" in first["targets"][0]["expr"]


def _queries_of(name: str, title: str) -> list[str]:
    found = [panel for panel in panels(COMMITTED[name]) if panel["title"] == title]
    return [target["expr"] for panel in found for target in panel["targets"]]


def test_the_calls_of_a_minute_do_not_redden_the_days_budget() -> None:
    (query,) = _queries_of("operations", "Budget left")
    assert re.findall(r"judge_budget\w*{[^}]*}", query)
    for selector in re.findall(r"judge_budget\w*{[^}]*}", query):
        assert 'kind!="calls"' in selector


def test_empty_retrievals_are_a_share_of_the_answers_that_were_checked() -> None:
    queries = _queries_of("application", "Empty retrievals")
    assert len(queries) == 2
    for query in queries:
        assert 'status!="error"' in query.partition(" / ")[2]


RUNBOOKS = (ROOT / "dashboards" / "runbooks.md").read_text(encoding="utf-8")
ALERTS = {alert.lower() for alert in re.findall(r"^## (\w+)$", RUNBOOKS, re.MULTILINE)}


def _runbooks(board: dict[str, Any]) -> set[str]:
    urls = [link["url"] for panel in panels(board) for link in panel["links"]]
    return {url.partition("#")[2] for url in urls if url.startswith("${runbook_url}#")}


@everywhere
def test_links_lead_to_a_runbook_that_exists(name: str) -> None:
    assert _runbooks(COMMITTED[name]) - ALERTS == set()


def test_what_an_alert_speaks_of_is_on_a_panel_that_links_to_its_runbook() -> None:
    assert ALERTS - set().union(*map(_runbooks, COMMITTED.values())) == set()
