"""Each API's payload becomes citations of the right chunk, at the right characters."""

from __future__ import annotations

from typing import Any

import pytest

from service.adapters import Adapted, PayloadError, adapt
from service.adapters.collector import MAX_CITATIONS, locate
from service.checks import citations
from service.checks.model import CheckInput, Outcome
from service.policy import AppPolicy
from tests.unit.adapters import payloads
from tests.unit.adapters.payloads import ANSWER, EXPORTS, MARKED, MARKERS, PRICE, REFS
from tests.unit.answers import as_event


def cited(adapted: Adapted, answer: str | None = None) -> list[tuple[str, str | None]]:
    """(ref, the words at the citation's place) of each."""
    text = adapted.answer if answer is None else answer
    assert text is not None
    return [
        (one.ref, None if one.start is None else text[one.start : one.end])
        for one in adapted.citations
    ]


# OpenAI


def test_openai_message_annotations_stand_at_their_markers() -> None:
    found = adapt("openai", payloads.openai_message(), REFS)
    assert found.answer == MARKED
    assert [(one.start, one.end) for one in found.citations] == MARKERS
    assert [one.ref for one in found.citations] == ["pricing#plans", "file-unknown"]
    assert [one.quote for one in found.citations] == ["45 €", None]


def test_openai_marker_decides_where_offsets_count_otherwise() -> None:
    payload = payloads.openai_message()
    text = payload["content"][0]["text"]
    text["value"] = "🙂🙂 " + MARKED
    for annotation in text["annotations"]:  # in UTF-16, as JavaScript counts
        annotation["start_index"] += 5
        annotation["end_index"] += 5
    assert [words for _, words in cited(adapt("openai", payload))] == [
        "【4:0†source】",
        "【4:1†source】",
    ]


def test_openai_response_parts_are_one_answer() -> None:
    found = adapt("openai", payloads.openai_response(), REFS)
    assert found.answer == "A seat is 45 €. See [exports](https://example.org/exports)."
    assert cited(found) == [
        ("handbook.pdf", None),  # the file's name, since chunks of it were retrieved
        ("https://example.org/exports", "[exports](https://example.org/exports)"),
    ]


def test_openai_unknown_file_is_cited_by_its_id() -> None:
    found = adapt("openai", payloads.openai_response(), ["pricing#plans"])
    assert found.citations[0].ref == "file-7Qd2x"


def test_openai_completion_nests_its_url() -> None:
    assert cited(adapt("openai", payloads.openai_completion())) == [
        ("https://example.org/exports", "(example.org)")
    ]


def test_openai_annotations_alone_need_the_answer() -> None:
    annotations = payloads.openai_message()["content"][0]["text"]["annotations"]
    found = adapt("openai", annotations, REFS, MARKED)
    assert found.answer is None
    assert [(one.start, one.end) for one in found.citations] == MARKERS


# Anthropic


def test_anthropic_citations_stand_at_their_block() -> None:
    found = adapt("anthropic", payloads.anthropic_message(), REFS)
    assert found.answer == ANSWER
    assert cited(found) == [
        ("pricing#plans", PRICE),
        ("handbook.pdf#page=3", EXPORTS),
        ("exports#links", EXPORTS),
        ("https://example.org/exports", EXPORTS),
    ]
    assert [one.quote for one in found.citations][:2] == ["Pro: 45 €", "72 hours"]


@pytest.mark.parametrize(
    ("index", "title", "ref"),
    [
        (3, None, "document_index=3"),
        (-1, None, "document_index=-1"),
        (3, "Roadmap", "Roadmap"),
        (0, "exports#links", "exports#links"),  # a title that is a ref names the chunk
        (1, "pricing", "exports#links"),  # one that only begins like a ref does not
    ],
)
def test_anthropic_document_index(index: int, title: str | None, ref: str) -> None:
    payload = payloads.anthropic_message()
    citation = payload["content"][1]["citations"][0]
    citation["document_index"], citation["document_title"] = index, title
    assert adapt("anthropic", payload, REFS).citations[0].ref == ref


# Cohere


def test_cohere_one_citation_a_source() -> None:
    found = adapt("cohere", payloads.cohere_v2(), REFS)
    assert cited(found) == [
        ("pricing#plans", "45 €"),
        ("exports#links", "45 €"),  # doc:1, the second document sent
        ("search_k8:0", "world"),  # the end was that of the last character
    ]


def test_cohere_offsets_count_in_their_block() -> None:
    payload = payloads.cohere_v2()
    payload["message"]["content"].append({"type": "text", "text": "Bye, Ada."})
    payload["message"]["citations"] = [
        {"start": 5, "end": 8, "content_index": 2, "sources": [{"id": "exports#links"}]},
        {"start": 0, "end": 6, "content_index": 1, "sources": [{"id": "exports#links"}]},
    ]
    assert [words for _, words in cited(adapt("cohere", payload, REFS))] == ["Ada", "A seat"]


