"""What a sample says of fields, forms, base and separator, and the policy proposed from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from service.doctor.proposal import propose
from service.doctor.sample import examine
from service.doctor.survey import Survey
from service.policy import Policy
from service.settings import parse_policy

DEMO = Path(__file__).parents[3] / "service" / "demo" / "events.jsonl"


def event(answer: str, refs: Iterable[str], app: str = "support", **more: Any) -> str:
    retrieved = [{"ref": ref, "text": f"text of {ref}"} for ref in refs]
    return json.dumps(
        {
            "event_id": "e",
            "app": app,
            "query": "?",
            "answer": answer,
            "retrieved": retrieved,
            **more,
        }
    )


NOTHING_SAID = Policy()


def surveyed(lines: Iterable[str], policy: Policy = NOTHING_SAID) -> Survey:
    survey = Survey()
    for line in lines:
        survey.add(line, policy)
    return survey


def proposed(survey: Survey) -> Policy:
    return parse_policy(yaml.safe_load(propose(survey)), "proposed")


def test_an_app_that_counts_from_zero_is_told() -> None:
    survey = surveyed([event("So [0].", ["a", "b"]), event("And so [1].", ["a", "b"])] * 20)
    app = survey.apps["support"]
    assert (app.share(0, "#"), app.share(1, "#")) == (1.0, 0.5)
    assert app.forms == {"numeric": 40}
    assert proposed(survey).of("support").citations.base == 0
    assert proposed(survey).of("support").citations.required


def test_an_app_that_counts_from_one_is_told() -> None:
    survey = surveyed([event("So [2].", ["a", "b"]), event("And so [1].", ["a", "b"])])
    assert proposed(survey).of("support").citations.base == 1
    assert not proposed(survey).of("support").citations.required, "two answers prove nothing"


def test_the_separator_is_the_one_under_which_documents_resolve() -> None:
    refs = ["docs/kb::1", "docs/kb::2", "docs/faq::1"]
    survey = surveyed([event("So [docs/kb].", refs), event("So [docs/faq].", refs)])
    app = survey.apps["support"]
    assert app.separator == "::"
    assert app.share(1, "::") == 1.0
    assert app.share(1, "#") == 0.0
    assert proposed(survey).of("support").citations.separator == "::"


def test_a_path_is_no_chunk_of_its_folder() -> None:
    survey = surveyed([event("So [docs/kb.md].", ["docs/kb.md", "docs/faq.md", "intro.md"] * 2)])
    assert survey.apps["support"].separator == "/", "two of three have a folder in common"
    survey = surveyed([event("So.", ["a/kb.md", "b/faq.md", "intro.md"])])
    assert survey.apps["support"].separator == "#"


def test_missing_fields_by_share() -> None:
    told = event("x", ["a"], release={"id": "r"}, usage={"input_tokens": 1})
    survey = surveyed([told, event("x", ["a"])])
    assert survey.lacking["release.id"] == 1
    assert survey.lacking["trace_id"] == 2
    assert survey.lacking["app"] == 0
    said = [line.said for line in examine(survey, Policy())]
    assert any(line.startswith("release.id is missing in 50.0% of the events") for line in said)


def test_chunks_without_text() -> None:
    bare = json.dumps(
        {"event_id": "e", "query": "?", "answer": "x", "retrieved": [{"ref": "a"}, {"ref": "b"}]}
    )
    survey = surveyed([bare, event("x", ["a"])])
    assert survey.textless == 1
    assert any(
        "50.0% of the events have a chunk without" in line.said
        for line in examine(survey, Policy())
    )


def test_everyone_in_an_acl_is_proposed() -> None:
    chunks = [{"ref": "a", "text": "t", "acl": ["public", "staff"]}]
    survey = surveyed([event("x", [], retrieved=chunks)])
    assert proposed(survey).of("support").access.everyone == ("public",)


def test_a_foreign_shape_leads_to_mappings() -> None:
    survey = surveyed([json.dumps({"resourceSpans": []}), "{}", "no json"])
    said = [(line.status, line.said, line.mend) for line in examine(survey, Policy())]
    assert {status for status, _, _ in said} == {"fail"}
    assert any("OTLP spans" in words and "mapping" in mend for _, words, mend in said)
    assert any("invalid_json" in words for _, words, _ in said)


def test_a_mapped_shape_counts_as_read() -> None:
    mapping = {
        "when": "kind == 'rag'", "event_id": "id", "query": "q", "answer": "a",
        "retrieved": {"each": "hits[]", "ref": "ref", "text": "text"},
    }  # fmt: skip
    policy = parse_policy({"mappings": {"logs": mapping}}, "test")
    line = {"kind": "rag", "id": "1", "q": "?", "a": "So [a].", "hits": [{"ref": "a", "text": "t"}]}
    survey = surveyed([json.dumps(line)], policy)
    assert (survey.events, survey.mapped) == (1, 1)
    assert survey.apps["default"].share(1, "#") == 1.0


def test_a_policy_that_counts_wrongly_is_told() -> None:
    policy = parse_policy({"apps": {"support": {"citations": {"base": 1}}}}, "test")
    survey = surveyed([event("So [0].", ["a", "b"])] * 3, policy)
    said = [line for line in examine(survey, policy) if line.area == "citations"]
    assert [line.status for line in said] == ["warn"]
    assert "0.0% of the citations resolve, 100.0% would with base 0" in said[0].said


def test_hostile_names_stay_strings() -> None:
    names = ["a: b", "\n# x", "true", "{}", "'\"", "ä\u2028b", "-", "1e3", "no"]
    survey = surveyed(event("x", ["a"], app=name) for name in names)
    assert set(proposed(survey).apps) == set(names)


def test_the_demo_s_proposal_explains_every_line() -> None:
    survey = surveyed(DEMO.read_text(encoding="utf-8").splitlines())
    policy = proposed(survey)
    assert set(policy.apps) == {"support-assistant", "docs-search"}
    assert policy.of("support-assistant").citations.base == 1
    lines = propose(survey).splitlines()
    for name in ("base:", "separator:", "required:", "by_url:"):
        at = next(i for i, line in enumerate(lines) if line.strip().startswith(name))
        assert lines[at - 1].strip().startswith("#"), name


def test_no_event_gives_an_empty_policy() -> None:
    assert proposed(Survey()) == Policy()
    assert [line.status for line in examine(Survey(), Policy())] == ["fail"]
