"""Knowledge gaps as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from service.exporting.csv_cells import csv_line
from service.questions import Why
from service.review.gaps import Gap

COLUMNS = ("app", "query", "questions", *(why.value for why in Why), "first_ms", "last_ms")


def gap_row(gap: Gap) -> dict[str, Any]:
    return {
        "app": gap.app,
        "query": gap.query,
        "questions": gap.questions,
        "wordings": gap.some_wordings,
        "why": dict(gap.why),
        "languages": dict(gap.languages),
        "first_ms": gap.first_ms,
        "last_ms": gap.last_ms,
    }


def json_lines(gaps: Iterable[Gap]) -> Iterator[str]:
    return (orjson.dumps(gap_row(gap)).decode() for gap in gaps)


def csv_lines(gaps: Iterable[Gap]) -> Iterator[str]:
    """With a head. What a spreadsheet would take for a formula is made text."""
    yield csv_line(COLUMNS)
    for gap in gaps:
        row = gap_row(gap)
        cells = [row["app"], row["query"], row["questions"], *(gap.why[why] for why in Why),
                 gap.first_ms, gap.last_ms]  # fmt: skip
        yield csv_line(map(str, cells))
