"""What the judge is asked: the prompts, the schemas, and how watched text is sent. Pure.

All watched text goes into one user message, as one line of JSON between two lines that hold the
same boundary. The boundary is an HMAC of the request under a secret of ours: nobody who writes a
text can know it, and the same request has the same one. The system prompt holds no watched text.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from service.judging.calls import Call
from service.judging.judgement import Relevance, Verdict
from service.judging.material import Material
from service.judging.prompts import RELEVANCE_PROMPT, REPAIR_PROMPT, RULING_PROMPT
from service.judging.visible import visible

RULING, REPAIR, RELEVANCE = "ruling", "repair", "relevance"

ANSWER_KINDS = ("answer", "no_answer", "clarify", "deny")
ABSTENTION_WORDS = ("right", "wrong", "not_an_abstention")
PLACES = ("question", "answer", "said_before", "passage")
VERDICTS = tuple(verdict.name for verdict in Verdict if verdict is not Verdict.MISSING)

RELEVANCE_TOKENS = 1_000
"""Bound of the answer to the second call: two fields, and the thoughts of a model that thinks."""
MOST_PREVIOUS = 8_000
"""Characters of an unusable answer that a repair call shows again."""
BOUNDARY = "groundwatch-data-"
"""How a boundary begins; 32 hexadecimal digits follow."""

_REVISION = 3
"""Raise it when the same words of a judge come to count differently (:mod:`.verification`)."""


def json_object(**properties: Any) -> dict[str, Any]:
    """A strict schema: every property required, no other allowed."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def json_list(items: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a list of such."""
    return {"type": "array", "items": items}


_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}
_QUOTE = json_object(passage=_INTEGER, quote=_STRING)

RULING_SCHEMA = json_object(
    sentences=json_list(
        json_object(
            sentence=_INTEGER,
            claims=json_list(
                json_object(
                    claim=_STRING,
                    evidence=json_list(_QUOTE),
                    reason=_STRING,
                    verdict={"type": "string", "enum": list(VERDICTS)},
                )
            ),
        )
    ),
    context_sufficient={"type": "boolean"},
    useful_passages=json_list(_INTEGER),
    contradicting_passages=json_list(json_object(first=_QUOTE, second=_QUOTE)),
    answer_kind={"type": "string", "enum": list(ANSWER_KINDS)},
    abstention_right={"type": "string", "enum": list(ABSTENTION_WORDS)},
    instructions_in_data=json_list(
        json_object(where={"type": "string", "enum": list(PLACES)}, passage=_INTEGER)
    ),
)
RELEVANCE_SCHEMA = json_object(
    reason=_STRING, relevance={"type": "string", "enum": [word.value for word in Relevance]}
)
_RULING_NAME = "groundwatch_ruling"
_RELEVANCE_NAME = "groundwatch_relevance"


def _version() -> str:
    parts = (
        _REVISION, RULING_PROMPT, REPAIR_PROMPT, RELEVANCE_PROMPT, RULING_SCHEMA, RELEVANCE_SCHEMA,
    )  # fmt: skip
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


RUBRIC = _version()
"""Version of what is asked and how the answer counts: prompts, schemas, revision."""


class Collision(Exception):
    """The watched text holds the boundary that would enclose it: it is not sent."""


def ruling_call(material: Material, secret: bytes, max_tokens: int) -> Call:
    """Raises :class:`Collision`."""
    message = sealed(_watched(material), secret)
    return call_of(RULING, RULING_PROMPT, message, _RULING_NAME, RULING_SCHEMA, max_tokens)


def repair_call(
    material: Material,
    secret: bytes,
    max_tokens: int,
    previous: str,
    problem: str,
    missing: Sequence[int],
) -> Call:
    """The same once more. ``previous``: the unusable words, as hostile as the rest; ``problem``:
    what was wrong with them; ``missing``: numbers of sentences that were passed over.

    Raises :class:`Collision`.
    """
    attempt = {
        "fault": problem,
        "words": visible(previous[:MOST_PREVIOUS]),
        "missing": list(missing),
    }
    message = sealed({**_watched(material), "attempt": attempt}, secret)
    return call_of(REPAIR, REPAIR_PROMPT, message, _RULING_NAME, RULING_SCHEMA, max_tokens)


def relevance_call(query: str, answer: str, secret: bytes) -> Call:
    """Raises :class:`Collision`."""
    watched = {"question": visible(query), "answer": visible(answer)}
    message = sealed(watched, secret)
    return call_of(
        RELEVANCE, RELEVANCE_PROMPT, message, _RELEVANCE_NAME, RELEVANCE_SCHEMA, RELEVANCE_TOKENS
    )


def watched_in(message: str) -> dict[str, Any]:
    """The object that a user message of ours encloses. ValueError for any other message."""
    lines = message.split("\n")
    if len(lines) != 3 or lines[0] != lines[2] or not lines[0].startswith(BOUNDARY):
        raise ValueError("not three lines between boundaries")
    watched = json.loads(lines[1])
    if not isinstance(watched, dict):
        raise ValueError("no object between the boundaries")
    return watched


def call_of(
    purpose: str, prompt: str, message: str, name: str, schema: Mapping[str, Any], max_tokens: int
) -> Call:
    """``prompt`` is ours alone; ``message``: sealed watched text."""
    messages = ({"role": "system", "content": prompt}, {"role": "user", "content": message})
    return Call(purpose, messages, name, schema, max_tokens)


def _watched(material: Material) -> dict[str, Any]:
    return {
        "question": visible(material.query),
        "said_before": [visible(text) for text in material.said_before],
        "passages": [
            {
                "number": passage.number,
                "kind": visible(passage.kind),
                "ref": visible(passage.ref),
                "text": visible(passage.text),
            }
            for passage in material.passages
        ],
        "sentences": [
            {"number": sentence.number, "text": visible(sentence.text)}
            for sentence in material.sentences
        ],
    }


# ── how watched text is sent ──────────────────────────────────────────────────────────────────

_ESCAPED = re.compile("[<\u007f-\u009f\u2028\u2029\ud800-\udfff]|\\[(?=/?[A-Z_]{3,40}\\])")
"""What JSON leaves as it is and a reader may not: what opens a tag or a token of a chat template
(``<|im_start|>``, ``[INST]``; some servers read those in any text), line ends, halves of
surrogates."""


def sealed(watched: Mapping[str, Any], secret: bytes) -> str:
    """The user message that encloses watched text. Raises :class:`Collision`."""
    line = json.dumps(watched, ensure_ascii=False, separators=(",", ":"))
    line = _ESCAPED.sub(_as_escape, line)
    return enclosed(line, _boundary(line, secret))


def _boundary(line: str, secret: bytes) -> str:
    request = hashlib.sha256(f"{RUBRIC}\n{line}".encode()).digest()
    return BOUNDARY + hmac.new(secret, request, hashlib.sha256).hexdigest()[:32]


def enclosed(line: str, boundary: str) -> str:
    """``line`` between two lines of ``boundary``. Raises :class:`Collision` where it holds it."""
    if boundary in line.lower():
        raise Collision
    return f"{boundary}\n{line}\n{boundary}"


def _as_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
