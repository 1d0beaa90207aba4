"""The report of an evaluation as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from service.estimates.wilson import wilson
from service.evaluation.scores import Accuracy, Score, Tally
from service.evaluation.scoring import Evaluation, Wrong


def render(evaluation: Evaluation, quiet: bool) -> str:
    """The report as text. ``quiet`` leaves the wrong lines out; the last lines are one of totals a
    check, after one for each of its labels and measures."""
    blocks: list[str] = []
    if not quiet and evaluation.wrong:
        blocks.append("\n".join(["wrong lines", *map(_wrong_row, evaluation.wrong)]))
    values = evaluation.values
    blocks += [
        _table(title, head, rows)
        for title, head, rows in (
            ("kind", _TALLY_HEAD, _rows(evaluation.kinds, _tally_cells)),
            ("language", _TALLY_HEAD, _rows(evaluation.languages, _tally_cells)),
            ("kind", _ACCURACY_HEAD, _rows(values.kinds, _accuracy_cells)),
            ("language", _ACCURACY_HEAD, _rows(values.languages, _accuracy_cells)),
        )
        if rows
    ]
    if evaluation.unnamed:
        blocks.append(f"lines that name no check, not scored: {evaluation.unnamed}")
    width = max([10, *map(len, evaluation.checks), *map(len, values.checks)])
    totals = [_accuracy_line(row.ljust(width), one) for row, one in sorted(values.checks.items())]
    totals += [_totals(row.ljust(width), one) for row, one in sorted(evaluation.checks.items())]
    blocks.append("\n".join(totals) if totals else "nothing to score: no labelled line")
    return "\n\n".join(blocks)


def _wrong_row(wrong: Wrong) -> str:
    cells = [wrong.id, wrong.kind, f"{wrong.fault:<7}", wrong.surface, wrong.detail]
    return "  " + "  ".join(_one_line(cell) for cell in cells if cell)


def _one_line(text: str) -> str:
    """Labelled text is text from outside: no control character of it reaches the terminal."""
    return "".join(char if char.isprintable() else "·" for char in text)[:240]


_TALLY_HEAD = "lines     tp    fp    fn  precision  recall      F1"
_ACCURACY_HEAD = "lines  right  total  accuracy"

_Row = tuple[str, str, str]
"""A check, a kind or a language, and the other cells."""


def _rows(scores: Mapping[tuple[str, str], Score], cells: Callable[[Score], str]) -> list[_Row]:
    return [
        (check, _one_line(name), cells(score)) for (check, name), score in sorted(scores.items())
    ]


def _table(title: str, head: str, rows: Sequence[_Row]) -> str:
    width = max(len(title), *(len(name) for _, name, _ in rows))
    checks = max(10, *(len(check) for check, _, _ in rows))
    lines = [
        f"  {check:<{checks}} {name:<{width}}  {cells}"
        for check, name, cells in (("check", title, head), *rows)
    ]
    return "\n".join([f"by {title}", *lines])


def _tally_cells(tally: Tally) -> str:
    return (
        f"{tally.lines:>5}  {tally.tp:>5} {tally.fp:>5} {tally.fn:>5}  "
        f"{_share(tally.precision):>9}  {_share(tally.recall):>6}  {_share(tally.f1):>6}"
    )


def _accuracy_cells(values: Accuracy) -> str:
    return (
        f"{values.lines:>5}  {values.right:>5}  {values.total:>5}  "
        f"{_share(values.accuracy):>8} {_interval(wilson(values.right, values.total))}"
    )


def _totals(check: str, tally: Tally) -> str:
    precision = wilson(tally.tp, tally.tp + tally.fp)
    recall = wilson(tally.tp, tally.tp + tally.fn)
    line = (
        f"{check} precision {_share(tally.precision)} {_interval(precision)}  "
        f"recall {_share(tally.recall)} {_interval(recall)}  F1 {_share(tally.f1)}  "
        f"tp {tally.tp} fp {tally.fp} fn {tally.fn}  lines {tally.lines}"
    )
    if tally.unscored:
        line += f"  not scored {tally.unscored}"
    return line + _skipped(tally)


def _accuracy_line(row: str, values: Accuracy) -> str:
    interval = _interval(wilson(values.right, values.total))
    line = f"{row} accuracy {_share(values.accuracy)} {interval}  right {values.right} "
    return line + f"of {values.total}  lines {values.lines}" + _skipped(values)


def _skipped(score: Tally | Accuracy) -> str:
    return f"  not evaluated {score.skipped}" if score.skipped else ""


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"


def _interval(bounds: tuple[float, float]) -> str:
    return f"[{bounds[0]:.2f},{bounds[1]:.2f}]"
