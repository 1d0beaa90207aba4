"""A whole answer: its event, and what the checks found in it, masked together.

A check may have taken a part of a value for a number of its own: ``901820`` of ``+49 30 901820``
has no shape by which anybody would know it. So what a finding says of a place is masked by that
place, not only by its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from service.checks.model import CheckResult, Evidence, Finding
from service.contract import NAMES
from service.redaction.mask import blank, covered
from service.redaction.redactor import Redacted, Redactor, Secret

KEPT = frozenset(
    {
        "event_id", "app", "schema_version", "occurred_at", "purpose", "status", "language",
        "user.id_hash", "release.id", "release.corpus",
    }
)  # fmt: skip
"""What identifies an answer, its app, its user and its release, and what is looked up by it."""
_FREE = frozenset({"metadata", "tags", "retrieval_params"})
_LONG_NUMBER = 10**8
"""In a field of the sender's own, a number may be one that people are called or charged by."""


@dataclass(frozen=True, slots=True)
class MaskedAnswer:
    """``event``: the event's JSON object with all texts filled in; ``results``: by check;
    ``kinds``: how many values of each kind the event held."""

    event: dict[str, Any]
    results: dict[str, CheckResult]
    kinds: Counter[str]


def masked_answer(
    data: dict[str, Any],
    texts: Sequence[str | None],
    results: Mapping[str, CheckResult],
    redactor: Redactor,
) -> MaskedAnswer:
    """``data``: the event as it was told (:func:`service.events.as_told`), which is changed here;
    ``texts``: aligned with what was retrieved. All offsets hold in what is returned."""
    for chunk, text in zip(data["retrieved"], texts, strict=False):
        chunk["text"] = text
    walk = _Walk(redactor)
    masked = walk.event(data)
    sight = _Sight(walk, data, masked)
    return MaskedAnswer(masked, {name: sight.result(one) for name, one in results.items()},
                        walk.kinds)  # fmt: skip


def masked_ref(ref: str, redactor: Redactor) -> str:
    """A ref as it stands in the masked event, so that what names it finds it."""
    return ref if "retrieved" in redactor.exempt else redactor(ref)


