"""A small RAG system to measure: BM25 over the demo's help pages, answers by a template.

No model, no key, no network. It is as good as that can be, which is the point: some of its answers
fail at retrieval, some at generation, and ``groundwatch measure system`` tells which.

As a Python callable: ``--target examples.target:answer``. As an HTTP endpoint in a shape of its
own: ``python -m examples.target``, then ``--target example`` with the policy file beside this one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import bm25s

from service.demo import KnowledgeChunk, load_knowledge_base

TOP_K = 3
ENOUGH = 0.5
"""Share of the question's words in one passage below which it declines."""
RELEASE = {
    "id": "example-1",
    "model": "template",
    "prompt": "best-sentence",
    "retriever": "bm25s",
    "corpus": "nimmerwerk",
}
DECLINED = {
    "en": "I could not find an answer to that in the help pages.",
    "de": "Dazu habe ich in den Hilfeseiten keine Antwort gefunden.",
}

_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[^\d][.!?;]) (?=[A-ZÄÖÜ])|\n")
_SMALL = frozenset(
    """
    a an and are at be by can do does for from had has have how i if in is it its me my of on or our
    that the their there they this to was we what when where which who why will with you your after
    many much long need needs
    aber als am an auch auf aus bei beim bis das dem den der des die ein eine einem einen einer es
    für haben hat ich ihr im in ist kann man mein mit nach oder pro sich sie sind so um und uns vom
    von vor was welche welchen welcher wer werden wie wieviel wir wird zu zum zur lange viele viel
    gibt ab
    """.split()
)


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request of groundwatch (``query``, perhaps ``k`` and ``retrieved``) → an answer in the
    words of the answer event. Given ``retrieved``, it answers from
    those chunks and retrieves nothing."""
    begun = time.perf_counter()
    query = str(request["query"])
    given = request.get("retrieved")
    chunks = given if given is not None else retrieve(query, int(request.get("k") or TOP_K))
    retrieved_at = time.perf_counter()
    text = _say(query, chunks)
    done = time.perf_counter()
    return {
        "answer": text,
        "retrieved": chunks,
        "release": RELEASE,
        "usage": {"input_tokens": 0, "output_tokens": len(_WORD.findall(text)), "cost_usd": 0.0},
        "latency_ms": {
            "retrieval": round((retrieved_at - begun) * 1000, 2),
            "generation": round((done - retrieved_at) * 1000, 2),
            "total": round((done - begun) * 1000, 2),
        },
    }


def retrieve(query: str, k: int = TOP_K) -> list[dict[str, Any]]:
    """The best chunks, the best first, without those that share no word with the question."""
    pages, index = _index()
    words = _words(query)
    if not words:
        return []
    found, scores = index.retrieve([words], k=min(k, len(pages)), show_progress=False)
    return [
        {"ref": pages[at]["ref"], "text": pages[at]["text"], "score": round(float(score), 3)}
        for at, score in zip(found[0], scores[0], strict=True)
        if score > 0
    ]


@cache
def _index() -> tuple[Sequence[KnowledgeChunk], bm25s.BM25]:
    pages = load_knowledge_base()
    index = bm25s.BM25()
    index.index([_words(f"{page['title']} {page['text']}") for page in pages], show_progress=False)
    return pages, index


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _SMALL]


def _say(query: str, chunks: Sequence[Mapping[str, Any]]) -> str:
    """The sentence of the chunks that shares the most words with the question, and where it is
    from. A sentence cannot say what its neighbour says: so it misreads now and then."""
    asked = set(_words(query))
    best, ref = "", ""
    most = 0.0
    for chunk in chunks:
        text = str(chunk.get("text") or "")
        if len(asked & set(_words(text))) < ENOUGH * len(asked):
            continue
        for sentence in _SENTENCE_END.split(text):
            shared = len(asked & set(_words(sentence)))
            if shared > most:
                best, ref, most = sentence.strip(), str(chunk["ref"]), shared
    if not best:
        return DECLINED[_language(query)]
    return f"{best.rstrip('.;:')} [{ref}]."


def _language(query: str) -> str:
    german = re.search(
        r"\b(?:der|die|das|wie|was|ist|ein|eine|ich|wir|und|für)\b|[äöüß]", query, re.I
    )
    return "de" if german else "en"
