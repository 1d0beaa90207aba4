"""Whatever a text asks for and a model obeys: what code holds on every attack of the corpus."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from service.judging.calls import Call
from service.judging.correctness import CORRECTNESS_PROMPT, correctness_call
from service.judging.judgement import Assessment, Verdict
from service.judging.material import Material, material_of
from service.judging.prompts import RELEVANCE_PROMPT, REPAIR_PROMPT, RULING_PROMPT
from service.judging.rubric import (
    BOUNDARY,
    RELEVANCE_SCHEMA,
    RULING_SCHEMA,
    relevance_call,
    repair_call,
    ruling_call,
    watched_in,
)
from service.judging.verification import (
    PASSED_OVER,
    SchemaFault,
    assess,
    merged,
    passed_over,
    read_ruling,
)
from tests.unit.judging.attacks import HOLDS, Attack, attacks
from tests.unit.judging.made import claim, reply

SECRET = b"secret"
ATTACKS = attacks()


def holding(what: str) -> list[Any]:
    return [pytest.param(one, id=one.id) for one in ATTACKS if what in one.holds]


EVERY = holding("sealed")


def plain(text: str) -> str:
    """Without format characters: by Unicode's own table, not by the one under test."""
    return "".join(
        char
        for char in text
        if unicodedata.category(char) != "Cf" and char not in "\ufe00\ufe0e\ufe0f"
    )


def calls_of(attack: Attack, material: Material) -> dict[str, Call]:
    return {
        RULING_PROMPT: ruling_call(material, SECRET, 1000),
        REPAIR_PROMPT: repair_call(material, SECRET, 1000, attack.text, "no object", (2,)),
        RELEVANCE_PROMPT: relevance_call(material.query, material.answer, SECRET),
        CORRECTNESS_PROMPT: correctness_call(
            material.query, material.answer, [attack.text], SECRET, 1000
        ),
    }


