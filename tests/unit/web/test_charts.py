"""Plots: where their values stand, what they say in words, and that no word becomes markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from markupsafe import Markup

from service.web.charts import PAD, Plot, Point, Sign, bar, line, stack
from tests.unit.web.test_pages import HOSTILE


def drawn(svg: Markup) -> ElementTree.Element:
    assert isinstance(svg, Markup)
    return ElementTree.fromstring(svg)  # noqa: S314 - our own


def of(svg: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [part for part in svg.iter() if kind in part.get("class", "").split()]


def plot(*values: float | None, **parts: object) -> Plot:
    points = [Point(f"day {n}", value) for n, value in enumerate(values)]
    return Plot("p", "the title", "the description", points, **parts)  # type: ignore[arg-type]


def test_values_stand_at_their_height_in_their_slot() -> None:
    svg = drawn(line(plot(0.0, 0.5, 1.0, 0.25, height=100 + 2 * PAD)))
    dots = [(dot.get("cx"), dot.get("cy")) for dot in of(svg, "dot")]
    assert dots == [("12.5%", "106"), ("37.5%", "56"), ("62.5%", "6"), ("87.5%", "81")]
    assert [dot.get("cx") for dot in of(svg, "last")] == ["87.5%"]


def test_a_gap_is_not_drawn_over() -> None:
    svg = drawn(line(plot(1.0, 1.0, None, 1.0)))
    assert len(of(svg, "join")) == 1
    assert len(of(svg, "dot")) == 3
    assert len(of(svg, "day")) == 4


@pytest.mark.parametrize("values", [(), (None, None), (0.0, 0.0)])
def test_nothing_to_show_is_no_error(values: tuple[float | None, ...]) -> None:
    assert "NaN" not in line(plot(*values))


def test_a_plot_says_what_it_is() -> None:
    svg = drawn(line(plot(1.0)))
    ids = {part.get("id"): part.text for part in svg}
    named = (svg.get("aria-labelledby") or "").split()
    assert [ids[name] for name in named] == ["the title", "the description"]
    assert svg.get("role") == "img"
    assert [part.text for part in svg.iter("title")] == ["the title", "day 0"]


def test_one_day_of_few_answers_does_not_flatten_the_rest() -> None:
    few = Plot("p", "", "", [Point("", 0.02, 0.0, 0.9), Point("", 0.04, 0.03, 0.05)])
    assert few.highest == pytest.approx(0.08)
    tops = [float(part.get("y1") or 0) for part in of(drawn(line(few)), "interval")]
    assert tops[0] == PAD


def test_signs_stand_where_they_happened() -> None:
    svg = drawn(line(plot(1.0, 1.0, signs=[Sign(1, "release", "r2", "release r2")])))
    (sign,) = of(svg, "release")
    assert [part.get("x1") for part in sign.iter("line")] == ["75%"]
    assert [part.text for part in sign.iter("text")] == ["r2"]


def test_a_bar_is_as_long_as_its_value() -> None:
    svg = drawn(bar(0.05, 0.02, 0.3, 0.2, "5 %"))
    assert [part.get("width") for part in of(svg, "value")] == ["25%"]
    (whisker,) = of(svg, "whisker")
    assert (whisker.get("x1"), whisker.get("x2")) == ("10%", "100%")
    assert of(drawn(bar(0.0, None, None, 0.0, "")), "whisker") == []


def test_shares_fill_the_whole() -> None:
    svg = drawn(stack([("a", 1, "one"), ("b", 0, "none"), ("c", 3, "three")], "four"))
    assert [(part.get("x"), part.get("width")) for part in of(svg, "share")] == [
        ("0%", "25%"),
        ("25%", "75%"),
    ]


def test_a_strangers_text_stays_text() -> None:
    point, sign = Point(HOSTILE, 1.0, 0.5, 1.0), Sign(0, "release", HOSTILE, HOSTILE)
    shown = [
        line(Plot("p", HOSTILE, HOSTILE, [point], signs=[sign])),
        bar(1.0, 0.5, 1.0, 1.0, HOSTILE),
        stack([("a", 1, HOSTILE)], HOSTILE),
    ]
    for svg in map(drawn, shown):
        tags = {part.tag for part in svg.iter()}
        assert tags <= {"svg", "title", "desc", "g", "line", "circle", "rect", "text"}
        assert HOSTILE in "".join(svg.itertext())


def test_no_style_stands_in_a_plot() -> None:
    """The content policy would refuse it."""
    assert not re.search(r"\bstyle=|<style", line(plot(1.0, 2.0)) + bar(1, 0, 1, 1, ""))
