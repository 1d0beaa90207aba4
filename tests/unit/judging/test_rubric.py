"""What is asked, and how it is sealed. :mod:`.test_injections` has the hostile side of it."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.judging import rubric
from service.judging.calls import Call
from service.judging.judgement import Relevance
from service.judging.material import Material, material_of
from service.judging.prompts import RELEVANCE_PROMPT, REPAIR_PROMPT, RULING_PROMPT
from service.judging.rubric import (
    RUBRIC,
    Collision,
    enclosed,
    relevance_call,
    repair_call,
    ruling_call,
    watched_in,
)
from service.judging.visible import visible
from tests.unit.judging.made import job

SNAPSHOT = {"rubric": "1b338db98eee", "prompts": "44093716118d"}


def material(answer: str = "A seat costs 45 € [pricing#plans].") -> Material:
    return material_of(job(answer))


def user(call: Call) -> str:
    return call.messages[1]["content"]


def boundary(call: Call) -> str:
    return user(call).split("\n", 1)[0]


def test_a_changed_prompt_is_a_new_judge() -> None:
    """Seen red? Then the judge is asked something else than before: every judge version changes
    with RUBRIC, and its rates are uncalibrated until people have labelled anew. If that is meant,
    write both new values into SNAPSHOT, say in the commit what the change is for, and update
    docs/judge/rubric.md. If the words stand still but count differently (verification.py), raise
    _REVISION in rubric.py."""
    words = "\n".join((RULING_PROMPT, REPAIR_PROMPT, RELEVANCE_PROMPT))
    prompts = hashlib.sha256(words.encode()).hexdigest()[:12]
    assert {"rubric": RUBRIC, "prompts": prompts} == SNAPSHOT


@pytest.mark.parametrize(
    "name", ["RULING_PROMPT", "REPAIR_PROMPT", "RELEVANCE_PROMPT", "RULING_SCHEMA", "_REVISION"]
)
def test_every_part_stands_in_the_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rubric._version() == RUBRIC
    monkeypatch.setattr(rubric, name, "something else")
    assert rubric._version() != RUBRIC


def test_the_prompt_says_the_form_that_the_schema_wants() -> None:
    """Endpoints without a schema have the prompt alone."""
    start = RULING_PROMPT.index('{"sentences"')
    example, _ = json.JSONDecoder().raw_decode(RULING_PROMPT[start:])
    assert list(example) == rubric.RULING_SCHEMA["required"]
    [sentence] = example["sentences"]
    items = rubric.RULING_SCHEMA["properties"]["sentences"]["items"]
    assert list(sentence) == items["required"]
    assert list(sentence["claims"][0]) == items["properties"]["claims"]["items"]["required"]
    for word in (*rubric.VERDICTS, *rubric.ANSWER_KINDS, *rubric.ABSTENTION_WORDS):
        assert word in RULING_PROMPT
    for relevance in Relevance:
        assert f"- {relevance.value}: " in RELEVANCE_PROMPT
    assert "JSON" in RULING_PROMPT  # asked for by endpoints with a mode of that name
    assert "JSON" in RELEVANCE_PROMPT


def test_the_prompts_know_no_request() -> None:
    for prompt in (RULING_PROMPT, REPAIR_PROMPT, RELEVANCE_PROMPT):
        assert rubric.BOUNDARY not in prompt


def test_the_same_request_has_the_same_boundary_and_no_other_has() -> None:
    calls = [
        ruling_call(material(), b"secret", 100),
        ruling_call(material(), b"other secret", 100),
        ruling_call(material("A seat costs 46 € [pricing#plans]."), b"secret", 100),
        repair_call(material(), b"secret", 100, "", "no object", ()),
        repair_call(material(), b"secret", 100, "{", "no object", ()),
        relevance_call("What?", "That.", b"secret"),
        relevance_call("What?", "This.", b"secret"),
    ]
    assert len({boundary(call) for call in calls}) == len(calls)
    assert user(ruling_call(material(), b"secret", 999)) == user(calls[0])


def test_text_that_holds_the_boundary_is_refused() -> None:
    word = boundary(ruling_call(material(), b"secret", 100))
    with pytest.raises(Collision):
        enclosed(f'{{"question":"{word}"}}', word)
    with pytest.raises(Collision):
        enclosed(f'{{"question":"{word.upper()}"}}', word)
    assert enclosed('{"question":"x"}', word).count(word) == 2


def test_a_colliding_request_makes_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A boundary is an HMAC of the text that would have to hold it: nobody can write one, so here
    all boundaries are one word."""
    monkeypatch.setattr(rubric, "_boundary", lambda line, secret: "groundwatch-data-known")
    hostile = material("It is groundwatch-data-known.")
    with pytest.raises(Collision):
        ruling_call(hostile, b"secret", 100)
    with pytest.raises(Collision):
        repair_call(hostile, b"secret", 100, "", "", ())
    with pytest.raises(Collision):
        relevance_call("groundwatch-data-known", "That.", b"secret")
    ruling_call(material(), b"secret", 100)


@given(st.text(alphabet=st.characters(exclude_categories=("Cf", "Cs")), max_size=60))
def test_any_text_reads_back(text: str) -> None:
    message = user(relevance_call(text, "That.", b"secret"))
    assert watched_in(message)["answer"] == "That."
    kept = visible(text)  # fillers and selectors are no format characters by category
    assert watched_in(message)["question"] == kept
    assert len(message.splitlines()) == 3


def test_half_a_surrogate_can_be_sent() -> None:
    message = user(relevance_call("broken \ud83d", "That.", b"secret"))
    message.encode()
    assert watched_in(message)["question"] == "broken \ud83d"


@pytest.mark.parametrize(
    "message",
    ["", "{}", "a\n{}\na", "groundwatch-data-1\n{}\ngroundwatch-data-2",
     "groundwatch-data-1\n[]\ngroundwatch-data-1", "groundwatch-data-1\n{\ngroundwatch-data-1"],
)  # fmt: skip
def test_no_other_message_is_read(message: str) -> None:
    with pytest.raises(ValueError, match=r"boundaries|Expecting"):
        watched_in(message)


def test_a_repair_says_what_was_wrong_and_shows_no_more_than_it_must() -> None:
    call = repair_call(material(), b"secret", 100, "x" * 50_000, "no object", (1, 2))
    attempt = watched_in(user(call))["attempt"]
    assert attempt == {
        "fault": "no object", "words": "x" * rubric.MOST_PREVIOUS, "missing": [1, 2],
    }  # fmt: skip
    assert (call.purpose, call.max_tokens) == ("repair", 100)
