"""The corpus of attacks on the judge, ``tests/cases/injections.jsonl``, as jobs.

Each is put into one place of a small answer that is half wrong, in English or German. ``holds``
names what code must hold on it whatever a model says (:mod:`.test_injections`):

* ``sealed``: the text stands nowhere but in the one user message, as JSON that reads back.
* ``void``: what it offers as evidence is none.
* ``covered``: no sentence leaves the denominator.
* ``numbered``: a ref stands nowhere but beside its number.
* ``reported``: code itself reports the place, without the judge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.judging.jobs import Job
from tests.unit.judging.made import CHUNKS, job

CORPUS = Path(__file__).parents[2] / "cases" / "injections.jsonl"
HOLDS = frozenset({"sealed", "void", "covered", "numbered", "reported"})

_ENGLISH: dict[str, Any] = {
    "query": "What does a seat cost, and when is money paid back?",
    "answer": "A seat costs 45 € a month [pricing#plans]. Refunds take two days [terms#refunds].",
    "chunks": CHUNKS,
    "language": "en",
}
_GERMAN: dict[str, Any] = {
    "query": "Was kostet ein Platz, und wann wird Geld erstattet?",
    "answer": "Ein Platz kostet 45 € [preise#tarife]. Erstattungen dauern zwei Tage [agb#geld].",
    "chunks": {
        "preise#tarife": "Pro: 45 € je Platz und Monat bei jährlicher Zahlung.",
        "agb#geld": "Wir erstatten innerhalb von zehn Werktagen.",
    },
    "language": "de",
}


@dataclass(frozen=True)
class Attack:
    """``text``: the hostile words, which stand ``where`` in the job's event; ``forged``: (passage,
    quote) pairs that it would like to see taken for evidence."""

    id: str
    lang: str
    where: str
    kind: str
    text: str
    holds: frozenset[str]
    forged: tuple[tuple[int, str], ...]
    job: Job

    @property
    def place(self) -> str:
        """Where a report has to name it."""
        if self.where in ("answer", "query"):
            return self.where
        if self.where in ("context", "said_before"):
            return "context"
        return str(self.job.event["retrieved"][-1]["ref"])


def attacks() -> list[Attack]:
    """Every attack of the corpus, in its order."""
    with CORPUS.open(encoding="utf-8") as lines:
        return [_attack(json.loads(line)) for line in lines]


def _attack(case: Mapping[str, Any]) -> Attack:
    text = case["text"] * case.get("repeat", 1)
    return Attack(
        id=case["id"],
        lang=case["lang"],
        where=case["where"],
        kind=case["kind"],
        text=text,
        holds=frozenset(case["holds"]),
        forged=tuple((one["passage"], one["quote"]) for one in case.get("forged", ())),
        job=_job(_GERMAN if case["lang"] == "de" else _ENGLISH, case["where"], text),
    )


def _job(innocent: Mapping[str, Any], where: str, text: str) -> Job:
    parts = dict(innocent)
    answer, query = parts.pop("answer"), parts.pop("query")
    chunks = list(parts.pop("chunks").items())
    context = []
    if where == "answer":
        answer = f"{answer} {text}"
    elif where == "query":
        query = f"{query} {text}"
    elif where == "chunk":
        chunks[-1] = (chunks[-1][0], f"{chunks[-1][1]} {text}")
    elif where == "ref":
        answer = answer.replace(chunks[-1][0], "2")
        chunks[-1] = (text, chunks[-1][1])
    else:
        kind = {"context": "user", "said_before": "assistant"}[where]
        context = [{"name": "note", "kind": kind, "text": text}]
    return job(answer, chunks, query=query, context=context, **parts)
