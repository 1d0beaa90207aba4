"""Payloads of the documented shapes, written for these tests. ``ANSWER`` has characters of one,
two, three and four bytes, so that bytes, UTF-16 and characters are told apart."""

from __future__ import annotations

from typing import Any

ANSWER = "Für Teams kostet ein Platz 45 € 🙂. Exporte sind 72 Stunden gültig."
PRICE = "Für Teams kostet ein Platz 45 € 🙂."
EXPORTS = "Exporte sind 72 Stunden gültig."
REFS = ("pricing#plans", "exports#links", "handbook.pdf#page=3")

MARKED = "A seat is 45 €【4:0†source】. Links last 72 hours【4:1†source】【4:9†source】."
MARKERS = [(14, 26), (47, 59)]


def openai_message() -> dict[str, Any]:
    """Assistants: three markers, two annotations."""
    return {
        "id": "msg_1",
        "object": "thread.message",
        "role": "assistant",
        "content": [
            {
                "type": "text",
                "text": {
                    "value": MARKED,
                    "annotations": [
                        {
                            "type": "file_citation",
                            "text": "【4:0†source】",
                            "start_index": 14,
                            "end_index": 26,
                            "file_citation": {"file_id": "pricing#plans", "quote": "45 €"},
                        },
                        {
                            "type": "file_citation",
                            "text": "【4:1†source】",
                            "start_index": 47,
                            "end_index": 59,
                            "file_citation": {"file_id": "file-unknown"},
                        },
                    ],
                },
            }
        ],
    }


def openai_response() -> dict[str, Any]:
    """Responses: a search call, a message of two parts, annotations of five kinds."""
    return {
        "id": "resp_1",
        "object": "response",
        "output": [
            {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["seat"]},
            {
                "type": "message",
                "role": "assistant",
                "content": [
                    {
                        "type": "output_text",
                        "text": "A seat is 45 €. ",
                        "annotations": [
                            {
                                "type": "file_citation",
                                "index": 14,
                                "file_id": "file-7Qd2x",
                                "filename": "handbook.pdf",
                            },
                            {"type": "file_path", "file_id": "file-out", "index": 3},
                        ],
                    },
                    {"type": "refusal", "refusal": "no"},
                    {
                        "type": "output_text",
                        "text": "See [exports](https://example.org/exports).",
                        "annotations": [
                            {
                                "type": "url_citation",
                                "url": "https://example.org/exports",
                                "title": "Exports",
                                "start_index": 4,
                                "end_index": 42,
                            },
                            {
                                "type": "container_file_citation",
                                "container_id": "cntr_1",
                                "file_id": "cfile_1",
                                "filename": "plot.png",
                                "start_index": 0,
                                "end_index": 3,
                            },
                            {"type": "of_the_future"},
                        ],
                    },
                ],
            },
        ],
    }


def openai_completion() -> dict[str, Any]:
    return {
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Links last 72 hours (example.org).",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url_citation": {
                                "url": "https://example.org/exports",
                                "title": "Exports",
                                "start_index": 20,
                                "end_index": 33,
                            },
                        }
                    ],
                },
            }
        ],
    }


def anthropic_message() -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look at the price list."},
            {
                "type": "text",
                "text": PRICE,
                "citations": [
                    {
                        "type": "char_location",
                        "cited_text": "Pro: 45 €",
                        "document_index": 0,
                        "document_title": "Price list",
                        "start_char_index": 0,
                        "end_char_index": 9,
                    }
                ],
            },
            {"type": "text", "text": " "},
            {
                "type": "text",
                "text": EXPORTS,
                "citations": [
                    {
                        "type": "page_location",
                        "cited_text": "72 hours",
                        "document_index": 2,
                        "document_title": None,
                        "start_page_number": 3,
                        "end_page_number": 4,
                    },
                    {
                        "type": "search_result_location",
                        "cited_text": "valid for 72 hours",
                        "search_result_index": 0,
                        "source": "exports#links",
                        "title": "Links",
                        "start_block_index": 0,
                        "end_block_index": 1,
                    },
                    {
                        "type": "web_search_result_location",
                        "cited_text": "72 h",
                        "url": "https://example.org/exports",
                        "title": "Exports",
                        "encrypted_index": "Eo8B",
                    },
                ],
            },
        ],
    }


