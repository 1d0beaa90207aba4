"""The embedded service: restored from its journal, exactly, whatever broke off where."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from service.bootstrap import Parts, build
from service.checks import CHECKS
from service.embedded import WAITING_REQUESTS, EmbeddedIntake, Journal
from service.intake import Overloaded, Receipt
from service.outage import Misconfiguration, Outage
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.review.cases import CaseFilter
from service.settings import Settings
from service.verdicts import BatchRecord, decode
from tests.unit.answers import NOW, raw

POLICY = Policy(apps={"support": AppPolicy(sampling=SamplingPolicy(audit=0))})
MARK = b"Geheimtext"
Start = Callable[..., tuple[EmbeddedIntake, Parts]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start()`` → a new process's intake and parts over the same directory."""
    running: list[EmbeddedIntake] = []

    def begin(**settings: Any) -> tuple[EmbeddedIntake, Parts]:
        parts = build(Settings(data_dir=tmp_path, **settings), POLICY)
        intake = EmbeddedIntake(parts.store, parts.ingest, tmp_path, clock_ms=lambda: NOW)
        running.append(intake)
        intake.open()
        return intake, parts

    yield begin
    for intake in running:
        intake.close()


def picture(parts: Parts) -> dict[str, Any]:
    """Everything that people see of a store."""
    archive = parts.store.archive
    cases = archive.list_cases(CaseFilter(status=None), None, 500).cases
    return {
        "books": archive.books(),
        "counters": archive.counters(),
        "queue": cases,
        "cases": [archive.case(summary.case_id) for summary in cases],
        "facets": archive.facets(),
    }


def states(receipts: list[Receipt]) -> list[str]:
    return [receipt.state for receipt in receipts]


def test_each_event_has_its_receipt_in_order(start: Start) -> None:
    intake, parts = start()
    receipts = intake.submit(
        [raw("a"), b"{", raw("b", cites="x"), raw("a"), raw("c", status="error")]
    )
    assert states(receipts) == ["checked", "rejected", "checked", "duplicate", "recorded"]
    assert [receipt.event_id for receipt in receipts] == ["a", None, "b", "a", "c"]
    clean, rejected, flagged, *_ = receipts
    assert clean.verdict is not None
    assert tuple(clean.verdict["checks"]) == CHECKS
    assert clean.verdict["checks"]["numbers"] == "pass"
    assert (clean.verdict["findings"], clean.verdict["case_id"]) == ([], None)
    assert (rejected.reason, rejected.verdict) == ("invalid_json", None)
    assert flagged.verdict is not None
    assert [finding["surface"] for finding in flagged.verdict["findings"]] == ["[pricing#x]"]
    assert parts.store.archive.case(flagged.verdict["case_id"]) is not None
    assert parts.store.archive.books().balanced
    assert intake.submit([]) == []


def test_a_receipt_names_a_case_only_where_one_is_kept(start: Start) -> None:
    intake, parts = start(cases_per_group_day=1)
    receipts = intake.submit([raw("a", cites="x"), raw("b", cites="x"), raw("c", cites="y")])
    named = [receipt.verdict["case_id"] for receipt in receipts if receipt.verdict]
    assert named[1] is None
    assert parts.store.archive.case(named[0]) is not None
    assert parts.store.archive.case(named[2]) is not None


def test_a_new_start_has_the_same_books_and_cases(start: Start) -> None:
    intake, parts = start(cases_per_group_day=3)
    for n in range(6):
        intake.submit(
            [raw(f"a{n}"), raw(f"b{n}", cites="x"), b"{", raw(f"a{n}"), raw(f"c{n}", "y")]
        )
    before = picture(parts)
    assert before["books"].totals["suppressed"] == 6
    intake.close()
    again, parts = start(cases_per_group_day=3)
    assert picture(parts) == before
    # Positions and identities go on from there.
    assert states(again.submit([raw("b0", cites="x"), raw("new", cites="x")])) == [
        "duplicate", "checked",
    ]  # fmt: skip
    books = parts.store.archive.books()
    assert books.balanced
    assert [(book.first, book.next) for book in books.partitions] == [(0, 32)]


