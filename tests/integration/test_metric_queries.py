"""Every example query of docs/metrics.md, asked of promtool."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from service.metrics import Metrics
from tests.servers import unavailable
from tests.servers.prometheus import PrometheusMissing, promtool


def check_rules(queries: dict[str, str], folder: Path) -> tuple[int, str]:
    """Exit code and output of ``promtool check rules`` over a rule for each."""
    rules = [
        {"record": f"example:{name}", "expr": query} for name, query in sorted(queries.items())
    ]
    path = folder / "examples.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "examples", "rules": rules}]}))
    try:
        done = promtool("check", "rules", path)
    except PrometheusMissing as missing:
        unavailable(str(missing))
    return done.returncode, done.stdout + done.stderr


def test_every_example_query_is_valid(tmp_path: Path) -> None:
    queries = {definition.name: definition.query for definition in Metrics().definitions}
    code, output = check_rules(queries, tmp_path)
    assert code == 0, output
    assert f"{len(queries)} rules found" in output


@pytest.mark.parametrize("query", ["sum by (app) (rate(groundwatch_x[5m])", "rate(groundwatch_x)"])
def test_a_query_that_is_none_is_found(query: str, tmp_path: Path) -> None:
    assert check_rules({"broken": query}, tmp_path)[0] != 0
