"""Questions that retrieval did not serve, as they are kept: what the corpus should say next. Pure.

Of an answer without a finding nothing else keeps a word, so a question is cut, the answer is left
out, and only so many are kept (:mod:`service.store.questions`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import orjson

from service.accounting import EMPTY_RETRIEVAL, Row
from service.checks import abstention, citations, retrieval
from service.checks.model import CheckResult

LONGEST = 300
"""Characters of a question that are kept."""


_FOREIGN = ("query", "user", "release")


class Why(StrEnum):
    """``empty``: retrieval brought nothing; ``abstained``: the answer says that it has none;
    ``unused``: it cites, and nothing of what retrieval brought; ``disliked``: the user said so."""

    EMPTY = "empty"
    ABSTAINED = "abstained"
    UNUSED = "unused"
    DISLIKED = "disliked"


@dataclass(frozen=True, slots=True)
class Question:
    """``answer_id``: the case id of its answer; ``position``: (source, partition, offset) and
    ``user``: keyed hash of who asked, for erasing; ``app``, ``release``: bounded labels."""

    answer_id: str
    position: tuple[str, int, int]
    app: str
    release: str
    language: str
    query: str
    why: tuple[str, ...]
    occurred_ms: int
    user: str = ""


def reasons_of(row: Row, results: Mapping[str, CheckResult]) -> tuple[str, ...]:
    """Why an answer's question was not served, as the checks saw it; empty where it was."""
    found: list[str] = []
    if EMPTY_RETRIEVAL in row.marks:
        found.append(Why.EMPTY.value)
    if row.label == abstention.NO_ANSWER:
        found.append(Why.ABSTAINED.value)
    cites = results[citations.NAME].evaluated > 0
    if cites and ("cited_share", 0.0) in results[retrieval.NAME].measures:
        found.append(Why.UNUSED.value)
    return tuple(found)


def question_of(
    row: Row,
    event: Mapping[str, Any],
    why: tuple[str, ...],
    answer_id: str,
    position: tuple[str, int, int],
    occurred_ms: int,
) -> Question:
    """``event``: of the answer, redacted, as a case keeps it."""
    user = event.get("user")
    return Question(
        answer_id=answer_id,
        position=position,
        app=row.app,
        release=row.release,
        language=row.language,
        query=str(event["query"])[:LONGEST],
        why=why,
        occurred_ms=occurred_ms,
        user=str(user.get("id_hash") or "") if isinstance(user, Mapping) else "",
    )


def encode_question(question: Question) -> bytes:
    # Half a surrogate pair can be in an event, and in no record of ours.
    words = {name: getattr(question, name).encode("utf-8", "replace").decode() for name in _FOREIGN}
    return orjson.dumps({**asdict(question), **words})


def decode_question(data: bytes) -> Question:
    """Raises KeyError, TypeError or ValueError for what :func:`encode_question` never made."""
    plain: dict[str, Any] = orjson.loads(data)
    source, partition, offset = plain["position"]
    return Question(**plain | {"position": (source, partition, offset), "why": tuple(plain["why"])})
