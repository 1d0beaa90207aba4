"""Labels as rows: they come back as they were, and say by what they are weighted, never by whom."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.exporting.label_rows import (
    COLUMNS,
    labels_csv_export,
    labels_export,
    reviewer_hash,
)
from service.review.labels import AnswerCall, FindingLabel, Label, decode_label
from tests.unit.exporting.made import Made
from tests.unit.review.histories import CORRECT, SKIP, WRONG, History

SECRET = b"a secret"
ADA = "ada@example.org"


def rows(made: Made, after=None) -> list[dict]:
    options = {} if after is None else {"after": after}
    export = labels_export(SECRET, resumed=after is not None)
    return [json.loads(line) for line in made.lines(export, **options)]


def table(made: Made) -> list[dict[str, str]]:
    export = labels_csv_export(SECRET, resumed=False)
    text = "\n".join([export.head, *made.lines(export)])
    return list(csv.DictReader(io.StringIO(text)))


def one(label: Label, reviewer: str = ADA, **more: str) -> Made:
    made = Made()
    made.add(History("task:t1")).label(label, reviewer, **more)
    return made


findings = st.builds(FindingLabel, start=st.none() | st.integers(0, 2**31))


@given(st.builds(Label, findings=st.lists(findings, max_size=3).map(tuple)))
def test_a_label_comes_back_as_it_was(label: Label) -> None:
    (row,) = rows(one(label))
    assert decode_label(row["label"]) == label


def test_a_row_says_what_it_is_to_be_weighted_and_read_by() -> None:
    (row,) = rows(one(WRONG))
    del row["label"]
    assert row == {
        "format": 1, "subject": "task:t1", "number": 1, "at": "1970-01-01T00:00:01.000+00:00",
        "reviewer": reviewer_hash(SECRET, ADA), "opened": True, "group": "",
        "app": "support", "event_id": "e-1", "position": ["answers", 0, 17], "occurred_ms": 1_000,
        "release": "r1", "language": "de", "ruleset": "7.ab12", "stratum": "flagged", "pi": 0.2,
        "pi_audit": 0.005, "wanted": 2, "blind": True,
    }  # fmt: skip


def test_the_name_never_leaves_only_a_keyed_hash_that_stays_the_same() -> None:
    made = one(WRONG)
    made.add(History("task:t2", at_ms=10_000)).label(CORRECT, ADA)
    made.add(History("task:t3", at_ms=20_000)).label(CORRECT, "ben")
    hashes = [row["reviewer"] for row in rows(made)]
    assert hashes[0] == hashes[1] != hashes[2]
    assert reviewer_hash(b"another", ADA) != reviewer_hash(SECRET, ADA)
    for export in (labels_export(SECRET, resumed=False), labels_csv_export(SECRET, resumed=False)):
        assert ADA not in "".join(made.lines(export))


def test_every_reviewer_of_a_task_and_whether_anybody_opened_it() -> None:
    made = one(WRONG)
    made.histories["task:t1"].label(SKIP, "ben")
    made.add(History("case:c1", at_ms=9_000)).label(WRONG, group="g1")
    found = rows(made)
    assert [(r["subject"], r["opened"], r["label"]["skipped"]) for r in found] == [
        ("task:t1", True, False), ("task:t1", True, True), ("case:c1", False, False),
    ]  # fmt: skip


def test_what_was_taken_back_is_said_to_those_who_had_it() -> None:
    made = one(WRONG)
    end = made.run(labels_export(SECRET, resumed=False))[-1].cursor
    assert rows(made, end) == []
    made.histories["task:t1"].label(CORRECT, "ben")
    made.histories["task:t1"].undo(1, None, ADA)
    found = rows(made, end)
    assert [(r["reviewer"], r["label"] is None) for r in found] == [
        (reviewer_hash(SECRET, "ben"), False), (reviewer_hash(SECRET, ADA), True),
    ]  # fmt: skip
    assert [row["label"] is None for row in rows(made)] == [False], "others never had it"


# ------------------------------------------------------------------------------------------- CSV


def test_csv_has_one_column_a_part() -> None:
    made = one(Label(answer=AnswerCall.WRONG, needed=("a", "b"), note='why, "oh"\nwhy'))
    (row,) = table(made)
    assert tuple(row) == COLUMNS
    assert (row["answer"], row["needed"], row["fault"]) == ("wrong", '["a","b"]', "")
    assert (row["labelled"], row["skipped"], row["opened"]) == ("true", "false", "true")
    assert (row["pi"], row["pi_audit"], row["stratum"]) == ("0.2", "0.005", "flagged")
    assert row["note"] == 'why, "oh"\nwhy'


@pytest.mark.parametrize(
    "note",
    [
        "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "a;=1", "a\n=1",
        '"=1', "\0=1", ' \u00a0=cmd|"/c calc"!A1',
    ],
)  # fmt: skip
def test_no_cell_begins_as_a_formula(note: str) -> None:
    """Neither where it is read as it was meant, nor where it is split at other characters."""
    line = labels_csv_line(note)
    assert "\0" not in line
    (cells,) = csv.reader(io.StringIO(line, newline=""))
    for cell in [*cells, *re.split(r"[;\t\r\n]", line)]:
        assert cell.lstrip(' \u00a0"')[:1] not in set("=+-@＝＋－＠\t\r\n"), cell


def labels_csv_line(note: str) -> str:
    made = one(Label(note=note))
    (line,) = made.lines(labels_csv_export(SECRET, resumed=False))
    return line


def test_a_harmless_note_stays_as_it_is() -> None:
    (row,) = table(one(Label(note="a - b = c; see pricing#plans, 45 €")))
    assert row["note"] == "a - b = c; see pricing#plans, 45 €"
