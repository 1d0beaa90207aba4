"""The intervals that dashboards work out in PromQL are those of the pages."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import pytest

from service.estimates.rates import Sums, clustered
from service.estimates.wilson import wilson
from tests.servers import unavailable
from tests.servers.prometheus import Prometheus, PrometheusMissing, program
from tools.dashboards import promql
from tools.dashboards.answer_quality import UNRESOLVED

Cited = Sequence[tuple[int, int]]
"""Of each answer: its citations, and how many of them led nowhere."""

TRAFFIC: Mapping[str, Cited] = {
    "none-unresolved": [(3, 0)] * 40,
    "all-unresolved": [(2, 2)] * 12,
    "one-each": [(1, 0)] * 70 + [(1, 1)] * 7,
    "together": [(5, 0)] * 30 + [(5, 5)] * 4 + [(2, 1)] * 3,
    "some-of-many": [(1, 0)] * 500 + [(4, 1)] * 20 + [(6, 3)] * 9 + [(2, 2)] * 6,
    "single-answer": [(4, 1)],
}
APART: Mapping[str, Cited] = {
    "one-of-four-in-each": [(4, 1)] * 25,
    "two-answers": [(4, 1), (3, 0)],
}
"""Bad citations stand together less often than by chance."""
WINDOW_S, STEP_S = 600, 60


def sums_of(cited: Cited) -> Sums:
    return Sums(
        len(cited),
        sum(x for _, x in cited),
        sum(m for m, _ in cited),
        sum(x * x for _, x in cited),
        sum(x * m for m, x in cited),
        sum(m * m for m, _ in cited),
    )


def measures(cited: Cited) -> dict[str, int]:
    sums = sums_of(cited)
    return {
        "answers": sums.answers,
        "answers_unresolved": sum(x > 0 for _, x in cited),
        "citations": sums.m,
        "unresolved": sums.x,
        "citations_squared": sums.mm,
        "unresolved_squared": sums.xx,
        "citations_times_unresolved": sums.xm,
    }


def counted(traffic: Mapping[str, Cited], end: int) -> str:
    """All of it in the middle of a window whose edges are scrapes, so nothing is extrapolated."""
    lines = ["# TYPE groundwatch_citation_sums counter"]
    for app, cited in traffic.items():
        for measure, value in measures(cited).items():
            labels = f'app="{app}",release="r",measure="{measure}"'
            for at in range(end - WINDOW_S, end + 1, STEP_S):
                now = value if at >= end - WINDOW_S / 2 else 0
                lines.append(f"groundwatch_citation_sums_total{{{labels}}} {now} {at}")
    return "\n".join([*lines, "# EOF\n"])


def told_of(cited: Cited) -> tuple[float, float]:
    """The interval that the pages tell."""
    estimate = clustered(sums_of(cited)).estimate
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


class Asked:
    """A Prometheus that saw the traffic, as of then."""

    def __init__(self, prometheus: Prometheus, at: int) -> None:
        self._prometheus = prometheus
        self._at = at

    def by_app(self, expression: str) -> dict[str, float]:
        for variable, value in {"$__range": f"{WINDOW_S}s", "$window": f"{WINDOW_S}s"}.items():
            expression = expression.replace(variable, value)
        for variable in ("$namespace", "$app", "$release"):
            expression = expression.replace(variable, ".*")
        samples = self._prometheus.query(expression, at=self._at)
        return {sample.labels["app"]: sample.value for sample in samples}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    try:
        program("prometheus")
    except PrometheusMissing as error:
        unavailable(str(error))
    end = int(time.time()) - 3600
    server = Prometheus(tmp_path_factory.mktemp("prometheus"))
    server.backfill(counted({**TRAFFIC, **APART, "silent": []}, end))
    server.start()
    yield Asked(server, end)
    server.stop()


def test_per_answer(asked: Asked) -> None:
    shares = asked.by_app(UNRESOLVED.share("app"))
    low, high = map(asked.by_app, UNRESOLVED.interval("app"))
    for app, cited in TRAFFIC.items():
        hits = measures(cited)["answers_unresolved"]
        assert shares[app] == pytest.approx(hits / len(cited))
        assert (low[app], high[app]) == pytest.approx(wilson(hits, len(cited)), abs=1e-6)


def test_per_citation(asked: Asked) -> None:
    shares, low, high = map(asked.by_app, promql.clustered("app"))
    for app, cited in TRAFFIC.items():
        sums = sums_of(cited)
        assert shares[app] == pytest.approx(sums.x / sums.m)
        assert (low[app], high[app]) == pytest.approx(told_of(cited), abs=1e-6), app


def test_the_citations_of_an_answer_are_not_independent(asked: Asked) -> None:
    _, low, high = map(asked.by_app, promql.clustered("app"))
    sums = sums_of(TRAFFIC["together"])
    naive = wilson(sums.x, sums.m)
    assert high["together"] - low["together"] > 1.5 * (naive[1] - naive[0])


def test_where_they_are_less_alike_than_chance_the_panel_is_the_more_careful(asked: Asked) -> None:
    _, low, high = map(asked.by_app, promql.clustered("app"))
    for app, cited in APART.items():
        told_low, told_high = told_of(cited)
        assert low[app] <= told_low + 1e-6
        assert high[app] >= told_high - 1e-6


def test_without_traffic_there_is_no_figure(asked: Asked) -> None:
    expressions = (
        UNRESOLVED.share("app"),
        *UNRESOLVED.interval("app"),
        *promql.clustered("app"),
    )
    for expression in expressions:
        assert "silent" not in asked.by_app(expression)