def cohere_v2() -> dict[str, Any]:
    return {
        "id": "c1",
        "finish_reason": "COMPLETE",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Two documents."},
                {"type": "text", "text": "A seat costs 45 €. Hello, world!"},
            ],
            "citations": [
                {
                    "start": 13,
                    "end": 17,
                    "text": "45 €",
                    "content_index": 1,
                    "type": "TEXT_CONTENT",
                    "sources": [
                        {
                            "type": "document",
                            "id": "pricing#plans",
                            "document": {"id": "pricing#plans", "snippet": "Pro: 45 €"},
                        },
                        {"type": "document", "id": "doc:1", "document": {"snippet": "72 hours"}},
                    ],
                },
                {
                    "start": 26,
                    "end": 30,
                    "text": "world",
                    "sources": [{"type": "tool", "id": "search_k8:0", "tool_output": {"a": "b"}}],
                },
                {
                    "start": 0,
                    "end": 3,
                    "text": "Two",
                    "content_index": 0,
                    "type": "THINKING_CONTENT",
                    "sources": [{"type": "document", "id": "doc:0", "document": {}}],
                },
            ],
        },
    }


def cohere_v1() -> dict[str, Any]:
    return {
        "text": "A seat costs 45 €.",
        "citations": [
            {"start": 13, "end": 17, "text": "45 €", "document_ids": ["doc_0", "doc_7"]},
        ],
        "documents": [{"id": "doc_0", "snippet": "Pro: 45 €"}],
    }


def gemini_response() -> dict[str, Any]:
    """Offsets in bytes: the first sentence has 34 characters in 40 bytes."""
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": ANSWER}]},
                "groundingMetadata": {
                    "groundingChunks": [
                        {
                            "retrievedContext": {
                                "uri": "gs://docs/pricing",
                                "title": "pricing#plans",
                                "text": "Pro: 45 €",
                            }
                        },
                        {"web": {"uri": "https://example.org/exports", "title": "example.org"}},
                    ],
                    "groundingSupports": [
                        {
                            "segment": {"endIndex": 40, "text": PRICE},
                            "groundingChunkIndices": [0],
                            "confidenceScores": [0.9],
                        },
                        {
                            "segment": {"startIndex": 41, "endIndex": 73, "text": EXPORTS},
                            "groundingChunkIndices": [1, 5],
                        },
                    ],
                },
            }
        ]
    }


def bedrock_response() -> dict[str, Any]:
    """The first span's end is inclusive, the second one runs past the text."""
    return {
        "sessionId": "s1",
        "output": {"text": "A seat is 45 €. Links last 72 hours."},
        "citations": [
            {
                "generatedResponsePart": {
                    "textResponsePart": {"text": "A seat is 45 €.", "span": {"start": 0, "end": 14}}
                },
                "retrievedReferences": [
                    {
                        "content": {"text": "Pro: 45 €"},
                        "location": {
                            "type": "S3",
                            "s3Location": {"uri": "s3://docs/pricing.md"},
                        },
                        "metadata": {"x-amz-bedrock-kb-chunk-id": "pricing#plans"},
                    },
                    {"content": {"text": "?"}, "location": {"type": "SQL"}},
                ],
            },
            {
                "generatedResponsePart": {
                    "textResponsePart": {"text": "Links last", "span": {"start": 90, "end": 200}}
                },
                "retrievedReferences": [
                    {
                        "location": {
                            "type": "WEB",
                            "webLocation": {"url": "https://example.org/exports"},
                        }
                    }
                ],
            },
            {
                "generatedResponsePart": {"textResponsePart": {"text": "Bye.", "span": {}}},
                "retrievedReferences": [],
            },
        ],
    }


ALL: dict[str, list[Any]] = {
    "anthropic": [anthropic_message()],
    "bedrock": [bedrock_response()],
    "cohere": [cohere_v2(), cohere_v1()],
    "gemini": [gemini_response()],
    "openai": [openai_message(), openai_response(), openai_completion()],
}