def test_what_was_acknowledged_is_in_the_journal_before_the_receipt(
    start: Start, tmp_path: Path
) -> None:
    intake, _ = start()
    intake.submit([raw("a"), raw("b", cites="x")])
    # Read while it runs: a kill now would lose nothing.
    lines = (tmp_path / "verdicts.jsonl").read_bytes().splitlines()
    case, batch = map(decode, lines)
    assert isinstance(case, dict)
    assert case["event_id"] == "b"
    assert isinstance(batch, BatchRecord)
    assert [row.event_id for row in batch.rows] == ["a", "b"]


@pytest.mark.parametrize("cut", [1, 2, 40, 200])
def test_a_torn_last_line_is_cut_off_and_its_batch_comes_again(
    start: Start, tmp_path: Path, cut: int
) -> None:
    intake, parts = start()
    intake.submit([raw("a", cites="x")])
    before = picture(parts)
    intake.submit([raw("b", cites="y")])
    whole = picture(parts)
    intake.close()
    journal = tmp_path / "verdicts.jsonl"
    journal.write_bytes(journal.read_bytes()[:-cut])
    again, parts = start()
    assert picture(parts) == before
    # Nobody was told of b's verdict; sent again, it is taken as if for the first time.
    assert states(again.submit([raw("b", cites="y")])) == ["checked"]
    found = picture(parts)
    assert (found["books"].totals, found["queue"]) == (whole["books"].totals, whole["queue"])
    again.close()
    _, parts = start()
    assert picture(parts) == found


def test_foreign_lines_of_a_journal_are_passed_over(start: Start, tmp_path: Path) -> None:
    intake, parts = start()
    intake.submit([raw("a", cites="x")])
    before = picture(parts)
    intake.close()
    with (tmp_path / "verdicts.jsonl").open("ab") as journal:
        journal.write(b'not json\n\n[]\n{"kind": "later", "version": 1}\n\xff\n')
    _, parts = start()
    assert picture(parts) == before


def test_dead_letters_are_kept_as_bytes_and_named_without_them(
    start: Start, tmp_path: Path
) -> None:
    intake, _ = start()
    bad = [b"\xff\xfe" + MARK, b"{" + MARK, b'{"event_id": 7, "query": "' + MARK + b'"}', b""]
    receipts = intake.submit([raw("a"), *bad])
    intake.submit([raw("b")])
    letters = [
        orjson.loads(line) for line in (tmp_path / "dead-letters.jsonl").read_bytes().splitlines()
    ]
    assert [base64.b64decode(letter.pop("value_base64")) for letter in letters] == bad
    assert [letter["offset"] for letter in letters] == [1, 2, 3, 4]
    assert [letter["reason"] for letter in letters] == [
        "not_utf8", "invalid_json", "schema", "invalid_json",
    ]  # fmt: skip
    assert MARK.decode() not in repr(letters) + repr(receipts)
    intake.close()
    start()
    assert len((tmp_path / "dead-letters.jsonl").read_bytes().splitlines()) == len(bad)


def test_too_many_at_once_are_told_to_come_back(start: Start, monkeypatch) -> None:
    intake, parts = start()
    entered, go_on = threading.Semaphore(0), threading.Event()
    prepare = type(parts.ingest).prepare

    def held(*arguments: Any) -> Any:
        entered.release()
        assert go_on.wait(20)
        return prepare(*arguments)

    monkeypatch.setattr(type(parts.ingest), "prepare", held)
    done: list[str] = []
    overloaded: list[int] = []

    def submit(n: int) -> None:
        try:
            done.extend(states(intake.submit([raw(f"e{n}")])))
        except Overloaded as refusal:
            overloaded.append(refusal.retry_after_s)

    threads = [threading.Thread(target=submit, args=(n,)) for n in range(WAITING_REQUESTS + 5)]
    for thread in threads:
        thread.start()
    assert entered.acquire(timeout=20)
    for _ in range(2_000):
        if len(overloaded) == 5:
            break
        threading.Event().wait(0.005)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert overloaded == [1] * 5
    assert done == ["checked"] * WAITING_REQUESTS
    # Whoever was refused has left no trace, and afterwards there is room again.
    assert parts.store.archive.totals()["checked"] == WAITING_REQUESTS
    assert states(intake.submit([raw("after")])) == ["checked"]
    assert parts.store.archive.books().balanced


