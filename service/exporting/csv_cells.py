"""Cells that a spreadsheet shows and never runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

_FORMULA = re.compile(r"(?:\A|(?<=[;\t\r\n]))(?=[ \u00a0\"]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])")
"""Where a spreadsheet would begin to read a formula: a cell's start, and after what some
installations split at (OWASP, CSV Injection). Full-width signs count: some fold them."""


def csv_line(cells: Iterable[str]) -> str:
    """Every cell quoted, a ``'`` before each beginning of a formula; NUL, which ends a text for
    some readers, is left out."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="").writerow(map(_inert, cells))
    return out.getvalue()


def _inert(cell: str) -> str:
    return _FORMULA.sub("'", cell.replace("\0", ""))
