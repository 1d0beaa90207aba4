"""A whole answer: every field of its event, and what findings, evidence, groups and rows say."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from service.events import as_told
from service.pipeline import Effects, Terms
from service.policy import AppPolicy, Policy
from service.redaction.answers import MaskedAnswer, masked_answer
from service.redaction.mask import MASK
from service.redaction.redactor import redactor_of
from service.store.ledger import batch_record
from service.verdicts import encode_batch_head
from tests.planted import ALL, SECRETS, leaks, planted
from tests.unit.answers import effects_of, event, raw


def everywhere(secret: str = ALL) -> dict[str, Any]:
    return event(**planted(secret))


APP = AppPolicy()


def masked(body: dict[str, Any], policy: AppPolicy = APP) -> MaskedAnswer:
    data = as_told(orjson.dumps(body), body["app"])
    texts = [chunk.get("text") for chunk in data["retrieved"]]
    return masked_answer(data, texts, {}, redactor_of(policy.redaction))


def test_no_field_of_the_event_shows_a_value_and_its_shape_stays() -> None:
    found = masked(everywhere())
    assert leaks(json.dumps(found.event)) == []
    assert found.event["user"]["id_hash"] == "hash-1"
    assert found.event["release"]["id"] == "r1"
    assert found.event["event_id"] == "a"
    assert [len(chunk) for chunk in found.event["retrieved"]] == [8, 2]
    assert set(found.kinds) == set(SECRETS)
    again = masked(found.event)
    assert again.event == found.event
    assert not again.kinds


def test_names_of_the_contract_are_no_text() -> None:
    policy = AppPolicy.model_validate(
        {"redaction": {"patterns": [{"name": "words", "matches": "answer|query|text|ref"}]}}
    )
    found = masked(event(query="the query", metadata_ref="ref"), policy)
    assert found.event["query"] == f"the {MASK * 5}"
    assert f"metadata_{MASK * 3}" in found.event


def test_a_name_of_the_senders_own_that_looks_like_a_path_is_none() -> None:
    secret = SECRETS["email"]
    own: dict[str, Any] = {
        "user.id_hash": secret,
        "x.query": 4111111111111111,
        "release.id": {"more": secret},
    }
    release = {"x.id": 4111111111111111, "user.id_hash": secret}
    found = masked(event(release=release, **own))
    shown = json.dumps(found.event)
    assert secret not in shown
    assert "4111111111111111" not in shown


def test_an_exempt_field_is_kept_as_it_came() -> None:
    policy = AppPolicy.model_validate({"redaction": {"exempt": ["retrieved"]}})
    found = masked(everywhere(), policy)
    assert found.event["retrieved"][0]["text"].endswith(ALL)
    assert leaks(json.dumps(found.event | {"retrieved": []})) == []


def test_a_name_beside_a_value_tells_what_it_is() -> None:
    found = masked(
        event(
            context=[{"name": "customer.phone", "kind": "user", "text": "612 345 678"}],
            tags={"phone_number": "415 555 2671", "article": "0301234567"},
        )
    )
    assert found.event["context"][0]["text"] == "███ ███ ███"
    assert found.event["tags"] == {"phone_number": "███ ███ ████", "article": "0301234567"}


def test_names_that_look_alike_under_their_masks_lose_nothing() -> None:
    found = masked(event(tags={"a@b.de": "1", "c@d.de": "2"}))
    assert sorted(found.event["tags"].values()) == ["1", "2"]


TERMS = Terms(
    Policy.model_validate(
        {"apps": {"support": {"sampling": {
            "audit": 1, "audit_max": 1, "flagged_high": 1, "flagged": 1, "rest": 1}}}}
    ),
    b"secret",
    judge=True,
)  # fmt: skip


def kept_of(effects: Effects) -> str:
    """All that a batch hands to the store and to whoever sent it, in one text."""
    drafts = [text for case in effects.cases for text in (case.record, case.summary)]
    drafts += [task.record for task in effects.tasks]
    drafts += [job.record for job in effects.jobs]
    rows = encode_batch_head(batch_record(effects))
    return b"\n".join([*drafts, rows]).decode() + repr((effects.groups, effects.results))


@pytest.mark.parametrize("secret", [*SECRETS.values(), ALL])
def test_nothing_that_is_kept_shows_a_value(secret: str) -> None:
    effects = effects_of(json.dumps(everywhere(secret)).encode(), terms=TERMS)
    assert (len(effects.cases), len(effects.tasks), len(effects.jobs)) == (1, 1, 1)
    assert leaks(kept_of(effects)) == []
    assert {app for app, _ in effects.redacted} == {"support"}


@pytest.mark.parametrize(
    "answer",
    [
        "Call +49 30 901820 for 45 € [pricing#plans].",
        "Our hotline: 030/901820. A seat costs 45 € [pricing#plans].",
        "Write to jane.doe@example.com, 45 € [pricing#plans].",
        "Server 10.20.30.40 costs 45 € [pricing#plans].",
        "Pay to 4111 1111 1111 1111, 45 € [pricing#plans].",
        "Pay to DE89 3704 0044 0532 0130 00, 45 € [pricing#plans].",
        "See https://example.com/?mail=jane.doe@example.com, 45 € [pricing#plans].",
        "“Please call +49 30 901820 or write to jane.doe@example.com today” says the page "
        "[pricing#plans].",
    ],
)
def test_a_finding_about_a_part_of_a_value_does_not_show_it(answer: str) -> None:
    chunk = {"ref": "pricing#plans", "text": "Pro: 45 € a seat. Call +49 30 901821."}
    body = raw(answer=answer, retrieved=[chunk], query="Call +49 30 901822?")
    effects = effects_of(body, terms=TERMS)
    assert effects.tasks
    assert leaks(kept_of(effects)) == []
    assert "90182" not in kept_of(effects)


def test_findings_keep_their_places() -> None:
    answer = "Write to jane.doe@example.com. A seat costs 54 € [pricing#plans]."
    [case] = effects_of(raw(answer=answer)).cases
    body = orjson.loads(case.record)
    shown = body["event"]["answer"]
    assert len(shown) == len(answer)
    for finding in body["findings"]:
        assert shown[finding["start"] : finding["end"]] == finding["surface"]
    assert {"54 €"} <= {finding["surface"] for finding in body["findings"]}


def test_alike_values_of_one_length_are_one_group() -> None:
    effects = effects_of(
        raw("a", answer="Call +49 30 901820."), raw("b", answer="Call +49 30 901821.")
    )
    numbers = {hit.group for hit in effects.groups if hit.check == "numbers"}
    assert len(numbers) <= 1


def test_checks_see_the_original() -> None:
    chunk = {"ref": "pricing#plans", "text": "Call +49 30 901820."}
    effects = effects_of(
        raw("right", answer="Call +49 30 901820 [pricing#plans].", retrieved=[chunk]),
        raw("wrong", answer="Call +49 30 901829 [pricing#plans].", retrieved=[chunk]),
    )
    assert [row.flagged for row in effects.rows] == [False, True]


def test_the_makeup_of_a_release_is_redacted_and_its_corpus_is_not() -> None:
    release = {"id": "r1", "index": "http://10.20.30.40/x", "corpus": "2026-11"}
    [made] = effects_of(raw(release=release)).makeups
    assert made.told() == {"index": f"http://{'██.██.██.██'}/x", "corpus": "2026-11"}


def test_rows_of_answers_that_are_fine_hold_no_text() -> None:
    effects = effects_of(raw(query="zQsEcReT query", session_id="zQsEcReT"))
    assert effects.rows[0].causes == ()
    assert b"zQsEcReT" not in encode_batch_head(batch_record(effects))
