"""Is an answer correct? Asked apart from whether it is faithful, in a call of its own. Pure.

The judge sees the question, the answer and the facts that a correct answer states; no passage, so
that it cannot take *the sources say so* for *it is right*. Its word that a fact is stated counts
only with a quote that stands in the answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from service.judging.calls import Call
from service.judging.prompts import DATA
from service.judging.quoting import MAX_QUOTE, Folded
from service.judging.rubric import call_of, json_list, json_object, sealed
from service.judging.verification import SchemaFault
from service.judging.visible import visible

CORRECTNESS = "correctness"
STATED, DENIED, NOT_STATED = "STATED", "DENIED", "NOT_STATED"
_VERDICTS = (STATED, DENIED, NOT_STATED)
_REVISION = 1
"""Raise it when the same words of a judge come to count differently."""

CORRECTNESS_PROMPT = f"""\
You decide which of some facts an answer states. You compare meanings, nothing else: not whether a
fact is true, not whether the answer is well written, never by what you know.

# The data
{DATA}
Its fields: `question`; `answer`; `facts`, each with `number` and `text`. The text of a fact is a
value, a sentence, or a regular expression that describes the words.

# What you answer
One JSON object and nothing else:
{{"facts": [{{"fact": 1, "quote": "…", "reason": "…", "verdict": "STATED"}}]}}
Every fact, by its number, in order. `quote` is what you decide by: the sentence of the answer that
states or denies the fact, copied character by character, in one piece; empty where there is none.
`reason` is one sentence in the language of the answer. `verdict` is one of
- STATED: the answer says it, in whatever words, units or language. Every part counts: number, unit,
name, date, condition, negation.
- DENIED: the answer says that it is not so, or something that cannot be true together with it.
- NOT_STATED: the answer does neither, or says only a part of it."""

_SCHEMA = json_object(
    facts=json_list(
        json_object(
            fact={"type": "integer"},
            quote={"type": "string"},
            reason={"type": "string"},
            verdict={"type": "string", "enum": list(_VERDICTS)},
        )
    )
)

REVISION = hashlib.sha256(
    json.dumps([_REVISION, CORRECTNESS_PROMPT, _SCHEMA]).encode()
).hexdigest()[:8]
"""Version of what is asked here and how it counts."""


def correctness_call(
    query: str, answer: str, facts: Sequence[str], secret: bytes, max_tokens: int
) -> Call:
    """Raises :class:`service.judging.rubric.Collision`."""
    watched = {
        "question": visible(query),
        "answer": visible(answer),
        "facts": [
            {"number": number, "text": visible(fact)} for number, fact in enumerate(facts, start=1)
        ],
    }
    return call_of(
        CORRECTNESS,
        CORRECTNESS_PROMPT,
        sealed(watched, secret),
        "groundwatch_correctness",
        _SCHEMA,
        max_tokens,
    )


def read_correctness(data: Mapping[str, Any], answer: str, facts: int) -> tuple[bool | None, ...]:
    """For each of the facts whether the answer states it; None where the judge passed over it, or
    showed no words of the answer for what it says is there. Raises :class:`SchemaFault`."""
    entries = data.get("facts")
    if not isinstance(entries, list):
        raise SchemaFault("facts is no list")
    folded = Folded(answer)
    stated: dict[int, bool | None] = {}
    for entry in entries:
        number, verdict, quote = _entry(entry)
        stated.setdefault(number, _counted(verdict, quote, folded))
    return tuple(stated.get(number) for number in range(1, facts + 1))


def _entry(entry: Any) -> tuple[int, str, str]:
    if not isinstance(entry, Mapping):
        raise SchemaFault("an entry of facts is no object")
    number, verdict, quote = entry.get("fact"), entry.get("verdict"), entry.get("quote")
    if not isinstance(number, int) or not isinstance(quote, str) or verdict not in _VERDICTS:
        raise SchemaFault("an entry of facts lacks its number, its quote or its verdict")
    return number, str(verdict), quote[: MAX_QUOTE + 1]


def _counted(verdict: str, quote: str, answer: Folded) -> bool | None:
    if verdict == STATED:
        return True if answer.find(quote) is not None else None
    return False
