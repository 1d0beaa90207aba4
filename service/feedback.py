"""Feedback: what a user said of an answer. Its contract, where its answer is found, and the second
draw and the case that negative feedback may bring. Pure.

Feedback is a hint, never truth: a thumb says that somebody was content or not, not why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from service.accounting import prefix_of
from service.contract import Identifier
from service.drafts import (
    CaseDraft,
    JobDraft,
    Kept,
    bounded,
    case_body,
    case_draft,
    draft_job,
)
from service.events import Rejection, RejectReason, explain
from service.pipeline import HOUR_MS, GroupHit, group_id
from service.policy import SamplingPolicy
from service.review.cases import Thumbs
from service.sampling import (
    BUDGET_SKIPPED,
    SAMPLED_OUT,
    SELECTED,
    Draw,
    Factors,
    with_feedback,
)
from service.verdicts import VERSION

NAME = "feedback"
NEGATIVE = "negative_feedback"
REASONS = (NEGATIVE,)
UP, DOWN = "up", "down"
MAX_BYTES = 16_384
MAX_COMMENT = 2_000

Thumb = Literal["up", "down"]


class FeedbackOutcome(StrEnum):
    """What became of one piece of feedback. A closed set: it labels a metric. ``gone``: it was
    joined, but what it called for needs the answer's event, which is not to be had any more."""

    JOINED = "joined"
    UNMATCHED = "unmatched"
    REPEATED = "repeated"
    GONE = "gone"
    REJECTED = "rejected"


class _Part(BaseModel):
    """Unknown fields are passed over; an error never shows its input."""

    model_config = ConfigDict(
        extra="ignore", strict=True, hide_input_in_errors=True, allow_inf_nan=False, frozen=True
    )


class Position(_Part):
    """Where the answer stands in its topic."""

    partition: int = Field(ge=0, le=1 << 31)
    offset: int = Field(ge=0, lt=1 << 53)


class FeedbackEvent(_Part):
    """One thumb on one answer. ``position``, where the sender knows it, tells two answers of the
    same id apart."""

    event_id: Identifier
    app: Annotated[str, StringConstraints(min_length=1, max_length=128)] = "default"
    thumb: Thumb
    comment: Annotated[str, StringConstraints(max_length=MAX_COMMENT)] | None = None
    position: Position | None = None
    occurred_at: datetime | None = None


_FIELDS = frozenset(FeedbackEvent.model_fields) | frozenset(Position.model_fields)


def parse_feedback(raw: bytes | None, default_app: str = "default") -> FeedbackEvent | Rejection:
    """Read one piece of feedback. Never raises; a rejection repeats nothing of the payload."""
    if raw is None:
        return Rejection(RejectReason.INVALID_JSON, "the record has no value (a tombstone)")
    if len(raw) > MAX_BYTES:
        return Rejection(RejectReason.TOO_LARGE, f"{len(raw)} bytes; the limit is {MAX_BYTES}")
    try:
        event = FeedbackEvent.model_validate_json(raw)
    except ValidationError as error:
        return explain(raw, error, _FIELDS)
    except (RecursionError, ValueError):
        return Rejection(RejectReason.INVALID_JSON, "not readable as JSON")
    if "app" not in event.model_fields_set:
        return event.model_copy(update={"app": default_app})
    return event


# Where an answer is found again.

REFUSED = "r"
DRAWN = "s"
_LETTERS = {"": "-", SELECTED: DRAWN, SAMPLED_OUT: "o", BUDGET_SKIPPED: "b"}
"""What the draw said, in one letter; the store itself writes :data:`REFUSED`, for a full
backlog."""

UNDRAWN = frozenset({"o", "b", REFUSED})
"""Eligible for the judge, and not judged."""


