"""Answer events of about 8 KB as a support assistant would send them, the same ones at every run.

Five chunks of 1.2 KB, an answer with three citations and four numbers; one in twenty is wrong:
an invented document, or a number that stands in no chunk. One clean answer in four spells one of
its numbers in another way than the chunk, so that the chunk has to be read.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Literal

import orjson

Chunks = Literal["fresh", "zipf"]
"""``fresh``: no chunk comes twice. ``zipf``: drawn from 10,000, the n-th as often as 1/n."""
Kind = Literal["literal", "respelled", "ref", "number"]
"""Clean with each number as its chunk has it, clean with another spelling, or what is wrong."""

ZIPF_CHUNKS = 10_000
CHUNK_CHARS = 1_200
FAULTY_EVERY = 20
RESPELLED_EVERY = 4

# (chunk sentence, statement before the number, after it, another spelling of the number or "")
_FACTS_EN = (
    ("A seat on the {plan} plan costs {n} € a month when it is billed yearly.",
     "a seat on the {plan} plan costs ", "{n} €", " a month", "EUR {n}"),
    ("Exports of the {area} are kept for {n} days and are then removed from the regional storage.",
     "exports of the {area} are kept for ", "{n} days", "", "{n}-day"),
    ("Each workspace may hold up to {n} GB of attachments before the {area} turns read-only.",
     "the limit of the {area} is ", "{n} GB", "", "{n} gigabytes"),
    ("A call that the {area} does not answer within {n} seconds is given up and logged as failed.",
     "the {area} gives up after ", "{n} seconds", "", "{n} s"),
    ("At most {n} invitations may be open at a time; the {area} refuses the next one politely.",
     "the {area} allows ", "{n} invitations", " at a time", ""),
    ("Customers of the {plan} plan get a credit of {n} % when the monthly promise is missed.",
     "the credit on the {plan} plan is ", "{n} %", "", "{n} percent"),
)  # fmt: skip
_FACTS_DE = (
    ("Ein Platz im Tarif {plan} kostet {n} € im Monat, wenn jährlich abgerechnet wird.",
     "ein Platz im Tarif {plan} kostet ", "{n} €", " im Monat", "{n} Euro"),
    ("Sicherungen im Bereich {area} werden {n} Tage lang aufbewahrt und danach gelöscht.",
     "Sicherungen im Bereich {area} bleiben ", "{n} Tage", " lang erhalten", ""),
    ("Ein Arbeitsbereich fasst bis zu {n} GB an Anhängen, bevor {area} schreibgeschützt wird.",
     "die Grenze von {area} liegt bei ", "{n} GB", "", "{n} Gigabyte"),
    ("Nach {n} Minuten ohne Eingabe meldet {area} den Benutzer ab und verwirft den Entwurf.",
     "die Abmeldung bei {area} erfolgt nach ", "{n} Minuten", "", "{n} min"),
    ("Im Tarif {plan} erstatten wir {n} % der Gebühr, wenn die Zusage verfehlt wird.",
     "die Erstattung im Tarif {plan} beträgt ", "{n} %", "", "{n} Prozent"),
)  # fmt: skip
_PROSE_EN = (
    "Administrators find the switch under settings, next to the list of connected applications.",
    "If the page stays empty, the browser has probably blocked the storage of third parties.",
    "Nothing is sent to the provider before the owner of the workspace has agreed in writing.",
    "The audit log names who changed the setting and from which address, but not the old value.",
    "This behaviour cannot be changed for single members; use a group with its own rules instead.",
    "Support answers on working days, and outside these hours only for tickets marked as urgent.",
)
_PROSE_DE = (
    "Den Schalter finden Administratoren in den Einstellungen neben den verbundenen Anwendungen.",
    "Bleibt die Seite leer, hat der Browser vermutlich den Speicher von Drittanbietern gesperrt.",
    "Ohne schriftliche Zustimmung des Eigentümers verlassen keine Daten den Arbeitsbereich.",
    "Das Protokoll nennt, wer die Einstellung wann geändert hat, nicht aber den früheren Wert.",
    "Für einzelne Mitglieder lässt sich das nicht ändern; dafür gibt es Gruppen mit Regeln.",
)
_QUERY_EN = "How long does this hold, what are the limits, and what does it cost?"
_QUERY_DE = "Wie lange gilt das, wo liegen die Grenzen, und was kostet es?"
_PLANS = ("Starter", "Team", "Pro", "Business", "Enterprise")
_AREAS = ("importer", "calendar", "webhooks", "archive", "editor", "billing", "search", "inbox")


class EventStream:
    """Events one after the other. ``faulty``: how many of those made so far are wrong; ``kind``:
    of the one made last."""

    def __init__(self, chunks: Chunks, seed: int = 1) -> None:
        self._random = random.Random(f"{chunks}-{seed}")
        self._fresh = chunks == "fresh"
        self._number = 0
        self.faulty = 0
        self.kind: Kind = "literal"
        if not self._fresh:
            self._pool = [self._chunk(n) for n in range(ZIPF_CHUNKS)]
            self._weights = list(accumulate(1 / (n + 1) for n in range(ZIPF_CHUNKS)))

    def take(self, count: int) -> Iterator[bytes]:
        for _ in range(count):
            yield orjson.dumps(self.event())

    def event(self, fault: Literal["ref", "number", ""] | None = None) -> dict[str, Any]:
        """The next event. ``fault`` None: one in twenty is wrong, either way in turn."""
        self._number += 1
        n = self._number
        if fault is None:
            turn, rest = divmod(n, FAULTY_EVERY)
            fault = ("ref" if turn % 2 else "number") if rest == 0 else ""
        self.faulty += bool(fault)
        self.kind = fault or "literal"
        drawn = [self._draw() for _ in range(5)]
        german = self._random.random() < 0.3
        answer = self._answer(drawn, fault, german)
        return {
            "schema_version": 1,
            "event_id": f"01JDN{n:021d}",
            "occurred_at": "2026-11-29T20:44:00Z",
            "app": "support",
            "query": _QUERY_DE if german else _QUERY_EN,
            "context": [{"name": "customer.plan", "kind": "user", "text": "Business"}],
            "retrieved": [
                {
                    "ref": ref, "text": text,
                    "score": round(0.91 - 0.07 * rank, 4), "rank": rank + 1,
                    "url": f"https://help.example.com/articles/{ref.replace('#', '/')}",
                    "title": f"Help: {ref.partition('#')[0]}", "acl": ["staff", "customers"],
                    "metadata": {"space": "help", "index": "nightly", "kind": "article"},
                }
                for rank, (ref, text, _) in enumerate(drawn)
            ],
            "answer": answer,
            "citations": [],
            "user": {"id_hash": f"{n * 2654435761 % (1 << 64):016x}", "tenant": "acme",
                     "groups": ["staff"]},
            "session_id": f"session-{n // 3}",
            "trace_id": f"{n * 40503 % (1 << 96):032x}",
            "tags": {"channel": "web", "region": "eu"},
            "release": {"id": f"2026-11-29.{n % 2 + 1}", "model": "answerer-4-large",
                        "prompt": "sha256:1f3870be274f6c49b3e31a0c6728957f",
                        "retriever": "hybrid-2",
                        "retrieval_params": {"top_k": 5, "rerank": True}, "index": "nightly"},
            "usage": {"input_tokens": 2100, "output_tokens": 160, "cost_usd": 0.0031},
            "latency_ms": {"retrieval": 120.5, "rerank": 30, "generation": 1800, "total": 1950.5},
        }  # fmt: skip

    def _draw(self) -> tuple[str, str, list[tuple[str, ...]]]:
        if self._fresh:
            return self._chunk(self._random.getrandbits(48))
        at = self._random.random() * self._weights[-1]
        return self._pool[bisect_left(self._weights, at)]

    def _chunk(self, name: int) -> tuple[str, str, list[tuple[str, ...]]]:
        """(ref, text, what an answer can say of it)."""
        rand = self._random.random
        german = rand() < 0.3
        facts, prose = (_FACTS_DE, _PROSE_DE) if german else (_FACTS_EN, _PROSE_EN)
        sentences: list[str] = []
        said: list[tuple[str, ...]] = []
        size = 0
        while size < CHUNK_CHARS:
            if len(sentences) % 2:
                sentence = prose[int(rand() * len(prose))]
            else:
                fact = facts[int(rand() * len(facts))]
                names = {"plan": _PLANS[int(rand() * 5)], "area": _AREAS[int(rand() * 8)],
                         "n": str(3 + int(rand() * 897))}  # fmt: skip
                sentence = fact[0].format(**names)
                said.append(tuple(part.format(**names) for part in fact[1:]))
            sentences.append(sentence)
            size += len(sentence) + 1
        return f"help-{name:x}#part", " ".join(sentences)[:CHUNK_CHARS], said

    def _answer(self, drawn: list[Any], fault: str, german: bool) -> str:
        parts = ["Kurz gesagt:" if german else "In short:"]
        respelled = not fault and self._number % RESPELLED_EVERY == 0
        for place, (chunk, index) in enumerate(((0, 0), (1, 0), (1, 1), (2, 0))):
            ref, _, said = drawn[chunk]
            before, number, after, other = said[index]
            if place == 1 and respelled and other:
                number = other
                self.kind = "respelled"
            if place == 2 and fault == "number":
                number = f"{1_000 + self._random.randrange(9_000)} GB"
            statement = before + number + after
            if place != 1:
                invented = fault == "ref" and place == 3
                ref = f"guide-{self._random.randrange(500)}#faq" if invented else ref
                statement += f" [{ref}]"
            parts.append(statement[0].upper() + statement[1:] + ".")
        parts.append(
            "Alles Weitere steht in den genannten Artikeln." if german else
            "The articles above say more, and support can change it for a single workspace."
        )  # fmt: skip
        return " ".join(parts)
