"""What a panel looks like: one figure, lines over time, or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    BigValueTextMode,
    GraphDrawStyle,
    GraphTresholdsStyleMode,
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
    TooltipDisplayMode,
    VizOrientation,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from service.thresholds import thresholds

DATASOURCE = model.DataSourceRef(type_val="prometheus", uid="${datasource}")
PAGES = "${groundwatch_url}"
RUNBOOKS = "${runbook_url}"
GREEN, AMBER, RED, BLUE = "green", "orange", "red", "blue"
NO_DATA = "no data"

Panel = stat.Panel | timeseries.Panel | table.Panel
_Kind = TypeVar("_Kind", stat.Panel, timeseries.Panel, table.Panel)
Steps = tuple[tuple[float | None, str], ...]
PLAIN: Steps = ((None, BLUE),)
ANY_IS_BAD: Steps = ((None, GREEN), (1, RED))
ALL_SHOULD_BE: Steps = ((None, RED), (1, GREEN))


@dataclass(frozen=True)
class Query:
    """``legend``: of a line, or the title of a table's column (with the column's ``unit``)."""

    expression: str
    legend: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Words:
    """What every panel says of itself. ``alerts``: which speak of the same (without their prefix):
    links to their runbooks; ``page``: where in groundwatch to go on, an address without the host.
    """

    title: str
    shows: str
    do: str
    alerts: tuple[str, ...] = ()
    page: str = ""

    @property
    def description(self) -> str:
        return f"{self.shows}\n\n**What to do:** {self.do}"

    @property
    def links(self) -> list[dashboard.DashboardLink]:
        found = [
            _link(f"Runbook: {alert}", f"{RUNBOOKS}#groundwatch{alert.lower()}")
            for alert in self.alerts
        ]
        if self.page:
            found.append(_link("groundwatch", f"{PAGES}{self.page}"))
        return found


def above(*names: str) -> Steps:
    """Green below the first of these thresholds (service/thresholds.yaml), amber from the first,
    red from the last on."""
    values = [thresholds().by_name()[name].value for name in names]
    colours = [AMBER, RED][-len(values) :]
    return ((None, GREEN), *zip(values, colours, strict=True))


def below(name: str) -> Steps:
    """Red below it."""
    return ((None, RED), (thresholds().by_name()[name].value, GREEN))


def figure(
    words: Words,
    *queries: Query,
    unit: str = "short",
    steps: Steps = PLAIN,
    width: int = 4,
    decimals: int | None = None,
    nothing: str = NO_DATA,
) -> Panel:
    """One figure, or a few beside each other, as of the end of the time range. ``nothing``: what it
    says when there is none."""
    panel = (
        stat.Panel()
        .unit(unit)
        .thresholds(_thresholds(steps))
        .color_mode(BigValueColorMode.VALUE)
        .graph_mode(BigValueGraphMode.NONE)
        .text_mode(BigValueTextMode.VALUE_AND_NAME if len(queries) > 1 else BigValueTextMode.VALUE)
        .orientation(VizOrientation.VERTICAL if len(queries) > 1 else VizOrientation.AUTO)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
        .no_value(nothing)
    )
    if decimals is not None:
        panel = panel.decimals(decimals)
    for target in _targets(queries, instant=True):
        panel = panel.with_target(target)
    return _placed(panel, words, width, 5)


def lines(
    words: Words,
    *queries: Query,
    unit: str = "short",
    steps: Steps | None = None,
    width: int = 8,
    stacked: bool = False,
    share: bool = False,
    band: tuple[str, str] | None = None,
    nothing: str = NO_DATA,
    link: str = "",
) -> Panel:
    """Over time. ``steps``: drawn as lines across; ``stacked``: as bars that add up, with ``share``
    to 100 %; ``band``: the legends of low and high, drawn as the area between; ``link``: of each
    line, an address in groundwatch."""
    panel = (
        timeseries.Panel()
        .unit(unit)
        .axis_soft_min(0)
        .fill_opacity(70 if stacked else 0)
        .line_width(0 if stacked else 1)
        .draw_style(GraphDrawStyle.BARS if stacked else GraphDrawStyle.LINE)
        # A gap is a gap: nothing was measured then.
        .span_nulls(False)
        .no_value(nothing)
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI))
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
            .calcs([])
        )
    )
    if stacked:
        mode = StackingMode.PERCENT if share else StackingMode.NORMAL
        panel = panel.stacking(common.StackingConfig().mode(mode).group("A"))
    if steps:
        style = common.GraphThresholdsStyleConfig().mode(GraphTresholdsStyleMode.DASHED)
        panel = panel.thresholds(_thresholds(steps)).thresholds_style(style)
    if band:
        low, high = band
        area = [_set("custom.fillBelowTo", low), _set("custom.fillOpacity", 12)]
        panel = panel.override_by_name(high, [*area, *_FAINT])
        panel = panel.override_by_name(low, list(_FAINT))
    if link:
        panel = panel.data_links([_link("groundwatch", f"{PAGES}{link}")])
    for target in _targets(queries, instant=False):
        panel = panel.with_target(target)
    return _placed(panel, words, width, 8)


def rows(
    words: Words,
    keys: Sequence[str],
    *columns: Query,
    steps: dict[str, Steps] | None = None,
    links: dict[str, str] | None = None,
    sort: str = "",
    width: int = 24,
    height: int = 8,
) -> Panel:
    """A table with one row for each set of ``keys`` (labels), one column a query. ``steps``: of
    columns; ``links``: of columns or keys, addresses in groundwatch; ``sort``: falling by it."""
    panel = table.Panel().no_value(NO_DATA).show_header(True)
    names = {f"Value #{_letter(n)}": column.legend for n, column in enumerate(columns)}
    if len(columns) == 1:
        names = {"Value": columns[0].legend}
    order = {name: place for place, name in enumerate((*keys, *names))}
    panel = panel.with_transformation(model.DataTransformerConfig(id_val="merge", options={}))
    panel = panel.with_transformation(
        model.DataTransformerConfig(
            id_val="organize",
            options={
                "excludeByName": {"Time": True},
                "indexByName": order,
                "renameByName": names,
            },
        )
    )
    for column in columns:
        panel = panel.override_by_name(
            column.legend,
            [_set("unit", column.unit or "short"), *_coloured((steps or {}).get(column.legend))],
        )
    for name, address in (links or {}).items():
        link = {"title": "groundwatch", "url": f"{PAGES}{address}", "targetBlank": True}
        panel = panel.override_by_name(name, [_set("links", [link])])
    if sort:
        panel = panel.sort_by([common.TableSortByFieldState().display_name(sort).desc(True)])
    for target in _targets(columns, instant=True, table_form=True):
        panel = panel.with_target(target)
    return _placed(panel, words, width, height)


def _targets(
    queries: Sequence[Query], *, instant: bool, table_form: bool = False
) -> list[prometheus.Dataquery]:
    return [
        _target(query, _letter(n), instant=instant, table_form=table_form)
        for n, query in enumerate(queries)
    ]


def _target(query: Query, letter: str, *, instant: bool, table_form: bool) -> prometheus.Dataquery:
    target = (
        prometheus.Dataquery()
        .datasource(DATASOURCE)
        .expr(query.expression)
        .legend_format(query.legend or "__auto")
        .ref_id(letter)
        .format(PromQueryFormat.TABLE if table_form else PromQueryFormat.TIME_SERIES)
    )
    return target.instant() if instant else target.range()


def _placed(panel: _Kind, words: Words, width: int, height: int) -> _Kind:
    return (
        panel.title(words.title)
        .description(words.description)
        .datasource(DATASOURCE)
        .links(list(words.links))
        .span(width)
        .height(height)
    )


def _thresholds(steps: Steps) -> dashboard.ThresholdsConfig:
    return (
        dashboard.ThresholdsConfig()
        .mode(model.ThresholdsMode.ABSOLUTE)
        .steps([model.Threshold(value=value, color=colour) for value, colour in steps])
    )


def _coloured(steps: Steps | None) -> list[model.DynamicConfigValue]:
    if not steps:
        return []
    config = _thresholds(steps).build()
    return [
        _set("thresholds", config),
        _set("custom.cellOptions", {"type": "color-text"}),
    ]


def _link(title: str, url: str) -> dashboard.DashboardLink:
    return (
        dashboard.DashboardLink(title)
        .type(model.DashboardLinkType.LINK)
        .url(url)
        .target_blank(True)
    )


def _letter(n: int) -> str:
    return chr(ord("A") + n)


def _set(name: str, value: object) -> model.DynamicConfigValue:
    return model.DynamicConfigValue(id_val=name, value=value)


_FAINT = (_set("custom.lineWidth", 0), _set("color", {"mode": "fixed", "fixedColor": BLUE}))