class Place(NamedTuple):
    """Where an answer was counted and with which chances it was drawn: the same for many answers,
    so that the index keeps each place once."""

    source: str
    app: str
    hour: int
    release: str
    ruleset: str
    language: str
    stratum: str
    pi: float
    pi_audit: float
    factors: int
    tags: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer in the index. ``state``: a letter, see above; ``flagged``: by the checks."""

    partition: int
    offset: int
    place: Place
    state: str
    flagged: bool

    @property
    def position(self) -> tuple[str, int, int]:
        return self.place.source, self.partition, self.offset


def encode_entry(partition: int, offset: int, place_id: str, selection: str, flagged: bool) -> str:
    """Short, so that a bucket stays a compact list; the script changes its last but one letter."""
    return f"{partition}:{offset}:{place_id}:{_LETTERS[selection]}{int(flagged)}"


def place_of(entry: str) -> str:
    """The id of an entry's place."""
    return entry.split(":")[2]


def decode_entry(entry: str, place: bytes) -> Entry:
    """``place``: what stands under :func:`place_of`."""
    partition, offset, _, marks = entry.split(":")
    return Entry(
        int(partition), int(offset), Place(*orjson.loads(place)), marks[0], marks[1] == "1"
    )


# What one piece of feedback does.


@dataclass(frozen=True, slots=True)
class Heard:
    """One piece of feedback beside its answer, and what it brings: enough to do it once more.

    ``read``: where the feedback itself stood (topic id with partition, offset). ``state``: of the
    answer before, a letter of the index, empty where it is not in there. ``drawn``: the second draw
    selects an answer that was not; ``raised``: one that was selected, whose chance ``pi`` has
    grown. ``case`` (opened, suppressed, hinted or empty), ``to`` (the answer's new state, if it
    changed) and ``seq`` (a running number) are the store's word, known afterwards.
    """

    read: tuple[str, int]
    thumb: str
    comment: str
    case_id: str
    identity: str
    event_id: str
    app: str
    release: str
    ruleset: str
    language: str
    hour: int
    stratum: str
    position: tuple[str, int, int]
    flagged: bool = False
    state: str = ""
    drawn: bool = False
    raised: bool = False
    pi: float = 0.0
    pi_audit: float = 0.0
    factors: int = 0
    case: str = ""
    to: str = ""
    seq: int = 0
    tags: str = ""

    @property
    def negative(self) -> bool:
        return self.thumb == DOWN

    @property
    def row_key(self) -> str:
        """As the judge's rows are called."""
        return "@".join((self.case_id, *map(str, self.position)))

    @property
    def counter_prefix(self) -> str:
        return prefix_of(self.release, self.ruleset, self.language, self.tags)


def heard(
    event: FeedbackEvent,
    read: tuple[str, int],
    case_id: str,
    entry: Entry,
    drawn: Draw | None,
) -> Heard:
    """``drawn``: the second draw, None where there is none."""
    place = entry.place
    said = Heard(
        read=read,
        thumb=event.thumb,
        comment=event.comment or "",
        case_id=case_id,
        identity=event.app,
        event_id=event.event_id,
        app=place.app,
        release=place.release,
        ruleset=place.ruleset,
        language=place.language,
        hour=place.hour,
        stratum=place.stratum,
        position=entry.position,
        flagged=entry.flagged,
        state=entry.state,
        pi=place.pi,
        pi_audit=place.pi_audit,
        factors=place.factors,
        tags=place.tags,
    )
    if drawn is None:
        return said
    return replace(
        said,
        drawn=entry.state in UNDRAWN and drawn.judged,
        raised=entry.state == DRAWN and drawn.pi > place.pi,
        pi=drawn.pi,
    )


def heard_on_case(event: FeedbackEvent, read: tuple[str, int], body: Mapping[str, Any]) -> Heard:
    """Feedback on an answer that is known by its case alone. ``body``: the case's."""
    source, partition, offset = body["position"]
    return Heard(
        read=read,
        thumb=event.thumb,
        comment=event.comment or "",
        case_id=body["case_id"],
        identity=event.app,
        event_id=event.event_id,
        app=body["app"],
        release=body["release_label"],
        ruleset=body["ruleset"],
        language=body["language"],
        hour=body["occurred_ms"] // HOUR_MS,
        stratum=body["stratum"],
        position=(source, partition, offset),
        flagged=True,
        tags=body.get("counted_tags", ""),
    )


