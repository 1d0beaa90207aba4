"""What a person said is in the journal before anybody is told that it is saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.bootstrap import Parts, build, desk
from service.drafts import case_id
from service.embedded import EmbeddedIntake
from service.outage import Outage
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.review.labels import AnswerCall, Label
from service.review.records import decode_record
from service.review_outbox import ReviewOutbox
from service.settings import Settings
from service.store.reviews import Desk
from tests.unit.answers import NOW, raw

ANN = "ann@example.org"
WRONG = Label(answer=AnswerCall.WRONG)
FLAGGED = "A seat costs 45 € [pricing#gone]."
SUBJECT = "case:" + case_id("support", "a")


def start(folder: Path) -> tuple[EmbeddedIntake, Parts, Desk]:
    policy = Policy(apps={"support": AppPolicy(sampling=SamplingPolicy(audit=0))})
    parts = build(Settings(data_dir=folder), policy)
    intake = EmbeddedIntake(parts.store, parts.ingest, folder, clock_ms=lambda: NOW)
    intake.open()
    return intake, parts, desk(parts, ReviewOutbox(parts.store, intake.reviews).flush)


def test_a_label_is_in_the_journal_once_it_is_saved_and_restored_from_it(tmp_path: Path) -> None:
    intake, parts, reviews = start(tmp_path)
    intake.submit([raw(event_id="a", app="support", answer=FLAGGED)])
    change = reviews.save(reviews.claim(SUBJECT, ANN, NOW), WRONG, 0, NOW)
    [line] = (tmp_path / "reviews.jsonl").read_bytes().splitlines()
    assert decode_record(line) == change
    assert parts.store.reviews.unflushed() == []
    # As after kill -9: nothing is closed in order, and the memory is gone.
    intake.close()
    intake, parts, reviews = start(tmp_path)
    assert reviews.history(SUBJECT) == [change]
    assert parts.store.archive.case_counts()["resolved"] == 1
    assert parts.store.archive.books().balanced
    undone = reviews.undo(SUBJECT, ANN, 1, NOW)
    intake.close()
    intake, parts, reviews = start(tmp_path)
    assert reviews.history(SUBJECT) == [change, undone]
    assert parts.store.archive.case_counts()["open"] == 1
    intake.close()


class Full:
    """A sink that takes nothing, until told."""

    def __init__(self) -> None:
        self.full = True
        self.taken: list[bytes] = []

    def write(self, records: list[bytes]) -> None:
        if self.full:
            raise Outage("no room")
        self.taken += records


def test_what_the_sink_did_not_take_stays_and_is_produced_later(tmp_path: Path) -> None:
    intake, parts, _ = start(tmp_path)
    intake.submit([raw(event_id="a", app="support", answer=FLAGGED)])
    sink = Full()
    outbox = ReviewOutbox(parts.store, sink)
    reviews = desk(parts, outbox.flush)
    lease = reviews.claim(SUBJECT, ANN, NOW)
    with pytest.raises(Outage, match="no room"):
        reviews.save(lease, WRONG, 0, NOW)
    assert len(parts.store.reviews.unflushed()) == 1
    sink.full = False
    assert outbox.flush()
    assert [decode_record(record).label for record in sink.taken] == [WRONG]
    assert outbox.flush()
    assert len(sink.taken) == 1
    intake.close()
