"""Feedback without Kafka: joined with the answer's case, or counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.bootstrap import Parts, build
from service.drafts import case_id
from service.embedded import EmbeddedFeedback, EmbeddedIntake
from service.joining import FeedbackJoin
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.review.cases import Thumbs
from service.settings import Settings
from tests.unit.answers import NOW, raw

POLICY = Policy(apps={"support": AppPolicy(sampling=SamplingPolicy(audit=0))})
CASE = case_id("support", "bad")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def start(folder: Path) -> tuple[Parts, EmbeddedIntake, EmbeddedFeedback]:
    parts = build(Settings(data_dir=folder), POLICY)
    intake = EmbeddedIntake(parts.store, parts.ingest, folder, clock_ms=lambda: NOW)
    intake.open()
    join = FeedbackJoin(parts.store, parts.documents, parts.terms)
    return parts, intake, EmbeddedFeedback(parts.store, join, intake, parts.metrics)


@pytest.fixture
def running(folder: Path) -> Iterator[tuple[Parts, EmbeddedIntake, EmbeddedFeedback]]:
    parts, intake, feedback = start(folder)
    yield parts, intake, feedback
    intake.close()


def said(event_id: str, thumb: str = "down", comment: str = "") -> bytes:
    return (
        f'{{"app": "support", "event_id": "{event_id}", "thumb": "{thumb}", '
        f'"comment": "{comment}"}}'
    ).encode()


def test_it_is_a_hint_on_the_case_and_outlives_the_process(
    folder: Path, running: tuple[Parts, EmbeddedIntake, EmbeddedFeedback]
) -> None:
    parts, intake, feedback = running
    intake.submit([raw(event_id="bad", answer="It costs 54 € [pricing#gone].")])
    intake.submit([raw(event_id="good")])
    receipts = feedback.submit(
        [said("bad", comment="no"), said("bad", "up"), said("good"), said("never"), b"{"]
    )
    states = [receipt.state for receipt in receipts]
    assert states == ["joined", "joined", "unmatched", "unmatched", "rejected"]
    case = parts.store.archive.case(CASE)
    assert case is not None
    assert case.feedback == Thumbs(1, 1, "no")
    assert parts.store.archive.books().balanced
    text = parts.metrics.exposition()[0].decode()
    assert 'feedback_total{app="support",outcome="joined",thumb="down"} 1.0' in text
    intake.close()
    again, other, _ = start(folder)
    restored = again.store.archive.case(CASE)
    assert restored is not None
    assert restored.feedback == Thumbs(1, 1, "no")
    assert again.store.feedback.next_read("http/0") == 2
    other.close()
