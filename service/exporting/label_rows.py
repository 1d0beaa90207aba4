"""The labels themselves, with what they are to be weighted and read by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import orjson

from service.exporting.answers import LabelledAnswer
from service.exporting.csv_cells import csv_line
from service.exporting.part import Export, answer_by_answer
from service.review.labels import Change, Label, encode_label
from service.review.standing import TASK

FORMAT = 1
_CONTEXT = (
    "app", "event_id", "position", "occurred_ms", "release", "language", "ruleset", "stratum", "pi",
    "pi_audit", "wanted", "blind",
)  # fmt: skip
_WORDS = ("answer", "fault", "behaviour", "grounded", "helpful")
COLUMNS = (
    "subject", "number", "at", "reviewer", "opened", "group", *_CONTEXT, "labelled", "skipped",
    *_WORDS, "needed", "needed_elsewhere", "findings", "note",
)  # fmt: skip


def labels_export(secret: bytes, *, resumed: bool) -> Export:
    """JSON lines, one a label that stands: of a case one, of a task one of each reviewer.
    ``secret``: 1 to 64 bytes; ``resumed``: after an earlier export; then a null ``label`` says that
    what stood there was taken back."""
    return answer_by_answer(
        "labels", _lines(secret, resumed, lambda row: orjson.dumps(row).decode())
    )


def labels_csv_export(secret: bytes, *, resumed: bool) -> Export:
    """The same for spreadsheets: one column a part."""
    return answer_by_answer("labels.csv", _lines(secret, resumed, _csv), csv_line(COLUMNS))


def reviewer_hash(secret: bytes, reviewer: str) -> str:
    """A keyed hash: the same person is the same word, and nobody finds out who by trying names."""
    name = reviewer.encode("utf-8", "surrogatepass")
    return blake2b(name, digest_size=12, key=secret, person=b"reviewer").hexdigest()


def _lines(
    secret: bytes, resumed: bool, line: Callable[[Mapping[str, Any]], str]
) -> Callable[[LabelledAnswer, Counter[str]], list[str]]:
    def lines(answer: LabelledAnswer, _left: Counter[str]) -> list[str]:
        rows = [_row(secret, change, change.label) for change in answer.labels]
        if resumed:
            rows += [_row(secret, change, None) for change in _taken_back(answer)]
        return [line(row) for row in rows]

    return lines


def _taken_back(answer: LabelledAnswer) -> list[Change]:
    """The last change of each case, and of each reviewer of a task, where nothing stands now."""
    last = {_line_of(change): change for change in answer.changes}
    for change in answer.labels:
        last.pop(_line_of(change), None)
    return list(last.values())


def _line_of(change: Change) -> tuple[str, str]:
    """Which line replaces which: the later one with the same subject, of a task also reviewer."""
    return change.subject, change.reviewer if change.subject.startswith(TASK) else ""


def _row(secret: bytes, change: Change, label: Label | None) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "subject": change.subject,
        "number": change.number,
        "at": _time(change.at_ms),
        "reviewer": reviewer_hash(secret, change.reviewer),
        "opened": not change.group,
        "group": change.group,
        **{name: change.context.get(name) for name in _CONTEXT},
        "label": None if label is None else encode_label(label),
    }


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")


def _csv(row: Mapping[str, Any]) -> str:
    label = row["label"] or {}
    cells = {**label, **row, "labelled": row["label"] is not None}
    cells["findings"] = [_finding(finding) for finding in label.get("findings", ())]
    return csv_line(_cell(cells.get(column)) for column in COLUMNS)


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in finding.items() if value is not None}


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()
