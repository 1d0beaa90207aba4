"""The bench: one case, task or group before one visitor, and whether it may be labelled."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from service.review.desk import Labelled, Lease, LeaseTaken, ReviewDesk, UnknownSubject
from service.review.labels import Change, FindingCall, Label
from service.web.labelling import CHOICES, Draft, draft_of
from service.web.reviewer import Visitor
from service.web.texts import Tongue

ONE_KEY_PARTS = frozenset({"answer", "findings"})
"""A case that asks for no more than these is settled by the key of its answer."""
MOST_REFS = 5
SHORT = 120


@dataclass(frozen=True, slots=True)
class Bench:
    """``lease``: ours, None where there is none: nobody gave a name, ``taken`` says who holds it,
    or it is closed. ``query``: the filter that leads on, with its question mark. ``missing``: parts
    that were required and not said."""

    visitor: Visitor
    token: str
    address: str
    query: str
    stands: Labelled
    history: Sequence[Change]
    required: Collection[str]
    draft: Draft
    lease: Lease | None = None
    taken: LeaseTaken | None = None
    missing: tuple[str, ...] = ()

    @property
    def one_key(self) -> bool:
        return set(self.required) <= ONE_KEY_PARTS

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        """Part → its words."""
        return {part: [word.value for word in words] for part, words in CHOICES.items()}

    @property
    def undo(self) -> Change | None:
        """The last change, where it is the visitor's to take back."""
        last = self.history[-1] if self.history else None
        mine = last is not None and bool(self.visitor.name) and last.reviewer == self.visitor.name
        return last if mine else None


def take_seat(
    desk: ReviewDesk, subject: str, visitor: Visitor, now_ms: int
) -> tuple[Lease | None, LeaseTaken | None]:
    """Claim for a visitor with a name. Nothing where the subject cannot be claimed."""
    if not visitor.name:
        return None, None
    try:
        return desk.claim(subject, visitor.name, now_ms), None
    except LeaseTaken as taken:
        return None, taken
    except UnknownSubject:
        return None, None


def has_said(stands: Labelled) -> bool:
    """A label stands; a skip is none."""
    return stands.label is not None and not stands.label.skipped


def draft_before(stands: Labelled, said: Label | None) -> Draft:
    """What the form shows: what was just said, else what stands."""
    return draft_of(said if said is not None else stands.label)


def label_line(t: Tongue, label: Label | None) -> str:
    """A label in one line, for people."""
    if label is None:
        return t.say("label.nothing")
    if label.skipped:
        return t.say("label.skipped")
    parts = [t.word("answer", label.answer.value)] if label.answer else []
    if label.fault:
        parts.append(t.say("label.cause", fault=t.word("fault", label.fault.value)))
    if label.behaviour:
        parts.append(f"{t.say('ask.behaviour')}: {t.word('behaviour', label.behaviour.value)}")
    if label.findings:
        real = sum(said.call is FindingCall.REAL for said in label.findings)
        parts.append(t.say("label.findings", real=real, n=len(label.findings)))
    needed = [*(label.needed or ()), *label.needed_elsewhere]
    if needed:
        refs = ", ".join(_cut(ref) for ref in needed[:MOST_REFS])
        parts.append(t.say("label.needs", refs=refs + (" …" if len(needed) > MOST_REFS else "")))
    if label.grounded:
        parts.append(f"{t.say('ask.grounded')} {t.word('grounded', label.grounded.value)}")
    if label.helpful:
        parts.append(f"{t.say('ask.helpful')} {t.word('helpful', label.helpful.value)}")
    if label.note:
        parts.append(t.say("label.noted", note=_cut(label.note)))
    return " · ".join(parts) or t.say("label.nothing")


def _cut(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"