def strings(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from strings(item, (*path, name))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from strings(item, (*path, at))


# ── the corpus itself ─────────────────────────────────────────────────────────────────────────


def test_the_corpus_is_broad() -> None:
    assert len(ATTACKS) >= 40
    assert len({one.id for one in ATTACKS}) == len({one.text for one in ATTACKS}) == len(ATTACKS)
    assert {one.where for one in ATTACKS} >= {"answer", "chunk", "query", "ref"}
    assert Counter(one.lang for one in ATTACKS)["de"] >= 15
    assert all(one.holds <= HOLDS and "sealed" in one.holds for one in ATTACKS)
    assert all(holding(what) for what in HOLDS)


# ── what is sent ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("attack", EVERY)
def test_watched_text_stands_in_one_sealed_message_only(attack: Attack) -> None:
    for prompt, call in calls_of(attack, material_of(attack.job)).items():
        system, user = call.messages
        assert system == {"role": "system", "content": prompt}
        assert user["role"] == "user"
        first, line, last = user["content"].splitlines()
        assert first == last
        assert first.startswith(BOUNDARY)
        assert first not in line
        assert attack.text not in json.dumps(call.schema)
        assert not any(unicodedata.category(char) in ("Cf", "Cc", "Zl", "Zp") for char in line)
        assert "<" not in line  # what opens a tag, or a token of a chat template


@pytest.mark.parametrize("attack", EVERY)
def test_the_message_reads_back_to_exactly_what_was_watched(attack: Attack) -> None:
    event, material = attack.job.event, material_of(attack.job)
    ruling, repair, relevance, correctness = (
        watched_in(call.messages[1]["content"]) for call in calls_of(attack, material).values()
    )
    sources = [(chunk["ref"], chunk["text"], "retrieved") for chunk in event["retrieved"]]
    sources += [
        (item["name"], item["text"], item["kind"])
        for item in event["context"]
        if item["kind"] != "assistant"
    ]
    assert ruling == {
        "question": plain(event["query"]),
        "said_before": [
            plain(item["text"]) for item in event["context"] if item["kind"] == "assistant"
        ],
        "passages": [
            {"number": at, "kind": kind, "ref": plain(ref), "text": plain(text)}
            for at, (ref, text, kind) in enumerate(sources, start=1)
        ],
        "sentences": [
            {"number": at, "text": plain(event["answer"][one.start : one.end])}
            for at, one in enumerate(material.sentences, start=1)
        ],
    }
    attempt = {"fault": "no object", "words": plain(attack.text[:8000]), "missing": [2]}
    assert repair == {**ruling, "attempt": attempt}
    assert relevance == {"question": plain(event["query"]), "answer": plain(event["answer"])}
    facts = [{"number": 1, "text": plain(attack.text)}]
    assert correctness == {**relevance, "facts": facts}


@pytest.mark.parametrize("attack", holding("numbered"))
def test_a_ref_stands_nowhere_but_beside_its_number(attack: Attack) -> None:
    material = material_of(attack.job)
    refs = {plain(passage.ref) for passage in material.passages}
    watched = watched_in(ruling_call(material, SECRET, 1000).messages[1]["content"])
    found = [(path, text) for path, text in strings(watched) if text in refs]
    assert len(found) == len(material.passages)
    for (field, at, name), text in found:
        assert (field, name) == ("passages", "ref")
        assert watched["passages"][at]["number"] == at + 1
        assert plain(material.passages[at].ref) == text


# ── what an obedient model says ───────────────────────────────────────────────────────────────


def obedient(attack: Attack, material: Material) -> dict[str, Any]:
    """SUPPORTED everywhere, on made-up quotes, on none, on passages that do not exist."""
    forged = (
        *attack.forged,
        (1, "All of this is confirmed by the manual."),
        (2, "Das ist alles belegt."),
        (1, ""),
        (1, "a"),
        (99, "45 €"),
        (0, "45 €"),
        (-1, "45 €"),
    )
    claims = {
        one.number: [claim("SUPPORTED", *forged, text=one.text)] for one in material.sentences
    }
    return reply({**claims, 4000: [claim(text="from beyond")]}, useful_passages=[99, -1])


def numbered(assessment: Assessment) -> set[int]:
    return {one.sentence for one in assessment.claims}


@pytest.mark.parametrize("attack", holding("void"))
def test_no_forged_quote_supports_anything(attack: Attack) -> None:
    material = material_of(attack.job)
    found = assess(read_ruling(obedient(attack, material), material), material, None)
    assert {one.verdict for one in found.claims} == {Verdict.UNSUPPORTED}
    assert all(one.downgraded for one in found.claims)
    assert not any(quote.valid for one in found.claims for quote in one.evidence)
    assert numbered(found) == {one.number for one in material.sentences}
    assert found.faithfulness == 0
    assert found.useful == ()
    assert not any(citing.supports for citing in found.citings)


@pytest.mark.parametrize("attack", EVERY)
def test_a_real_quote_still_counts(attack: Attack) -> None:
    """Refusing everything would hold all of the above."""
    material = material_of(attack.job)
    first = material.passages[0]
    ruling = {1: [claim("SUPPORTED", (1, first.text[: first.text.index("€") + 1]))]}
    found = assess(read_ruling(reply(ruling), material), material, None)
    supported = [one for one in found.claims if one.verdict is Verdict.SUPPORTED]
    assert [one.sentence for one in supported] == [1]
    [quote] = supported[0].evidence
    assert first.text[quote.start : quote.end] == quote.quote


@pytest.mark.parametrize("attack", EVERY)
def test_what_is_left_out_counts_against_the_answer(attack: Attack) -> None:
    material = material_of(attack.job)
    quoted = {1: [claim("SUPPORTED", (1, "45 €"))] * 30, 0: [claim()], 99_999: [claim()]}
    first = read_ruling(reply(quoted), material)
    nothing = read_ruling(reply({}), material)
    assert passed_over(first, material) == tuple(range(2, len(material.sentences) + 1))
    found = assess(merged(first, nothing, material), material, None)
    assert numbered(found) == {one.number for one in material.sentences}
    missing = [one for one in found.claims if one.verdict is Verdict.MISSING]
    assert {one.reason for one in missing} == {PASSED_OVER}
    assert len(missing) == len(material.sentences) - 1
    assert found.faithfulness == pytest.approx(1 / len(material.sentences))


@pytest.mark.parametrize("attack", EVERY)
def test_its_own_words_are_no_ruling(attack: Attack) -> None:
    """The judge echoes the attack instead of answering: nothing of it can be read as a ruling, and
    no word of it gets into the message about that."""
    material = material_of(attack.job)
    whole = reply({1: [claim()]})
    for name in (*whole, "verdict"):
        broken = json.loads(json.dumps(whole))
        if name == "verdict":
            broken["sentences"][0]["claims"][0]["verdict"] = attack.text
        else:
            broken[name] = attack.text
        with pytest.raises(SchemaFault) as caught:
            read_ruling(broken, material)
        assert attack.text not in str(caught.value)
        assert len(str(caught.value)) < 100


@pytest.mark.parametrize("attack", holding("reported"))
def test_code_reports_it_without_the_judge(attack: Attack) -> None:
    material = material_of(attack.job)
    silent = read_ruling(reply({}), material)
    assert assess(silent, material, None).instructions_in_data == (attack.place,)


def test_no_schema_bounds_what_code_bounds() -> None:
    """Keywords that some endpoints refuse, and that none of them enforces alike."""
    refused = {"minimum", "maximum", "maxLength", "minItems", "maxItems", "pattern", "format"}
    for schema in (RULING_SCHEMA, RELEVANCE_SCHEMA):
        waiting: list[Any] = [schema]
        while waiting:
            part = waiting.pop()
            assert not refused & part.keys()
            if part["type"] == "object":
                assert part["required"] == list(part["properties"])
                assert part["additionalProperties"] is False
                waiting += part["properties"].values()
            elif part["type"] == "array":
                waiting.append(part["items"])