def test_cohere_v1_document_ids() -> None:
    assert cited(adapt("cohere", payloads.cohere_v1(), REFS)) == [
        ("pricing#plans", "45 €"),
        ("doc_7", "45 €"),
    ]


def test_cohere_id_that_was_retrieved_is_no_position() -> None:
    found = adapt("cohere", payloads.cohere_v1(), ["x", "doc_0"])
    assert [one.ref for one in found.citations] == ["doc_0", "doc_7"]


def test_cohere_citations_alone_need_the_answer() -> None:
    answer = "A seat costs 45 €."
    found = adapt("cohere", payloads.cohere_v1()["citations"], REFS, answer)
    assert found.answer is None
    assert cited(found, answer) == [("pricing#plans", "45 €"), ("doc_7", "45 €")]


# Gemini


def test_gemini_counts_bytes() -> None:
    found = adapt("gemini", payloads.gemini_response(), REFS)
    assert found.answer == ANSWER
    assert cited(found) == [
        ("pricing#plans", PRICE),
        ("https://example.org/exports", EXPORTS),
        ("groundingChunks[5]", EXPORTS),
    ]


def without_words(start: int, end: int) -> dict[str, Any]:
    payload = payloads.gemini_response()
    support = payload["candidates"][0]["groundingMetadata"]["groundingSupports"][0]
    support["segment"] = {"startIndex": start, "endIndex": end}
    return payload


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (0, 40, PRICE),
        (0, 4, "Für"),
        (28, 34, "45 €"),
        (35, 39, "🙂"),
        (2, 4, None),  # inside ü
        (0, 33, None),  # inside €
        (35, 37, None),  # inside the emoji
        (0, 76, None),  # past the end
        (4, 4, None),
        (-1, 4, None),
    ],
)
def test_gemini_offsets_without_words(start: int, end: int, words: str | None) -> None:
    assert cited(adapt("gemini", without_words(start, end)))[0][1] == words


def test_gemini_offsets_inside_a_character_are_mended_by_the_words() -> None:
    payload = without_words(2, 33)
    payload["candidates"][0]["groundingMetadata"]["groundingSupports"][0]["segment"]["text"] = PRICE
    assert cited(adapt("gemini", payload))[0][1] == PRICE


def test_gemini_parts_count_and_thoughts_are_no_answer() -> None:
    payload = payloads.gemini_response()
    payload["candidates"][0]["content"]["parts"] = [
        {"text": "Hmm, ünclear.", "thought": True},
        {"text": PRICE},
        {"functionCall": {"name": "f"}},
        {"text": EXPORTS},
    ]
    metadata = payload["candidates"][0]["groundingMetadata"]
    metadata["groundingSupports"] = [
        {"segment": {"partIndex": 3, "endIndex": 7}, "groundingChunkIndices": [0]},
        {"segment": {"partIndex": 9, "endIndex": 7}, "groundingChunkIndices": [0]},
    ]
    found = adapt("gemini", payload, REFS)
    assert found.answer == PRICE + EXPORTS
    assert [words for _, words in cited(found)] == ["Exporte", None]


def test_gemini_metadata_alone_in_the_python_spelling() -> None:
    metadata = {
        "grounding_chunks": [{"retrieved_context": {"uri": "pricing#plans"}}],
        "grounding_supports": [
            {"segment": {"start_index": 0, "end_index": 40}, "grounding_chunk_indices": [0]}
        ],
    }
    found = adapt("gemini", metadata, REFS, ANSWER)
    assert found.answer is None
    assert cited(found, ANSWER) == [("pricing#plans", PRICE)]


# Bedrock


def test_bedrock_spans_and_references() -> None:
    found = adapt("bedrock", payloads.bedrock_response(), REFS)
    assert cited(found) == [
        ("pricing#plans", "A seat is 45 €."),
        ("citations[0].retrievedReferences[1]", "A seat is 45 €."),
        ("https://example.org/exports", "Links last"),  # its span ran past the text
    ]


def test_bedrock_location_names_what_was_not_retrieved() -> None:
    found = adapt("bedrock", payloads.bedrock_response(), ["s3://docs/pricing.md"])
    assert found.citations[0].ref == "s3://docs/pricing.md"
    assert adapt("bedrock", payloads.bedrock_response()).citations[0].ref == "s3://docs/pricing.md"


# The answer that the user saw


def test_offsets_move_with_the_text() -> None:
    shown = f"Hello! {ANSWER} Anything else?"
    found = adapt("gemini", payloads.gemini_response(), REFS, shown)
    assert [words for _, words in cited(found, shown)] == [PRICE, EXPORTS, EXPORTS]


def test_offsets_into_another_text_are_dropped() -> None:
    found = adapt("gemini", payloads.gemini_response(), REFS, "Another answer.")
    assert {(one.start, one.end) for one in found.citations} == {(None, None)}
    assert found.citations[0].ref == "pricing#plans"