class _Walk:
    """Over one event. Remembers what it masked: a text may come again."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self.kinds: Counter[str] = Counter()
        self._known: dict[str, Redacted] = {}

    def event(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {
            (name if name in NAMES else self.text(name)): (
                value if name in self.redactor.exempt else self._named(name, name, value)
            )
            for name, value in data.items()
        }

    def look(self, text: str) -> Redacted:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self.redactor.redact(text)
        return found

    def text(self, text: str) -> str:
        found = self.look(text)
        if found.secrets:
            self.kinds.update(found.kinds)
        return found.text

    def labelled(self, label: str, text: str) -> str:
        """Under a name that may tell what it is: phone, article_number."""
        if not label:
            return self.text(text)
        head = f"{label}: "
        found = self.look(head + text)
        self.kinds.update(one.kind.value for one in found.secrets if one.end > len(head))
        return found.text[len(head) :]

    def secrets(self) -> Iterator[tuple[str, Secret]]:
        """Every value that was found anywhere, with the text that it stood in."""
        for text, found in self._known.items():
            for secret in found.secrets:
                yield text, secret

    def _named(self, path: str, name: str, value: Any) -> Any:
        """A name of the sender's own may hold a full stop: it is no path."""
        return self._field(path, value) if name in NAMES else self._free(value)

    def _field(self, path: str, value: Any) -> Any:
        """Of the contract: its names stay."""
        if path in KEPT:
            return value
        if path.rpartition(".")[2] in _FREE:
            return self._free(value)
        if isinstance(value, dict):
            return {
                (key if key in NAMES else self.text(key)): self._named(f"{path}.{key}", key, item)
                for key, item in self._told(path, value)
            }
        if isinstance(value, list):
            return [self._field(path, item) for item in value]
        return self.text(value) if isinstance(value, str) else value

    def _told(self, path: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """A piece of context is called by what it is: customer.phone."""
        for key, item in value.items():
            if path == "context" and key == "text":
                yield key, self.labelled(self.look(value["name"]).text, item)
            else:
                yield key, item

    def _free(self, value: Any, label: str = "") -> Any:
        """The sender's own: names, texts and long numbers."""
        if isinstance(value, str):
            return self.labelled(label, value)
        if isinstance(value, dict):
            masked: dict[str, Any] = {}
            for name, item in value.items():
                shown = _unlike(self.text(name), masked)
                masked[shown] = self._free(item, shown)
            return masked
        if isinstance(value, list):
            return [self._free(item, label) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LONG_NUMBER:
            shown = self.labelled(label, str(value))
            return value if shown == str(value) else shown
        return value


def _unlike(name: str, taken: Mapping[str, Any]) -> str:
    """Two names may look alike under their masks; nothing is lost for that."""
    number, new = 2, name
    while new in taken:
        new, number = f"{name} {number}", number + 1
    return new


Located = TypeVar("Located", Finding, Evidence)


class _Sight:
    """What findings and evidence may show of the answer."""

    def __init__(self, walk: _Walk, data: Mapping[str, Any], masked: Mapping[str, Any]) -> None:
        self._walk = walk
        self._answer = walk.look(data["answer"])
        self._chunks: dict[str, list[str]] = {}
        for chunk in data["retrieved"]:
            self._chunks.setdefault(chunk["ref"], []).append(chunk.get("text") or "")
        self._long = {
            run for text, secret in walk.secrets()
            for run in _runs(text, [secret]) if len(run) >= _TELLING and any(map(str.isdigit, run))
        }  # fmt: skip
        self._original = data["answer"]

    def result(self, result: CheckResult) -> CheckResult:
        if not result.findings and not result.evidence:
            return result
        return replace(
            result,
            findings=tuple(self._finding(one) for one in result.findings),
            evidence=tuple(self._evidence(one) for one in result.evidence),
        )

    def _finding(self, one: Finding) -> Finding:
        hidden = self._hidden(one.start, one.end, one.near_ref, one.near_start, one.near_end)
        cause = one.cause
        if self._within_a_secret(one.start, one.end):
            cause = blank(cause)
            hidden = hidden | {"".join(_WORD.findall(one.surface.lower()))}
        return replace(
            one,
            surface=self._surface(one.surface, one.start, one.end, hidden),
            detail=self._words(one.detail, hidden),
            cause=self._words(cause, hidden),
            near_ref=self._ref(one.near_ref),
        )

    def _evidence(self, one: Evidence) -> Evidence:
        hidden = self._hidden(one.start, one.end, one.ref, one.chunk_start, one.chunk_end)
        surface = self._surface(one.surface, one.start, one.end, hidden)
        return Evidence(
            one.check,
            one.kind,
            surface,
            one.start,
            one.end,
            self._ref(one.ref),
            one.chunk_start,
            one.chunk_end,
        )

    def _ref(self, ref: str | None) -> str | None:
        return None if ref is None else masked_ref(ref, self._walk.redactor)

    def _surface(self, surface: str, start: int | None, end: int | None, hidden: set[str]) -> str:
        place = slice(start, end)
        if start is not None and end is not None and self._original[place] == surface:
            # The whole answer's mask: its context may be what tells a value.
            surface = self._answer.text[place]
        return self._words(surface, hidden)

    def _words(self, text: str, hidden: set[str]) -> str:
        return _without(self._walk.look(text).text, hidden)

    def _hidden(
        self,
        start: int | None,
        end: int | None,
        ref: str | None,
        near_start: int | None,
        near_end: int | None,
    ) -> set[str]:
        """Words that a text about these places must not show: those of the values that they
        touch, and what tells a value wherever it stands."""
        hidden = self._long | _runs(self._original, _touching(self._answer.secrets, start, end))
        for chunk in self._chunks.get(ref or "", ()):
            secrets = self._walk.look(chunk).secrets
            hidden |= _runs(chunk, _touching(secrets, near_start, near_end))
        return hidden

    def _within_a_secret(self, start: int | None, end: int | None) -> bool:
        """A finding about a part of a value, or about all of it and no more."""
        return any(
            not (start is not None and end is not None and start <= one.start and one.end < end)
            for one in _touching(self._answer.secrets, start, end)
        )


_TELLING = 5
"""Characters of a run of digits that tell a value on their own."""
_IDLE = 2
_WORD = re.compile(r"[^\W_]+")


def _touching(secrets: Iterable[Secret], start: int | None, end: int | None) -> list[Secret]:
    if start is None or end is None:
        return []
    return [one for one in secrets if one.start < end and start < one.end]


def _runs(text: str, secrets: Iterable[Secret]) -> set[str]:
    """The words of these values, in lower case. One or two characters tell nothing."""
    words = (word for one in secrets for word in _WORD.findall(text[one.start : one.end].lower()))
    return {word for word in words if len(word) > _IDLE}


def _without(text: str, hidden: set[str]) -> str:
    """Also the beginning of a hidden word, where the text was cut in it."""
    if not hidden:
        return text
    spans = [
        word.span()
        for word in _WORD.finditer(text)
        if word[0].lower() in hidden
        or (text[word.end() : word.end() + 1] == "…"
            and any(one.startswith(word[0].lower()) for one in hidden))
    ]  # fmt: skip
    return covered(text, spans)
