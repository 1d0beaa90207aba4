"""Counting is additive, rows survive their encoding, and the books can fail."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.accounting import (
    CASE_STATES,
    LIVE,
    SEPARATOR,
    TASK_STATES,
    CheckRow,
    CounterField,
    Kind,
    Outcomes,
    PartitionBook,
    Row,
    States,
    books_of,
    counters_of,
    decode_row,
    encode_row,
    encode_rows,
    measure_of,
    parse_field,
    partition_counts,
    prefix_of,
    shared,
    totals_of,
)
from tests.unit.rows import rows


@given(rows)
def test_a_row_survives_its_encoding(row: Row) -> None:
    assert decode_row(orjson.loads(orjson.dumps(encode_row(row)))) == row


@pytest.mark.parametrize(
    ("kind", "length"), [(Kind.CHECKED, 22), (Kind.RECORDED, 12), (Kind.DUPLICATE, 12)]
)
def test_tags_stand_last_in_a_row_and_take_no_place_without_them(kind: Kind, length: int) -> None:
    row = Row(7, kind, app="support", release="r1", hour=498_000)
    plain = encode_row(row)
    assert len(plain) == length
    tagged = dataclasses.replace(row, tags="channel=web")
    assert encode_row(tagged) == [*plain, "channel=web"]
    assert decode_row(plain) == row
    assert decode_row(encode_row(tagged)) == tagged


def test_a_field_is_taken_apart_with_and_without_tags() -> None:
    plain, tagged = prefix_of("r", "1-a", "de"), prefix_of("r", "1-a", "de", "channel=web")
    # As older processes wrote and read it.
    assert plain + "checked" == "r\x1f1-a\x1fde\x1fchecked"
    assert parse_field(plain + "checked") == CounterField("r", "1-a", "de", "", "checked")
    assert parse_field(tagged + "cause:numbers:x") == CounterField(
        "r", "1-a", "de", "channel=web", "cause:numbers:x"
    )
    assert [measure_of(prefix + "checked") for prefix in (plain, tagged)] == ["checked"] * 2
    for broken in ("", "checked", "r\x1f1-a\x1fchecked", tagged + "x\x1fchecked"):
        with pytest.raises(ValueError, match="unpack"):
            parse_field(broken)


@given(st.lists(rows, max_size=12))
def test_summed_over_tags_the_counters_are_those_without_tags(batch: list[Row]) -> None:
    found: dict[tuple[str, int], Counter[str]] = {}
    for place, fields in counters_of(batch).items():
        for name, number in fields.items():
            part = parse_field(name)
            plain = prefix_of(part.release, part.ruleset, part.language) + part.measure
            found.setdefault(place, Counter())[plain] += number
    untagged = [dataclasses.replace(row, tags="") for row in batch]
    assert found == counters_of(untagged)


def test_what_was_drawn_close_to_its_probability_is_drawn_the_same_way() -> None:
    row = Row(0, Kind.CHECKED, u=0.19999999996, pi=0.2, stratum="flagged")
    found = decode_row(orjson.loads(orjson.dumps(encode_row(row))))
    assert found.u < found.pi
    assert decode_row(encode_row(Row(0, Kind.CHECKED, u=1 - 2**-53))).u < 1


@given(st.lists(rows, max_size=12), st.data())
def test_every_count_is_additive_over_any_split(batch: list[Row], data: st.DataObject) -> None:
    parts: list[list[Row]] = [[], [], []]
    for row in batch:
        parts[data.draw(st.integers(0, 2))].append(row)
    assert sum((partition_counts(part) for part in parts), Counter()) == partition_counts(batch)
    assert sum((totals_of(part) for part in parts), Counter()) == totals_of(batch)
    added: dict[tuple[str, int], Counter[str]] = {}
    for part in parts:
        for place, counter in counters_of(part).items():
            added.setdefault(place, Counter()).update(counter)
    assert added == counters_of(batch)


@given(st.lists(rows, max_size=12))
def test_every_record_has_one_kind_and_every_checked_one_an_outcome_a_check(
    batch: list[Row],
) -> None:
    totals = totals_of(batch)
    assert sum(totals[kind.value] for kind in Kind) == len(batch)
    assert sum(partition_counts(batch).values()) == len(batch)
    for check in ("citations", "numbers"):
        outcomes = sum(n for name, n in totals.items() if name.startswith(f"check:{check}:"))
        assert outcomes == totals["checked"]
        undecided = [row for row in batch if row.checks and row.checks[check].not_evaluated]
        found = sum(n for name, n in totals.items() if name.startswith(f"not_evaluated:{check}:"))
        assert found == len(undecided)
    reasons = sum(n for name, n in totals.items() if name.startswith("rejected:"))
    assert reasons == totals["rejected"]


@given(st.lists(rows, max_size=12))
def test_rates_are_of_live_answers_only(batch: list[Row]) -> None:
    live = [
        row for row in batch if row.purpose == "live" and row.kind in (Kind.CHECKED, Kind.RECORDED)
    ]
    counted: Counter[str] = Counter()
    for counter in counters_of(batch).values():
        for name, n in counter.items():
            counted[name.rsplit(SEPARATOR, 1)[1]] += n
    assert counted["checked"] + counted["recorded"] == len(live)


def test_the_sums_of_a_rate_by_item_and_by_answer() -> None:
    answers = [
        CheckRow("fail", 4, 1), CheckRow("pass", 2), CheckRow("fail", 3, 3),
        CheckRow("not_applicable"), CheckRow("not_evaluated", not_evaluated="missing_text"),
    ]  # fmt: skip
    batch = [
        Row(n, Kind.CHECKED, app="support", hour=7, purpose="live", release="r", ruleset="1-a",
            language="de", status="ok", stratum="rest", checks={"numbers": check})
        for n, check in enumerate(answers)
    ]  # fmt: skip
    [(place, counter)] = counters_of(batch).items()
    assert place == ("support", 7)
    prefix = SEPARATOR.join(("r", "1-a", "de", "numbers:"))
    found = {name.removeprefix(prefix): n for name, n in counter.items() if name.startswith(prefix)}
    assert found == {
        "fail": 2, "pass": 1, "not_applicable": 1, "not_evaluated": 1,
        "not_evaluated:missing_text": 1,
        "answers": 3, "failed_answers": 2,
        "m": 9, "x": 4, "mm": 16 + 4 + 9, "xx": 1 + 9, "xm": 4 + 9,
    }  # fmt: skip


BALANCED = {"received": 9, "gaps": 2, "lost": 1, "checked": 5, "recorded": 1, "rejected": 2,
            "duplicate": 1}  # fmt: skip
TOTALS = {"checked": 5, "check:numbers:pass": 3, "check:numbers:fail": 2, "flagged": 2, "cases": 1,
          "suppressed": 1}  # fmt: skip


def imbalance(
    counts: dict[str, int] = BALANCED, totals: dict[str, int] = TOTALS, open_: int = 1
) -> dict[str, int]:
    books = books_of(
        [PartitionBook("answers", 0, 100, 112, 0, counts)],
        totals,
        States({"open": open_}),
        ["numbers"],
    )
    found = {equation.name: equation.imbalance for equation in books.equations}
    assert books.balanced == (not any(found.values()))
    return {name: n for name, n in found.items() if n}


def test_balanced_books() -> None:
    assert imbalance() == {}


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ({"received": 8}, {"offsets": 1, "records": -1}),
        ({"gaps": 3}, {"offsets": -1}),
        ({"lost": 0}, {"offsets": 1}),
        ({"checked": 4}, {"records": 1}),
        ({"duplicate": 2}, {"records": -1}),
    ],
)
def test_a_partition_that_does_not_add_up(counts: dict[str, int], found: dict[str, int]) -> None:
    assert imbalance(counts=BALANCED | counts) == found


@pytest.mark.parametrize(
    ("totals", "found"),
    [
        ({"check:numbers:fail": 1}, {"numbers": 1}),
        ({"suppressed": 0}, {"flagged": 1}),
        ({"cases": 2}, {"flagged": -1, "cases": 1}),
    ],
)
def test_totals_that_do_not_add_up(totals: dict[str, int], found: dict[str, int]) -> None:
    assert imbalance(totals=TOTALS | totals) == found


def test_a_case_that_vanished_shows() -> None:
    assert imbalance(open_=0) == {"cases": 1}


JUDGED = {"judge:eligible": 9, "judge:selected": 6, "judge:sampled_out": 2,
          "judge:budget_skipped": 1, "judge:judged": 2, "judge:undetermined": 1,
          "judge:failed": 1}  # fmt: skip


@pytest.mark.parametrize(
    ("totals", "jobs", "found"),
    [
        ({}, 2, {}),
        ({"judge:erased": 1}, 1, {}),
        ({}, 1, {"selected": 1}),
        ({"judge:judged": 3}, 2, {"selected": -1}),
        ({"judge:sampled_out": 1}, 2, {"eligible": 1}),
    ],
)
def test_what_was_drawn_for_the_judge_adds_up(
    totals: dict[str, int], jobs: int, found: dict[str, int]
) -> None:
    books = books_of([], JUDGED | totals, States(jobs=jobs), [])
    imbalances = {equation.name: equation.imbalance for equation in books.equations}
    assert {name: n for name, n in imbalances.items() if n} == found


@pytest.mark.parametrize("state", TASK_STATES)
def test_an_audit_task_counts_in_any_of_its_states(state: str) -> None:
    assert books_of([], {"tasks": 3}, States(tasks={state: 3}), []).balanced
    assert not books_of([], {"tasks": 3}, States(tasks={state: 2}), []).balanced


@pytest.mark.parametrize("state", CASE_STATES)
def test_a_case_counts_in_any_of_its_states(state: str) -> None:
    books = books_of([], {"cases": 3, "flagged": 3}, States({state: 3}), [])
    assert books.balanced


def test_differences_of_two_partitions_do_not_hide_each_other_in_their_counts() -> None:
    """The equations are sums; each partition's own account stands beside them."""
    books = books_of(
        [PartitionBook("answers", 0, 0, 5, 0, {"received": 4}),
         PartitionBook("answers", 1, 0, 5, 0, {"received": 6})],
        {}, States(), [],
    )  # fmt: skip
    assert [book.next - book.first - book.counts["received"] for book in books.partitions] == [
        1,
        -1,
    ]


def test_what_many_rows_share_is_counted_and_encoded_as_if_each_had_its_own() -> None:
    said = (("numbers", CheckRow("pass", 2)), ("links", CheckRow("fail", 3, 1)))
    other = (("numbers", CheckRow("not_evaluated", not_evaluated="check_error")), said[1])

    def batch(make: Callable[[Outcomes], Mapping[str, CheckRow]]) -> list[Row]:
        outcomes = [said, other, said, said]
        return [
            Row(n, Kind.CHECKED, app="a", purpose=LIVE, checks=make(one))
            for n, one in enumerate(outcomes)
        ]

    alike, apart = batch(shared), batch(dict)
    assert len({id(row.checks) for row in alike}) == 2
    assert len({id(row.checks) for row in apart}) == 4
    assert totals_of(alike) == totals_of(apart) == totals_of(iter(apart))
    assert totals_of(alike)["check:numbers:pass"] == 3
    assert counters_of(alike) == counters_of(apart)
    assert encode_rows(alike) == encode_rows(apart) == [encode_row(row) for row in apart]