@pytest.mark.parametrize(
    ("start", "end", "words", "place"),
    [
        (2, 4, "ab", (2, 4)),
        (3, 5, "ab", (2, 4)),
        (4, 6, "ab", (5, 7)),  # the nearer of the two
        (900, 902, "ab", (5, 7)),
        (2, 4, "xy", None),
        (2000, 2002, "ab", None),  # too far away to be meant
        (None, 4, "ab", None),
        (-3, 4, "ab", None),
        (2, None, None, None),
        (2, 8, None, None),
        (4, 2, None, None),
        (2, 4, None, (2, 4)),
    ],
)
def test_locate(
    start: int | None, end: int | None, words: str | None, place: tuple[int, int] | None
) -> None:
    assert locate("..ab.ab", start, end, words) == place


# What the check makes of it


@pytest.mark.parametrize(
    ("name", "payload", "dead"),
    [
        ("openai", payloads.openai_message(), ["【4:1†source】", "【4:9†source】"]),
        ("anthropic", payloads.anthropic_message(), ["https://example.org/exports"]),
        ("cohere", payloads.cohere_v2(), ["search_k8:0"]),
        (
            "gemini",
            payloads.gemini_response(),
            ["https://example.org/exports", "groundingChunks[5]"],
        ),
        (
            "bedrock",
            payloads.bedrock_response(),
            ["citations[0].retrievedReferences[1]", "https://example.org/exports"],
        ),
    ],
)
def test_the_check_reports_what_was_not_retrieved(name: str, payload: Any, dead: list[str]) -> None:
    found = adapt(name, payload, REFS)
    event = as_event(
        {
            "event_id": "e",
            "query": "q",
            "answer": found.answer,
            "retrieved": [{"ref": ref, "text": ""} for ref in REFS],
            "citations": [one.model_dump() for one in found.citations],
        }
    )
    result = citations.check(CheckInput(event, ("", "", ""), AppPolicy()))
    assert result.outcome is Outcome.FAIL
    assert [finding.surface for finding in result.findings] == dead


# Limits and errors


def test_citations_are_bounded() -> None:
    support = {"segment": {"endIndex": 4}, "groundingChunkIndices": [0] * 400_000}
    metadata = {"groundingChunks": [{"web": {"uri": "u"}}], "groundingSupports": [support]}
    assert len(adapt("gemini", metadata, (), ANSWER).citations) == MAX_CITATIONS


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_citations_of_one_text_are_bounded(name: str) -> None:
    annotation = {"type": "url_citation", "url": "u"}
    citation = {"type": "web_search_result_location", "url": "u"}
    block = {"type": "text", "text": "t", "citations": [citation] * (MAX_CITATIONS + 9)}
    payload = [block] if name == "anthropic" else [annotation] * (MAX_CITATIONS + 9)
    assert len(adapt(name, payload, (), "t").citations) == MAX_CITATIONS


def test_a_long_ref_is_cut_to_the_contract() -> None:
    annotation = {"type": "url_citation", "url": "https://example.org/" + "a" * 5_000}
    assert len(adapt("openai", [annotation], (), "x").citations[0].ref) == 2_048


@pytest.mark.parametrize(
    ("name", "payload", "message"),
    [
        ("openai", "secret", "the payload: must be an object"),
        ("openai", {"output": {}}, "output: must be a list"),
        ("openai", {"output": ["secret"]}, "output[0]: must be an object"),
        ("openai", {"choices": [{}]}, "choices[0].message: required, but missing"),
        ("openai", [{"type": ["secret"]}], "[0].type: must be a string"),
        ("openai", [{"type": "url_citation"}], "[0].url: required, but missing"),
        (
            "anthropic",
            {"content": [{"type": "text", "citations": [{"type": "char_location"}]}]},
            "content[0].citations[0].document_index: required, but missing",
        ),
        (
            "cohere",
            {"text": "t", "citations": [{"start": "secret"}]},
            "citations[0].start: must be a whole number",
        ),
        (
            "cohere",
            {"text": "t", "citations": [{"start": True}]},
            "citations[0].start: must be a whole number",
        ),
        (
            "cohere",
            {"text": "t", "citations": [{"start": 1e300}]},
            "citations[0].start: out of range",
        ),
        (
            "gemini",
            {"groundingSupports": [{"groundingChunkIndices": [None]}]},
            "groundingSupports[0].groundingChunkIndices[0]: required, but missing",
        ),
        (
            "bedrock",
            {"citations": [{"retrievedReferences": [{"location": {"s3Location": {"uri": 7}}}]}]},
            "citations[0].retrievedReferences[0].location.s3Location.uri: must be a string",
        ),
        ("bedrock", {"output": {"text": "\ud800"}}, "output.text: must be valid Unicode"),
    ],
)
def test_errors_name_the_path_and_no_value(name: str, payload: Any, message: str) -> None:
    with pytest.raises(PayloadError) as caught:
        adapt(name, payload)
    assert str(caught.value) == message
    assert f"{caught.value.path}: {caught.value.fault}" == message


def test_an_unknown_api_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        adapt("other", {})