def second_draw(entry: Entry, u: float, policy: SamplingPolicy, factors: Factors) -> Draw | None:
    """With the same u. None for an answer that nobody draws from: no judge was configured."""
    if entry.state == "-":
        return None
    place = entry.place
    first = Draw(u, place.stratum, place.pi, place.pi_audit, place.factors, place.pi)
    return with_feedback(first, policy.negative_feedback * factors.judge_of(place.app), factors)


def group_hits(said: Heard) -> tuple[GroupHit, ...]:
    """All negative feedback of an app is one group: its words are no cause that could repeat."""
    return (
        GroupHit(
            group_id(said.app, NAME, NEGATIVE, ""),
            said.app,
            NAME,
            NEGATIVE,
            "",
            "low",
            "",
            said.position[2],
            said.hour * HOUR_MS,
        ),
    )


HEADLINE = {"de": "Daumen nach unten.", "en": "Thumb down."}
INDEXES = (("check", NAME), ("reason", NEGATIVE))
"""What a case with negative feedback is listed under beside everything else."""
MARKS = {"checks": [NAME], "reasons": [NEGATIVE]}
"""What negative feedback adds to the row of its case in a list."""


def draft_feedback_case(said: Heard, answer: Kept, max_bytes: int) -> CaseDraft:
    """The case that negative feedback opens, with whatever the checks find in the answer."""
    body = case_body(answer)
    [hit] = group_hits(said)
    body |= {
        "case_id": said.case_id,
        "group": hit.group,
        "headline": body["headline"] or HEADLINE["de" if said.language == "de" else "en"],
        "checks": sorted({*body["checks"], NAME}),
        "reasons": sorted({*body["reasons"], NEGATIVE}),
    }
    return case_draft(body, said.position[2], said.hour // 24, bounded(body, max_bytes))


def draft_feedback_job(answer: Kept, max_bytes: int) -> JobDraft:
    """The job of an answer that the second draw selected. It is flagged by then: by a case, or in
    the group of negative feedback."""
    return draft_job(answer, max_bytes, hint=NEGATIVE)


def counted_as(said: Heard, answer: Kept) -> Kept:
    """The answer, checked anew, with the place in the books that it has since it came. (Rules and
    labels may have changed.)"""
    row = replace(
        answer.row,
        app=said.app,
        release=said.release,
        ruleset=said.ruleset,
        language=said.language,
        hour=said.hour,
        stratum=said.stratum,
        pi=said.pi,
        pi_audit=said.pi_audit,
        factors=said.factors,
        tags=said.tags,
    )
    return replace(answer, row=row)


# Its record.


def encode_head(said: Heard) -> bytes:
    """The record of ``rag.verdicts`` up to ``case``, ``to`` and ``seq``: only the store's script
    knows these, and closes the object."""
    body = {"kind": NAME, "version": VERSION, **asdict(said)}
    for name in ("case", "to", "seq"):
        del body[name]
    return orjson.dumps(body)[:-1]


def decode_heard(data: Mapping[str, Any]) -> Heard:
    """Raises KeyError, TypeError or ValueError for what is no such record."""
    values = {name: data[name] for name in Heard.__dataclass_fields__ if name != "tags"}
    read, offset = values["read"]
    source, partition, position = values["position"]
    values |= {"read": (read, offset), "position": (source, partition, position)}
    return Heard(**values, tags=data.get("tags", ""))


def on_case(body: Mapping[str, Any], thumbs: Thumbs) -> dict[str, Any]:
    """A case's body with the feedback on its answer."""
    more: dict[str, Sequence[str]] = {}
    if thumbs.down:
        more = {
            "checks": sorted({*body["checks"], NAME}),
            "reasons": sorted({*body["reasons"], NEGATIVE}),
        }
    return {**body, **more, "feedback": thumbs}
