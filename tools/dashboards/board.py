"""What a dashboard looks like: its variables, annotations, links, and rows of panels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as model

from tools.dashboards.panels import DATASOURCE, Panel
from tools.dashboards.promql import APP, largest, series

TAG = "groundwatch"
WINDOWS = ("1h", "6h", "1d", "7d")
GROUNDWATCH_URL = "https://groundwatch.example.com"
RUNBOOK_URL = f"{GROUNDWATCH_URL}/runbooks"
"""Nobody's addresses, until somebody gives theirs: of the pages, and of runbooks.md."""


@dataclass(frozen=True)
class Row:
    title: str
    panels: Sequence[Panel]


@dataclass(frozen=True)
class Board:
    """``uid``: stands in people's bookmarks, so it never changes. ``per_app``: has the variables
    app and release; ``window``: of its lines, None where they follow the resolution."""

    uid: str
    title: str
    purpose: str
    rows: Sequence[Row]
    since: str
    refresh: str
    per_app: bool = True
    window: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Grafana's classic dashboard JSON."""
        built = json.loads(json.dumps(self._builder().build(), cls=JSONEncoder))
        for number, panel in enumerate(built["panels"], 1):
            # Else Grafana gives new ones at each import, and links to a panel break.
            panel["id"] = number
        built["annotations"] = {"list": _annotations(*((APP,) if self.per_app else ()))}
        return dict(built)

    def _builder(self) -> dashboard.Dashboard:
        board = (
            dashboard.Dashboard(self.title)
            .uid(self.uid)
            .description(self.purpose)
            .tags([TAG])
            .time(f"now-{self.since}", "now")
            .refresh(self.refresh)
            .timezone("browser")
            .tooltip(model.DashboardCursorSync.CROSSHAIR)
            .editable()
            .variables(list(self._variables()))
            .link(_other_dashboards())
            .link(_pages())
        )
        for row in self.rows:
            board = _with_row(board, row)
        return board

    def _variables(self) -> list[_Variable]:
        found: list[_Variable] = [
            dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"),
            _choice("namespace", "Installation", "label_values(groundwatch_build_info, namespace)"),
        ]
        if self.per_app:
            answers = 'groundwatch_answers_total{namespace=~"$namespace"}'
            of_app = 'groundwatch_answers_total{namespace=~"$namespace", app=~"$app"}'
            found.append(_choice("app", "App", f"label_values({answers}, app)"))
            found.append(_choice("release", "Release", f"label_values({of_app}, release)"))
        if self.window:
            found.append(_windows(self.window))
        found.append(
            dashboard.TextBoxVariable("groundwatch_url")
            .label("groundwatch")
            .description("Where its pages are: the links of panels and tables lead there.")
            .default_value(GROUNDWATCH_URL)
        )
        found.append(
            dashboard.TextBoxVariable("runbook_url")
            .label("Runbooks")
            .description("Where dashboards/runbooks.md is published.")
            .default_value(RUNBOOK_URL)
        )
        return found


_Variable = (
    dashboard.DatasourceVariable
    | dashboard.QueryVariable
    | dashboard.CustomVariable
    | dashboard.TextBoxVariable
)


def _choice(name: str, label: str, query: str) -> dashboard.QueryVariable:
    """Any of them, or all. All is ``.*``, which an absent label matches as well."""
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .datasource(DATASOURCE)
        .query(query)
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(".*")
        .current(model.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )


def _windows(chosen: str) -> dashboard.CustomVariable:
    return (
        dashboard.CustomVariable("window")
        .label("Window")
        .description("How much traffic each point of a line is made of.")
        .values(",".join(WINDOWS))
        .options([model.VariableOption(one == chosen, one, one) for one in WINDOWS])
        .current(model.VariableOption(True, chosen, chosen))
    )


def _other_dashboards() -> dashboard.DashboardLink:
    return (
        dashboard.DashboardLink("groundwatch dashboards")
        .type(model.DashboardLinkType.DASHBOARDS)
        .tags([TAG])
        .as_dropdown(True)
        .keep_time(True)
        .include_vars(True)
    )


def _pages() -> dashboard.DashboardLink:
    return (
        dashboard.DashboardLink("Review pages")
        .type(model.DashboardLinkType.LINK)
        .url("${groundwatch_url}/overview")
        .icon("external link")
        .tooltip("The answers behind these figures")
        .target_blank(True)
    )


def _with_row(board: dashboard.Dashboard, row: Row) -> dashboard.Dashboard:
    board = board.with_row(dashboard.Row(row.title))
    for panel in row.panels:
        board = board.with_panel(panel)
    return board


def _annotations(*chosen: str) -> list[dict[str, Any]]:
    """Of the apps that the matchers choose. The SDK knows no annotation by the value of a series,
    nor an annotation's texts."""
    seen = largest(series("release_first_seen_timestamp_seconds", *chosen), "app, release")
    rulesets = series("ruleset_info", *chosen)
    before = f"last_over_time({rulesets}[1d] offset 10m)"
    changed = (
        f"({largest(rulesets, 'app, ruleset')} unless {largest(before, 'app, ruleset')})"
        f" and on (app) {largest(before, 'app')}"
    )
    return [
        _annotation("Releases", "blue", f"{seen} * 1000", "{{app}}: release {{release}}", True),
        _annotation("Rulesets", "purple", changed, "{{app}}: other checks, {{ruleset}}", False),
    ]


def _annotation(name: str, colour: str, expression: str, text: str, by_value: bool) -> Any:
    """``by_value``: the series' value is the moment, in milliseconds since 1970."""
    return {
        "name": name,
        "datasource": json.loads(json.dumps(DATASOURCE, cls=JSONEncoder)),
        "enable": True,
        "hide": False,
        "iconColor": colour,
        "expr": expression,
        "step": "60s",
        "titleFormat": name,
        "textFormat": text,
        "tagKeys": "app",
        "useValueForTime": by_value,
    }
