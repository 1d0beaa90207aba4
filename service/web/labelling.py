"""A label as a form says it, and back. Findings and chunks are named by what they are, not by
their place: a case may be enriched while somebody reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, TypeVar

from service.review.labels import (
    MAX_NOTE,
    MAX_REFS,
    AnswerCall,
    Behaviour,
    Fault,
    FindingCall,
    FindingLabel,
    Grounded,
    Helpful,
    Label,
    Why,
)
from service.web.forms import Form
from service.web.problems import Problem

Word = TypeVar("Word", bound=StrEnum)

CHOICES: Mapping[str, type[StrEnum]] = {
    "answer": AnswerCall,
    "fault": Fault,
    "behaviour": Behaviour,
    "grounded": Grounded,
    "helpful": Helpful,
}
"""The parts of a label that are one word of several."""


def finding_key(finding: Mapping[str, Any]) -> str:
    named = [finding.get(name) for name in ("check", "reason", "surface", "start")]
    return _digest(repr(named))


def ref_key(ref: str) -> str:
    return _digest(ref)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page showed: findings and refs of retrieved chunks."""

    findings: Sequence[Mapping[str, Any]] = ()
    refs: Sequence[str] = ()


def label_of(form: Form, shown: Shown) -> Label:
    """Raises :class:`Problem`: 422 for a word that is none, 409 for a finding or a chunk that the
    case does not hold (any more)."""
    if form.one("skip"):
        return Label(skipped=True)
    return Label(
        findings=_findings(form, shown.findings),
        answer=_word(form, "answer", AnswerCall),
        fault=_word(form, "fault", Fault),
        behaviour=_word(form, "behaviour", Behaviour),
        needed=_needed(form, shown.refs),
        needed_elsewhere=_elsewhere(form),
        grounded=_word(form, "grounded", Grounded),
        helpful=_word(form, "helpful", Helpful),
        note=form.one("note").replace("\r\n", "\n").strip()[:MAX_NOTE],
    )


def _word(form: Form, name: str, words: type[Word]) -> Word | None:
    said = form.one(name)
    try:
        return words(said) if said else None
    except ValueError:
        raise Problem(422, "parameter", "not one of the words that go here", field=name) from None


def _findings(form: Form, findings: Sequence[Mapping[str, Any]]) -> tuple[FindingLabel, ...]:
    known = {finding_key(finding): finding for finding in findings}
    _refuse_strangers(form, ("call.", "why."), known)
    labels = []
    for key, finding in known.items():
        call = _word(form, f"call.{key}", FindingCall)
        why = _word(form, f"why.{key}", Why)
        if call is None and why is None:
            continue
        call = call or FindingCall.FALSE_ALARM  # a reason was given for nothing else
        start = finding.get("start")
        labels.append(
            FindingLabel(
                check=str(finding.get("check") or ""),
                reason=str(finding.get("reason") or ""),
                surface=str(finding.get("surface") or ""),
                start=start if isinstance(start, int) else None,
                call=call,
                why=why if call is FindingCall.FALSE_ALARM else None,
            )
        )
    return tuple(labels)


def _needed(form: Form, refs: Sequence[str]) -> tuple[str, ...] | None:
    """None: nobody was asked. An empty choice is one only where it was said in so many words."""
    known = {ref_key(ref): ref for ref in refs}
    ticked = set(form.many("needed"))
    if not ticked <= {*known, "none"}:
        raise changed()
    chosen = tuple(ref for key, ref in known.items() if key in ticked)[:MAX_REFS]
    return chosen if chosen or "none" in ticked else None


def _elsewhere(form: Form) -> tuple[str, ...]:
    lines = (line.strip() for line in form.one("elsewhere").splitlines())
    return tuple(dict.fromkeys(line[:2048] for line in lines if line))[:MAX_REFS]


def _refuse_strangers(form: Form, prefixes: Sequence[str], known: Iterable[str]) -> None:
    keys = set(known)
    for name in form.fields:
        for prefix in prefixes:
            if name.startswith(prefix) and name.removeprefix(prefix) not in keys:
                raise changed()


def changed() -> Problem:
    """The label speaks of what is not there."""
    return Problem(409, "changed", "this case holds other findings or chunks by now; look again")


@dataclass(frozen=True, slots=True)
class Draft:
    """A label as a form shows it. ``calls``: by the key of the finding; ``needed``: keys of
    chunks."""

    label: Label
    calls: Mapping[str, FindingLabel]
    needed: frozenset[str]

    def chosen(self, name: str) -> str:
        """The word that stands for a part of :data:`CHOICES`; empty where nothing was said."""
        said = getattr(self.label, name)
        return said.value if isinstance(said, StrEnum) else ""

    @property
    def needs_none(self) -> bool:
        return self.label.needed == ()


def draft_of(label: Label | None) -> Draft:
    label = label or Label()
    return Draft(
        label,
        {finding_key(asdict(said)): said for said in label.findings},
        frozenset(ref_key(ref) for ref in label.needed or ()),
    )