def test_requests_of_many_threads_are_one_account(start: Start) -> None:
    intake, parts = start()
    threads = [
        threading.Thread(
            target=lambda n=n: [intake.submit([raw(f"{n}-{m}", cites="x"), raw("same")])
                                for m in range(10)]
        )
        for n in range(8)
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    totals = parts.store.archive.totals()
    assert (totals["checked"], totals["duplicate"]) == (81, 79)
    assert parts.store.archive.books().balanced


def test_two_processes_over_one_store_share_the_account(start: Start, tmp_path: Path) -> None:
    intake, parts = start()
    other = EmbeddedIntake(parts.store, parts.ingest, tmp_path / "other", clock_ms=lambda: NOW)
    other.open()
    for n in range(3):
        assert states(intake.submit([raw(f"a{n}", cites="x")])) == ["checked"]
        assert states(other.submit([raw(f"b{n}"), raw(f"a{n}")])) == ["checked", "duplicate"]
    other.close()
    [book] = parts.store.checkpoints.books()
    assert (book.first, book.next) == (0, 9)
    assert parts.store.archive.books().balanced


def test_a_store_that_was_emptied_meanwhile_is_restored(start: Start) -> None:
    intake, parts = start()
    intake.submit([raw("a", cites="x")])
    parts.store.connection.client.flushall()
    assert states(intake.submit([raw("a", cites="x"), raw("b", cites="x")])) == [
        "duplicate", "checked",
    ]  # fmt: skip
    assert parts.store.archive.totals()["cases"] == 2
    assert parts.store.archive.books().balanced


# The journal itself.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b""), (b"torn", b""), (b"a\n", b"a\n"), (b"a\ntorn", b"a\n"), (b"a\n\n", b"a\n\n"),
        (b"a\n" + b"x" * 200_000, b"a\n"), (b"x" * 200_000 + b"\ntorn", b"x" * 200_000 + b"\n"),
        (b"x" * 65_535 + b"\n" + b"y" * 65_536, b"x" * 65_535 + b"\n"),
    ],
    ids=["empty", "only torn", "whole", "torn", "blank", "long torn", "long line", "at the border"],
)  # fmt: skip
def test_a_journal_ends_with_a_whole_line(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    path.parent.mkdir()
    path.write_bytes(before)
    journal = Journal(path)
    assert path.read_bytes() == after
    journal.append([b"1", b"2"])
    assert path.read_bytes() == after + b"1\n2\n"
    assert list(journal.read()) == [*after.splitlines(), b"1", b"2"]
    journal.close()


def test_a_journal_that_cannot_be_written_says_so_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Misconfiguration, match="GROUNDWATCH_DATA_DIR"):
        Journal(tmp_path / "file" / "journal.jsonl")


def test_two_processes_cannot_share_a_journal(tmp_path: Path) -> None:
    first = Journal(tmp_path / "verdicts.jsonl")
    with pytest.raises(Misconfiguration, match="another groundwatch process"):
        Journal(tmp_path / "verdicts.jsonl")
    first.close()
    Journal(tmp_path / "verdicts.jsonl").close()


def test_what_cannot_be_written_whole_is_not_written_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "verdicts.jsonl")
    journal.append([b"one"])

    class Full:
        def __init__(self, file: Any) -> None:
            self._file = file

        def write(self, data: bytes) -> int:
            if len(data) > 5:
                return int(self._file.write(data[:5]))
            raise OSError(28, "No space left on device")

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

    whole = journal._file
    monkeypatch.setattr(journal, "_file", Full(whole))
    with pytest.raises(Outage, match="No space left"):
        journal.append([b"two", b"three"])
    monkeypatch.setattr(journal, "_file", whole)
    journal.append([b"four"])
    assert list(journal.read()) == [b"one", b"four"]
    journal.close()


def test_a_store_that_was_emptied_is_restored_from_the_journal(start: Start) -> None:
    intake, parts = start()
    intake.submit([raw("a"), raw("b", cites="x")])
    before = picture(parts)
    parts.store.connection.client.flushall()
    [receipt] = intake.submit([raw("a")])
    assert receipt.state == "duplicate"
    assert picture(parts)["cases"] == before["cases"]
    assert parts.store.archive.books().balanced


def test_a_damaged_journal_is_told(start: Start, tmp_path: Path, capsys: Any) -> None:
    intake, _ = start()
    for name in "abc":
        intake.submit([raw(name)])
    intake.close()
    path = tmp_path / "verdicts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    batches = [n for n, line in enumerate(lines) if b'"first":1,' in line]
    path.write_bytes(b"".join(line for n, line in enumerate(lines) if n not in batches))
    start()
    assert "journal_damaged" in capsys.readouterr().out
