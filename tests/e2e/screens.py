"""What a reviewer meets, for the browser: a German answer with a table, a right-to-left question, a
long answer, and the app over them."""

from __future__ import annotations

from typing import Any

from service.review.cases import Case
from service.review.desk import Group
from tests.unit.web.judged import judgement, stored
from tests.unit.web.world import NOW_MS, MemoryCases, MemoryTasks, World, case, finding, task

DAY = NOW_MS // 86_400_000

GERMAN = """Im **Pro-Tarif** kostet ein zusätzlicher Platz **54 €** im Monat [pricing#seats]. \
Ab 3 Plätzen gilt der Mengenpreis.

| Tarif | je Platz | ab 3 Plätzen |
|---|---:|---:|
| Starter | 39 € | 35 € |
| Pro | 54 € | 48 € |

So buchst du Plätze:

1. *Einstellungen* öffnen, dann `Abrechnung`
2. Zahl der Plätze wählen
   - die Änderung gilt sofort
   - abgerechnet wird anteilig

Mehr dazu in der [Preisliste](https://wiki.example/preise?stand=2026)."""

PLANS = "Starter: 39 € pro Platz und Monat. Pro: 45 € pro Platz und Monat, ab 3 Plätzen 41 €."


def _evidence(answer: str, surface: str, text: str, ref: str) -> dict[str, Any]:
    at, there = answer.index(surface), text.index(surface)
    return {
        "check": "numbers", "kind": "grounded", "surface": surface, "start": at,
        "end": at + len(surface), "ref": ref, "chunk_start": there,
        "chunk_end": there + len(surface),
    }  # fmt: skip


def german(case_id: str = "c1", **parts: Any) -> Case:
    near = PLANS.index("45 €")
    return case(
        case_id,
        {
            "event_id": case_id,
            "query": "Was kostet ein zusätzlicher Platz im Monat (Pro)?",
            "retrieved": [
                {"ref": "pricing#plans", "text": PLANS, "rank": 1, "score": 0.83},
                {"ref": "pricing#faq", "text": "Rechnungen kommen per E-Mail.", "rank": 2,
                 "score": 0.41},
                {"ref": "billing#proration", "text": "Änderungen werden anteilig abgerechnet.",
                 "rank": 3, "score": 0.22},
            ],
            "answer": GERMAN,
            "release": {"id": "2026-11-29.2"},
        },
        headline='"54 €" stands in no retrieved text. Nearest: "45 €" in pricing#plans (digits '
        "swapped).",
        findings=[
            finding("54 €", GERMAN, reason="transposed", detail='digits swapped: "45 €" in '
                    "pricing#plans", near_ref="pricing#plans", near_start=near,
                    near_end=near + 4),
            finding("[pricing#seats]", GERMAN, check="citations", reason="unknown_ref",
                    detail="not among the 3 that were retrieved"),
        ],
        evidence=[_evidence(GERMAN, "39 €", PLANS, "pricing#plans")],
        judgement=stored(judgement()),
        **parts,
    )  # fmt: skip


def arabic(case_id: str = "rtl", **parts: Any) -> Case:
    answer = "السعر هو **54 €** لكل مقعد في الشهر.\n\n- خطة Pro\n- الفوترة شهرية"
    return case(
        case_id,
        {
            "event_id": case_id, "query": "كم يكلف المقعد الإضافي في الشهر؟", "answer": answer,
            "retrieved": [{"ref": "pricing#ar", "text": "خطة Pro: 45 € لكل مقعد في الشهر."}],
        },
        language="ar",
        findings=[finding("54 €", answer)], evidence=[], **parts,
    )  # fmt: skip


def long_one(case_id: str = "long", **parts: Any) -> Case:
    paragraph = (
        "Der Vertrag läuft zwölf Monate und verlängert sich danach um jeweils einen Monat, wenn "
        "niemand kündigt. **Wichtig:** Die Frist beträgt 30 Tage. "
    )
    answer = "## Laufzeit\n\n" + "\n\n".join([paragraph * 2] * 18) + "\n\nEs sind 54 € im Monat."
    chunk = "Nichts hiervon. " * 1500 + "Pro: 45 € im Monat. " + "Und weiter. " * 1000
    near = chunk.index("45 €")
    return case(
        case_id,
        {"event_id": case_id, "query": "Wie lange läuft der Vertrag?", "answer": answer,
         "retrieved": [{"ref": "terms#1", "text": chunk, "rank": 1}]},
        findings=[finding("54 €", answer, near_ref="terms#1", near_start=near, near_end=near + 4)],
        evidence=[], **parts,
    )  # fmt: skip


def group(group_id: str = "g1", **parts: Any) -> Group:
    by_day = tuple((DAY - 20 + day, 2 + day * day // 4) for day in range(21))
    fields: dict[str, Any] = {
        "group_id": group_id, "app": "support", "check": "citations", "reason": "unknown_ref",
        "cause": "pricing#seats", "severity": "high", "surface": "[pricing#seats]", "count": 240,
        "by_day": by_day, "sample": "c1", "open_cases": 12,
    }  # fmt: skip
    return Group(**fields | parts)


def world(number: int = 1, **parts: Any) -> World:
    """``number`` German cases ``c1`` …, the odd ones ``rtl`` and ``long`` after them, a task, and
    the group of them all."""
    cases = [german(f"c{n}", occurred_ms=NOW_MS - n) for n in range(1, number + 1)]
    odd = [arabic(occurred_ms=NOW_MS - 1_000), long_one(occurred_ms=NOW_MS - 1_001)]
    return World(
        cases=MemoryCases(*cases, *odd),
        tasks=MemoryTasks(task("t1", cases[0].event)),
        groups=[group(open_cases=number + len(odd))],
        **parts,
    )
