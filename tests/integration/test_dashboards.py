"""No panel lies empty: every query of every dashboard, asked of a real Prometheus that scraped a
real groundwatch under the demo's traffic with faults in it."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.integration.site import Site, go_through_everything, running_site
from tests.servers import unavailable
from tests.servers.prometheus import PrometheusMissing, Sample, program
from tests.unit.dashboards.boards import COMMITTED, panels

# The site is built within the first test that asks for it.
pytestmark = pytest.mark.timeout(300)

WEEK_S = 7 * 86_400
SUBSTITUTES = {
    # Wide: on a busy machine, minutes go by between the last answer and the last question.
    "$__rate_interval": "5m",
    "$__range": "20m",
    "$window": "5m",
    "$namespace": ".*",
    "$app": ".*",
    "$release": ".*",
}
STEP_S = 2.0
COUNTED = (
    'citation_sums_total{app="support-assistant",release="r0",measure="answers"}',
    'citation_sums_total{app="support-assistant",release="r0",measure="answers_unresolved"}',
    *(
        f'check_results_total{{app="support-assistant",release="r0",check="{check}",'
        f'outcome="{outcome}"}}'
        for check in ("numbers", "citation_coverage")
        for outcome in ("pass", "fail")
    ),
    *(
        f'answer_kinds_total{{app="support-assistant",release="r0",kind="{kind}"}}'
        for kind in ("answer", "no_answer")
    ),
)


def history(now: int) -> str:
    """Traffic of ten minutes a week ago, and a ruleset that was in force until a while ago."""
    said = []
    for family in sorted({sample.partition("{")[0] for sample in COUNTED}):
        said.append(f"# TYPE groundwatch_{family.removesuffix('_total')} counter")
        for sample in COUNTED:
            if sample.startswith(family):
                said += [
                    f"groundwatch_{sample} {n} {now - WEEK_S - 300 + 15 * n}" for n in range(60)
                ]
    said.append("# TYPE groundwatch_ruleset_info gauge")
    for ago in range(3600, 700, -60):
        labels = 'app="support-assistant",ruleset="an-older-one"'
        said.append(f"groundwatch_ruleset_info{{{labels}}} 1 {now - ago}")
    return "\n".join([*said, "# EOF\n"])


@pytest.fixture(scope="module")
def site(topic_facts, kafka_bootstrap, redis_url, tmp_path_factory) -> Iterator[Site]:
    try:
        program("prometheus")
    except PrometheusMissing as error:
        unavailable(str(error))
    folder = tmp_path_factory.mktemp("site")
    past = history(int(time.time()))
    with running_site(topic_facts, kafka_bootstrap, redis_url, folder, history=past) as running:
        go_through_everything(running)
        yield running


def substituted(expression: str) -> str:
    for variable, value in SUBSTITUTES.items():
        expression = expression.replace(variable, value)
    assert "$" not in expression, expression
    return expression


def answers(site: Site, target: dict[str, Any]) -> list[Sample]:
    expression = substituted(target["expr"])
    if target["instant"]:
        return site.prometheus.query(expression)
    return site.prometheus.query_range(expression, site.since, time.time(), STEP_S)


def faults(site: Site, panel: dict[str, Any]) -> Iterator[str]:
    for target in panel["targets"]:
        name = f"{panel['title']} / {target['legendFormat']}"
        samples = [sample for sample in answers(site, target) if sample.says_something()]
        if not samples:
            yield f"{name}: no data: {substituted(target['expr'])}"
        told = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        for sample in samples:
            if missing := told - sample.labels.keys():
                yield f"{name}: no label {missing}"
            if panel["fieldConfig"]["defaults"].get("unit") == "percentunit":
                numbers = [value for _, value in sample.points if not math.isnan(value)]
                if min(numbers) < -0.001 or max(numbers) > 1.001:
                    yield f"{name}: no share: {sample}"


@pytest.mark.parametrize("name", COMMITTED)
def test_every_panel_of_the_dashboard_shows_data(site: Site, name: str) -> None:
    found = [fault for panel in panels(COMMITTED[name]) for fault in faults(site, panel)]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("name", COMMITTED)
def test_releases_and_rulesets_are_marked(site: Site, name: str) -> None:
    for annotation in COMMITTED[name]["annotations"]["list"]:
        expression = substituted(annotation["expr"])
        samples = site.prometheus.query_range(expression, site.since, time.time(), STEP_S)
        assert samples, annotation["name"]
        assert {"app"} < samples[0].labels.keys()
        if annotation["useValueForTime"]:
            moments = {round((time.time() - sample.value / 1000) / 3600) for sample in samples}
            assert 0 in moments
            assert 5 in moments


@pytest.mark.parametrize("name", COMMITTED)
def test_variables_offer_what_there_is(site: Site, name: str) -> None:
    for variable in COMMITTED[name]["templating"]["list"]:
        asked = re.fullmatch(r"label_values\((.+), (\w+)\)", str(variable["query"]))
        if asked and variable["name"] != "namespace":
            offered = site.prometheus.label_values(asked[2], substituted(asked[1]))
            assert len(offered) >= 2


@pytest.mark.parametrize("name", COMMITTED)
def test_links_lead_to_pages_that_exist(site: Site, name: str) -> None:
    found = set(re.findall(r'"\$\{groundwatch_url\}(/[^"]*)', json.dumps(COMMITTED[name])))
    assert found
    for link in found:
        path = link.replace("${__from:date:seconds}", str(int(site.since) - 3600))
        path = path.replace("${__to:date:seconds}", str(int(time.time())))
        path = re.sub(r"\$\{__(?:data.fields|field.labels).app\S*?}", "support-assistant", path)
        path = re.sub(r"\$\{__data.fields.release\S*?}", "2026-11-29.2", path)
        path = re.sub(r"\$\{__data.fields.check\S*?}", "citations", path)
        path = re.sub(r"\$\{__data.fields.reason\S*?}", "unknown_ref", path)
        assert "$" not in path
        assert httpx.get(f"{site.pages}{path}", timeout=20).status_code == 200, path
