"""Plots as SVG, drawn on the server. Pure: values in, markup out; colours are the style sheet's.

Places across are in percent and places down in pixels, so that a plot takes any width and its words
keep their size. Each has a title and a description, and each day says its value to a pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markupsafe import Markup, escape

PAD = 6
"""Pixels above the highest value and below 0, so that no dot is cut."""


@dataclass(frozen=True, slots=True)
class Point:
    """``label``: what the pointer is told; ``value``: None where there are no data; ``low``,
    ``high``: its interval, None without one."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that happened at point ``index``: ``kind`` names its class, ``text`` stands at its
    head, ``label`` is what the pointer is told."""

    index: int
    kind: str
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Plot:
    """``ident``: unique on its page; ``top``: the value at the upper edge, at least; ``height``: in
    pixels."""

    ident: str
    title: str
    description: str
    points: Sequence[Point]
    height: int = 48
    top: float = 0.0
    signs: Sequence[Sign] = field(default_factory=tuple)

    @property
    def highest(self) -> float:
        """Of all values; of the intervals no more than twice the highest of these, or one day of
        few answers would flatten the rest."""
        values = [point.value for point in self.points if point.value is not None]
        reach = [point.high for point in self.points if point.high is not None]
        most = max(values, default=0.0)
        return max(self.top, most, min(max(reach, default=0.0), 2 * most)) or 1.0


def line(plot: Plot) -> Markup:
    """Values from left to right, joined where no data are missing between them."""
    highest = plot.highest
    parts = [
        *_signs(plot),
        *_intervals(plot, highest),
        *_joins(plot, highest),
        *_dots(plot, highest),
    ]
    return _svg(plot.ident, plot.title, plot.description, plot.height, "plot line", parts)


def bar(value: float, low: float | None, high: float | None, top: float, label: str) -> Markup:
    """One value from the left, with its interval as a whisker. ``top``: at the right edge."""
    wide = _across(value, top)
    parts = [
        Markup('<rect class="track" x="0" y="3" width="100%" height="10"/>'),
        Markup('<rect class="value" x="0" y="3" width="{}%" height="10"/>').format(wide),
    ]
    if low is not None and high is not None:
        parts.append(
            Markup('<line class="whisker" x1="{}%" x2="{}%" y1="8" y2="8"/>').format(
                _across(low, top), _across(high, top)
            )
        )
    return _svg("", label, "", 16, "plot bar", parts)


def stack(parts: Sequence[tuple[str, int, str]], label: str) -> Markup:
    """Shares of a whole, side by side. ``parts``: (class, number, what the pointer is told)."""
    whole = sum(number for _, number, _ in parts)
    drawn, start = [], 0.0
    for kind, number, told in parts:
        if number:
            wide = 100 * number / whole
            drawn.append(
                Markup(
                    '<g><title>{}</title><rect class="share {}" x="{}%" y="1" width="{}%" '
                    'height="14"/></g>'
                ).format(told, kind, _number(start), _number(wide))
            )
            start += wide
    return _svg("", label, "", 16, "plot stack", drawn)


def columns(counts: Sequence[int], label: str, labels: Callable[[int, int], str]) -> Markup:
    """A histogram of equal bins. ``labels``: number of a bin and its count → what the pointer is
    told."""
    most, wide = max(counts, default=0) or 1, 100 / max(1, len(counts))
    drawn = []
    for index, count in enumerate(counts):
        high = _COLUMN * count / most
        drawn.append(
            Markup(
                '<g><title>{}</title><rect class="value" x="{}%" y="{}" width="{}%" height="{}"/>'
                "</g>"
            ).format(
                labels(index, count), _number(index * wide), _number(_COLUMN - high),
                _number(wide * 0.9), _number(high),
            )
        )  # fmt: skip
    return _svg("", label, "", _COLUMN, "plot columns", drawn)


_COLUMN = 40
"""Pixels of the highest column."""


def _svg(
    ident: str, title: str, description: str, height: int, kind: str, parts: Sequence[str]
) -> Markup:
    named = f' aria-labelledby="{escape(ident)}-title {escape(ident)}-told"' if ident else ""
    heads = (f' id="{escape(ident)}-title"', f' id="{escape(ident)}-told"') if ident else ("", "")
    # Only our own constants and escaped words: see the tests with a stranger's text.
    return Markup(  # noqa: S704 (what is not ours is escaped)
        f'<svg class="{kind}" role="img"{named} width="100%" height="{height}">'
        f"<title{heads[0]}>{escape(title)}</title>"
        f"{f'<desc{heads[1]}>{escape(description)}</desc>' if ident else ''}"
        f"{''.join(parts)}</svg>"
    )


def _x(plot: Plot, index: int) -> str:
    """Percent: each point in the middle of its own slot."""
    return _number(100 * (index + 0.5) / max(1, len(plot.points)))


def _y(plot: Plot, highest: float, value: float) -> str:
    """Pixels from above. ``highest``: of the plot, worked out once for all its points."""
    inside = plot.height - 2 * PAD
    return _number(PAD + inside * (1 - min(1.0, value / highest)))


def _across(value: float, top: float) -> str:
    return _number(100 * min(1.0, value / top) if top else 0.0)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _signs(plot: Plot) -> Iterator[Markup]:
    for sign in plot.signs:
        x = _x(plot, sign.index)
        yield Markup(
            '<g class="sign {}"><title>{}</title><line x1="{}%" x2="{}%" y1="0" y2="{}"/>'
            '<text x="{}%" y="11" dx="3">{}</text></g>'
        ).format(sign.kind, sign.label, x, x, plot.height, x, sign.text)


# A page of groups draws thousands of these, so they are plain f-strings: all but the labels are
# numbers and words of our own.


def _intervals(plot: Plot, highest: float) -> Iterator[str]:
    for index, point in enumerate(plot.points):
        if point.value is not None and point.low is not None and point.high is not None:
            x = _x(plot, index)
            high, low = _y(plot, highest, point.high), _y(plot, highest, point.low)
            yield f'<line class="interval" x1="{x}%" x2="{x}%" y1="{high}" y2="{low}"/>'


def _joins(plot: Plot, highest: float) -> Iterator[str]:
    for (left, here), (right, there) in pairwise(enumerate(plot.points)):
        if here.value is not None and there.value is not None:
            y1, y2 = _y(plot, highest, here.value), _y(plot, highest, there.value)
            x1, x2 = _x(plot, left), _x(plot, right)
            yield f'<line class="join" x1="{x1}%" y1="{y1}" x2="{x2}%" y2="{y2}"/>'


def _dots(plot: Plot, highest: float) -> Iterator[str]:
    last = max((i for i, point in enumerate(plot.points) if point.value is not None), default=-1)
    wide = _number(100 / max(1, len(plot.points)))
    for index, point in enumerate(plot.points):
        left, dot = _number(100 * index / max(1, len(plot.points))), ""
        if point.value is not None:
            kind, radius = ("dot last", "3.5") if index == last else ("dot", "1.5")
            x, y = _x(plot, index), _y(plot, highest, point.value)
            dot = f'<circle class="{kind}" cx="{x}%" cy="{y}" r="{radius}"/>'
        yield (
            f'<g class="day"><title>{escape(point.label)}</title><rect x="{left}%" y="0" '
            f'width="{wide}%" height="{plot.height}"/>{dot}</g>'
        )
