"""Check ``citations``: every citation of the answer resolves to a retrieved chunk.

:func:`read` finds and resolves the citations, without the document store; :func:`check` decides.
The forms are data, in :mod:`service.checks.citation_forms`; what they can mean is
:mod:`service.checks.citation_targets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from service.checks import citation_forms as forms
from service.checks.citation_forms import Base, Mark, Read
from service.checks.citation_targets import (
    Targets,
    clean,
    closest,
    fold,
    fold_url,
    is_author,
    is_url,
    surname,
    trim_url,
)
from service.checks.model import (
    CheckInput,
    CheckResult,
    Evidence,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
    Span,
)
from service.checks.reading.wording import Wording, shortened
from service.events import AnswerEvent
from service.events import Citation as StructuredCitation
from service.policy import CitationPolicy

NAME = "citations"

MAX_ANSWER = 200_000
"""Characters of the answer past which the check is ``not_evaluated: too_large``."""
MAX_MEMBERS = 2_000
"""Cited sources (a range counts each) past which the check is ``not_evaluated: too_large``."""

UNKNOWN_REF = "unknown_ref"
NOT_RETRIEVED = "not_retrieved"
INDEX_OUT_OF_RANGE = "index_out_of_range"
UNKNOWN_URL = "unknown_url"
UNKNOWN_AUTHOR_YEAR = "unknown_author_year"
MALFORMED = "malformed"

SEVERITY: dict[str, Severity] = {
    UNKNOWN_REF: Severity.HIGH,  # a source was made up
    UNKNOWN_URL: Severity.HIGH,
    UNKNOWN_AUTHOR_YEAR: Severity.HIGH,
    INDEX_OUT_OF_RANGE: Severity.MEDIUM,  # as often the numbering's fault as the model's
    NOT_RETRIEVED: Severity.MEDIUM,  # the source exists
    MALFORMED: Severity.LOW,
}
"""Every reason of this check, and how bad it is."""


# These are made for every answer, and spelled out: what a named tuple or a dataclass makes is left
# to the interpreter by mypyc. Nobody changes them.
@dataclass(slots=True, init=False)
class Member:
    """One source that a citation names. Exactly one of ``ref`` (the chunk it resolves to) and
    ``reason`` is None. ``words`` are as cited, cleaned."""

    words: str
    ref: str | None
    reason: str | None

    def __init__(self, words: str, ref: str | None, reason: str | None) -> None:
        self.words = words
        self.ref = ref
        self.reason = reason


@dataclass(slots=True, init=False)
class ReadCitation:
    """One citation: a marker in the answer, or (``start`` None) a structured one without one."""

    form: str
    surface: str
    start: int | None
    end: int | None
    members: tuple[Member, ...]

    def __init__(
        self,
        form: str,
        surface: str,
        start: int | None,
        end: int | None,
        members: tuple[Member, ...],
    ) -> None:
        self.form = form
        self.surface = surface
        self.start = start
        self.end = end
        self.members = members


@dataclass(slots=True, init=False)
class CitationReading:
    """All citations of one answer in the order of their place, structured ones last.

    ``unknown_refs``: cited refs that no retrieved chunk carries, to ask the document store for.
    ``definitions``: the markers that open a footnote's definition; no citations, no numbers either.
    """

    citations: tuple[ReadCitation, ...] = ()
    unknown_refs: frozenset[str] = frozenset()
    too_large: bool = False
    definitions: tuple[Span, ...] = ()

    def __init__(
        self,
        citations: tuple[ReadCitation, ...] = (),
        unknown_refs: frozenset[str] = frozenset(),
        too_large: bool = False,
        definitions: tuple[Span, ...] = (),
    ) -> None:
        self.citations = citations
        self.unknown_refs = unknown_refs
        self.too_large = too_large
        self.definitions = definitions


_NOTHING: Final = CitationReading()
_TOO_LARGE: Final = CitationReading(too_large=True)
_NONE_UNKNOWN: Final[frozenset[str]] = frozenset()


def read(event: AnswerEvent, policy: CitationPolicy) -> CitationReading:
    """Find the citations of an answer and resolve them against what was retrieved for it."""
    answer = event.answer
    if len(answer) > MAX_ANSWER:
        return _TOO_LARGE
    structured = event.citations
    openers = forms.openers(answer)
    if not openers and not structured and "citeturn" not in answer:
        return _NOTHING
    reader = _Reader(answer, Targets(event.retrieved, policy), policy)
    found = reader.markers(openers)
    if found is None:
        return _TOO_LARGE
    if structured:
        if sum([len(citation.members) for citation in found]) + len(structured) > MAX_MEMBERS:
            return _TOO_LARGE
        if policy.forms is None or "structured" in policy.forms:
            found = _with_structured(found, structured, reader)
    unknown: list[str] = []
    for citation in found:
        for member in citation.members:
            if member.reason == UNKNOWN_REF or member.reason == UNKNOWN_URL:
                unknown.append(member.words)
    return CitationReading(
        tuple(found),
        frozenset(unknown) if unknown else _NONE_UNKNOWN,
        definitions=tuple(reader.definitions),
    )


def check(given: CheckInput, reading: CitationReading | None = None) -> CheckResult:
    """Decide every citation; a group such as ``[1, 7]`` is one citation and one finding.

    An answer without a citation is ``not_applicable`` even where the policy requires citations:
    what is missing then is coverage, the business of ``citation_coverage``; no citation is wrong.
    """
    if reading is None:
        reading = read(given.event, given.policy.citations)
    if reading.too_large:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    if not reading.citations:
        return CheckResult(Outcome.NOT_APPLICABLE, owned=reading.definitions)
    findings: list[Finding] = []
    evidence: list[Evidence] = []
    owned: list[Span] = list(reading.definitions)
    evaluated = 0
    explain: _Explain | None = None
    for citation in reading.citations:
        dead = _dead(citation)
        if dead is not None and dead.reason == UNKNOWN_URL and _is_content(citation, dead, given):
            continue
        evaluated += 1
        surface, start, end = citation.surface, citation.start, citation.end
        if start is not None and end is not None:
            owned.append((start, end))
        for member in citation.members:
            if member.ref is not None:
                evidence.append(Evidence(NAME, "resolved", surface, start, end, member.ref))
        if dead is not None:
            explain = explain or _Explain(given)
            findings.append(explain(citation, dead))
    if not evaluated:
        return CheckResult(Outcome.NOT_APPLICABLE, owned=reading.definitions)
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        tuple(findings),
        tuple(evidence),
        evaluated=evaluated,
        failed=len(findings),
        owned=tuple(sorted(owned)) if reading.definitions else tuple(owned),
    )


def _dead(citation: ReadCitation) -> Member | None:
    for member in citation.members:
        if member.ref is None:
            return member
    return None


def _is_content(citation: ReadCitation, dead: Member, given: CheckInput) -> bool:
    """A link that the retrieved text or the query itself shows is passed on, not cited."""
    if citation.form not in ("link", "anchor", "bare_url", "angle_url"):
        return False
    address = dead.words.rstrip("/")
    return any(text is not None and address in text for text in (*given.texts, given.event.query))


# ---------------------------------------------------------------------------------- the findings

_NEAREST_FOR = 10


class _Explain:
    """Findings in the reviewer's words. The nearest refs are sought for the first few only."""

    def __init__(self, given: CheckInput) -> None:
        self._given = given
        self._retrieved = given.event.retrieved
        self._refs: dict[str, str] = {}
        for chunk in self._retrieved:
            self._refs.setdefault(fold(chunk.ref), chunk.ref)
        self._say = Wording(given.event)
        self._sought = 0

    def __call__(self, citation: ReadCitation, dead: Member) -> Finding:
        reason = dead.reason or MALFORMED
        if reason in (UNKNOWN_REF, UNKNOWN_URL) and dead.words in self._given.corpus_refs:
            reason = NOT_RETRIEVED
        surface = citation.surface
        shown = shortened(surface)
        if len(citation.members) > 1 and dead.words != surface:
            shown += f": {shortened(dead.words)}"
        near = self._nearest(dead.words) if reason in _NEAR_REASONS and self._refs else None
        detail = self._why(reason, shown)
        if near is not None:
            detail += self._say("nearest_ref", ref=shortened(near))
        return Finding(
            NAME,
            reason,
            surface,
            citation.start,
            citation.end,
            detail,
            SEVERITY[reason],
            _cause(reason, dead.words),
            near,
        )

    @cached_property
    def _numbered(self) -> int:
        return Targets(self._retrieved, self._given.policy.citations).numbered

    def _why(self, reason: str, shown: str) -> str:
        if reason == MALFORMED:
            return self._say("malformed", shown=shown)
        if reason == INDEX_OUT_OF_RANGE:
            count, base = self._numbered, self._given.policy.citations.base
            if not count:
                return self._say("no_prompt", shown=shown)
            low, high = base, count - 1 + base
            return self._say("out_of_range", shown=shown, count=count, low=low, high=high)
        count = len(self._retrieved)
        if not count:
            return self._say("nothing_retrieved", shown=shown)
        key = "unknown_author" if reason == UNKNOWN_AUTHOR_YEAR else reason
        return self._say(key if count > 1 else f"{key}_of_one", shown=shown, count=count)

    def _nearest(self, words: str) -> str | None:
        self._sought += 1
        if self._sought > _NEAREST_FOR:
            return None
        return _nearest(fold(words[:300]), self._refs, self._given.policy.citations.separator)


_NEAR_REASONS = frozenset({UNKNOWN_REF, UNKNOWN_URL, NOT_RETRIEVED})


def _nearest(folded: str, spelled: Mapping[str, str], separator: str) -> str | None:
    """``spelled``: the refs by what they are folded to."""
    refs = [ref for ref in spelled if len(ref) <= 300]
    document, found, _ = folded.partition(separator)
    siblings = [ref for ref in refs if ref.partition(separator)[0] == document] if found else []
    near = closest(folded, siblings or refs, 0.0 if siblings else 0.6)
    return None if near is None else spelled[near]


def _cause(reason: str, words: str) -> str:
    folded = (fold_url(words) or fold(words)) if reason == UNKNOWN_URL else fold(words)
    return folded[:200] or reason


# ----------------------------------------------------------------------- the structured citations


def _with_structured(
    found: list[ReadCitation], structured: Sequence[StructuredCitation], reader: _Reader
) -> list[ReadCitation]:
    """A structured citation that spans a marker says what it means; the others stand alone."""
    at = {(citation.start, citation.end): place for place, citation in enumerate(found)}
    for citation in structured:
        member = reader.name(citation.ref)
        start, end = citation.start, citation.end
        place = at.get((start, end))
        if place is None and start is not None and end is not None:
            place = next((at[near] for near in _around(start, end) if near in at), None)
        if place is None:
            found.append(ReadCitation("structured", citation.ref, None, None, (member,)))
        else:
            marker = found[place]
            found[place] = ReadCitation(
                marker.form, marker.surface, marker.start, marker.end, (member,)
            )
    return found


def _around(start: int, end: int) -> Iterator[Span]:
    """Offsets of the same marker by systems that count the end, or a space, differently."""
    for left in (start, start + 1):
        for right in (end, end + 1, end - 1):
            yield left, right


# ------------------------------------------------------------------------------------ the markers

_CLOSES = re.compile(r"[*_\"'”“»)\]]{0,4}(?:\s{0,2}\Z| ?\n| ?[\[【.,;:!?。，、；：！？<|)])")
_CODE_NAMES = frozenset("arr args argv buf dict idx lst nums ptr str tmp vec xs ys".split())
"""Names that are words of no language: what is glued to them is an index."""
_IDENTIFIER_BEFORE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
_ASSIGNED = re.compile(r"(?:[\w)\]\"' ]=|[\"']\s?:|[∈→×]|\]\s?\+)\s?\Z")
_ASSIGNING: Final = frozenset("=:∈+→×")
_SUBSCRIPT = re.compile(r"\w{1,32}(?:\s?[-+*:]\s?\w{0,32})?")
_LISTED = re.compile(
    r"(?i)(?:\b(?:interval\w*|range|\w*bereich|between|zwischen|vectors?|vektor\w*|arrays?"
    r"|lists?|listen?|tuples?|tupel|matrix|rgb|coordinates|koordinaten)"
    r"(?: (?:of|von|is|ist|from|wie|like))?"
    r"|区间|範囲|配列)\s?\Z|(?:\A|\n)\s*(?!source|quelle|ref|cit)[a-z_][a-z0-9_-]{0,30}: ?\Z"
)
_OWN_NOTE = re.compile(r"(?m)^[ \t]{0,3}([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}) ")
"""A line at the end of the answer that says what its raised mark means; no source."""
_MANY: Final = 50
"""Chunks of which one may have a number of three digits."""
_NEXT_ROW = re.compile(r",\s{0,2}(?=\[)")
_UNIT_OR_SYMBOL = re.compile(
    r"(?:\A|[\W\d_])(?:[^\W\d_]|[cdkmµn]m|ft|in|yd|mi|ha|sec|min|co|ch|nh|so|no)\Z", re.I
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ʼ˒", "0123456789-,,")
_AUTHOR_BEFORE = re.compile(
    r"([A-ZÀ-ÖØ-Þ][^\W\d_]+(?:-[^\W\d_]+)?)"
    r"(?:(?: et al\.?| u\. ?a\.)|(?: (?:and|und|&|y|et) [A-ZÀ-Þ][^\W\d_]+))?\s?\Z"
)
_YEAR = re.compile(r"((?:1[5-9]|20)\d\d)[a-z]?")
_PROSE = re.compile(r"[^\W\d_]+(?:[ ,.]+[^\W\d_]+)*[.!?]?")
"""Words only: no ref, no number, no year, no label's colon."""
_NOTATIONS_OF_PARENS = tuple(notation for notation in forms.NOTATIONS if notation.parens)

# by their own names: looked up through its class, a member costs ten times as much (Python 3.11)
_SKIP: Final = Read.SKIP
_BRACKET: Final = Read.BRACKET

Reading = tuple[str, list[Member]]
"""The name of the form, and what it cites."""


class _Reader:
    """One pass over one answer, left to right; what a mark has consumed is not looked at again."""

    def __init__(self, answer: str, targets: Targets, policy: CitationPolicy) -> None:
        self._answer = answer
        self._targets = targets
        self._policy = policy
        self._definitions = _definitions(answer) if "]:" in answer else {}
        self._code_until = -1
        self._own_notes: frozenset[str] | None = None
        self._row_at = -1  # where the next row of a matrix would begin
        self.definitions: list[Span] = []

    def markers(self, openers: Sequence[int]) -> list[ReadCitation] | None:
        """Those of the forms that count, in order; None where they cite too many sources."""
        answer, allowed = self._answer, self._policy.forms
        found: list[ReadCitation] = []
        members = done = 0
        for start in openers:
            if start < done:
                continue
            char = answer[start]
            if char in ":：":
                citation = self._at_colon(start)
            else:
                citation, done = self._at_mark(char, start, done)
            if citation is None:
                continue
            done = citation.end or done
            if allowed is None or citation.form in allowed:
                found.append(citation)
                members += len(citation.members)
                if members > MAX_MEMBERS:
                    return None
        if "citeturn" in answer and (allowed is None or "turn" in allowed):
            # what is left where the private-use characters were stripped: citeturn0search0
            for match in forms.PLAIN_TURNS.finditer(answer):
                turns = tuple(self._turns(match["body"]))
                found.append(ReadCitation("turn", match[0], match.start(), match.end(), turns))
                members += len(turns)
                if members > MAX_MEMBERS:
                    return None
        return found

    def _at_mark(self, char: str, start: int, done: int) -> tuple[ReadCitation | None, int]:
        answer = self._answer
        if char == "[" and (end := forms.plain_bracket(answer, start)):
            reading = self._bracket(answer[start + 1 : end - 1], start, end)
            if reading is None:
                return None, done
            form, members = reading
            return ReadCitation(form, answer[start:end], start, end, tuple(members)), end
        for mark in forms.MARKS_AT[char]:
            match = mark.pattern.match(answer, start)
            if match is None:
                continue
            end = match.end()
            if mark.read is _SKIP:
                if mark.name == "definition":
                    if not self._is_definition(match[0]):
                        continue
                    self.definitions.append((start, answer.index("]:", start) + 2))
                return None, end
            reading = self._read(mark, match, start, end)
            if reading is not None:
                form, members = reading
                if form == "narrative":
                    return self._narrative(start, end, members), end
                return ReadCitation(form, answer[start:end], start, end, tuple(members)), end
            if mark.read is Read.LINK:
                return None, end
        return None, done

    def _is_definition(self, line: str) -> bool:
        """``[1]: …`` defines when it is a footnote, holds an address, or is pointed to."""
        marker = line[: line.index("]") + 1]
        if marker.startswith("[^") or is_url(line[len(marker) + 1 :].strip(" <\t")):
            return True
        return self._answer.find(marker, self._answer.find(marker) + 1) >= 0

    def _read(self, mark: Mark, match: re.Match[str], start: int, end: int) -> Reading | None:
        read = mark.read
        if read is _BRACKET:
            return self._bracket(match["body"], start, end)
        if read is Read.PAREN:
            return self._paren(match["body"], start)
        members: list[Member] | None
        if read is Read.NAMED:
            members = self._named(_body(match), mark.base)
        elif read is Read.LINK:
            members = self._link(match["text"], match["url"], start, end)
        elif read is Read.URL:
            members = self._link("", match["url"], start, end)
        elif read is Read.INDEX:
            members = [self._index(int(match["body"]), mark.base)]
        elif read is Read.TURN:
            members = self._turns(match["body"])
        else:
            members = self._raised(match["body"], start)
        return (mark.name, members) if members else None

    # brackets and parentheses

    def _bracket(self, body: str, start: int, end: int) -> Reading | None:
        answer = self._answer
        words = clean(body)
        if not words:
            return None
        if start and (answer[start - 1].isalnum() or answer[start - 1] in "_])"):
            if _SUBSCRIPT.fullmatch(words) and self._is_subscript(start, end, words):
                self._code_until = end
                return None
        before = answer[max(0, start - 48) : start]
        if before.rstrip()[-1:] in _ASSIGNING and _ASSIGNED.search(before):
            return None
        members: list[Member] | None
        if words in self._definitions:
            members = self._defined(self._definitions[words])
            if members:
                return "footnote", members
        ref = self._targets.known(words)
        if ref is not None:
            return "ref", [Member(words, ref, None)]
        if words.isdecimal() and (members := self._numbers(words, Base.POLICY, sure=False)):
            return "numeric", members
        closes = _CLOSES.match(answer, end) is not None
        for notation in forms.NOTATIONS:
            match = notation.pattern.fullmatch(words)
            if match is None:
                continue
            members = self._notation(notation, match, words, closes, True)
            if not members:
                continue
            if notation.name == "numeric" and not match["numbers"].isdecimal():
                if self._is_listed(members[0].words, before) or self._is_row(start, end):
                    return None
            return notation.name, members
        return None

    def _paren(self, body: str, start: int) -> Reading | None:
        words = clean(body)
        if not words or _PROSE.fullmatch(words):
            return None
        meant = forms.LEAD_IN.sub("", words)
        led = meant != words
        if is_url(meant):
            return None
        if self._targets.known(meant) is not None and not (led or not meant.isalpha()):
            return None
        if len(meant) <= 5 and self._targets.by_author and _YEAR.fullmatch(meant):
            name = _AUTHOR_BEFORE.search(self._answer[max(0, start - 100) : start])
            members = self._author(name[1], meant[:4]) if name else None
            return ("narrative", members) if members else None
        for notation in _NOTATIONS_OF_PARENS:
            match = notation.pattern.fullmatch(meant)
            if match is not None:
                members = self._notation(notation, match, meant, led, led)
                if members:
                    return notation.name, members
        return None

    def _notation(
        self,
        notation: forms.Notation,
        match: re.Match[str],
        words: str,
        closes: bool,
        apart: bool,
    ) -> list[Member] | None:
        name = notation.name
        if name == "labelled":
            return self._labelled(match, words, apart)
        if name == "dagger":
            return self._dagger(match)
        if name == "author_year":
            return self._authors(words)
        if name == "numeric" and ";" in words:
            return self._by_page(words)
        if words[0] == "#" and name == "numeric" and self._is_everyday(match["numbers"]):
            return None
        if name in ("numeric", "reference_zero", "dotted"):
            return self._numbers(match["numbers"], notation.base, sure=name != "numeric")
        refs = match["refs"]
        if name == "footnote":
            numbers = forms.NOTATIONS[0].pattern.fullmatch(refs.replace("^", ""))
            if numbers is not None:
                return self._numbers(numbers["numbers"], notation.base, sure=True)
        return self._refs(refs, notation.sure, closes, apart)

    def _is_subscript(self, start: int, end: int, words: str) -> bool:
        """``a[0]``, ``dp[i][7]``, ``rows[k].id``: glued to a name that is one of code."""
        answer = self._answer
        if answer[start - 1] == "]":
            return self._code_until == start
        if answer.startswith("()", start - 2):
            return True
        match = _IDENTIFIER_BEFORE.search(answer, max(0, start - 64), start)
        name = match[0].strip("_") if match else ""
        if match is None or not name:
            return False
        if len(name) == 1 or "_" in name or ("." in name and words == "0") or name in _CODE_NAMES:
            return True
        if name.startswith(("self.", "this.")):
            return True
        after = answer[end : end + 3]
        if words.isalpha() and after[:1] == "[":
            return True
        if after[:1] == "." and after[1:2].isalpha():
            return True
        if answer[max(0, match.start() - 2) : match.start()].strip() == "=":
            return True
        return after.lstrip(" ")[:1] in ("=", "+", "{") or (after[:1] == "*" and after[1:2] != "*")

    def _is_listed(self, first: str, before: str) -> bool:
        """Intervals, arrays and character classes are written like groups of numbers."""
        return (self._policy.base == 1 and first == "0") or _LISTED.search(before) is not None

    def _is_row(self, start: int, end: int) -> bool:
        """``[[1, 9], [8, 7]]``: lists in a list."""
        more = _NEXT_ROW.match(self._answer, end)
        first = more is not None and self._answer[start - 1 : start] == "["
        if not first and self._row_at != start:
            return False
        self._row_at = -1 if more is None else more.end()
        return True

    # what a mark holds

    def _index(self, index: int, base: Base, words: str | None = None) -> Member:
        ref = self._targets.number(index, base)
        words = words or str(index)
        reason = INDEX_OUT_OF_RANGE if len(words) <= 3 else UNKNOWN_REF
        return Member(words, ref, None if ref else reason)

    def _numbers(self, words: str, base: Base, sure: bool) -> list[Member] | None:
        """The members of ``1``, ``1, 3``, ``2-4``; a range stops at its first dead number."""
        if len(words) <= 3 and words.isdecimal():
            return [self._index(int(words), base)]
        members: list[Member] = []
        for part in forms.NUMBER_OR_RANGE.finditer(words):
            first, last = part[1], part[2]
            if last is None:
                members.append(self._index(int(first), base))
                continue
            if int(last) <= int(first):
                return None
            for index in range(int(first), int(last) + 1):
                members.append(self._index(index, base))
                if members[-1].ref is None:
                    # [2-5] of four: the reader sees where it breaks off, not 5,000 findings
                    break
        dead = next((member for member in members if member.ref is None), None)
        if dead is not None and not sure and len(dead.words) > 3:
            return [dead] if self._targets.numbers_alike(dead.words) else None
        if dead is not None and 1500 <= int(dead.words) <= 2099:
            return None
        return members

    def _by_page(self, words: str) -> list[Member] | None:
        """``1;2;3``, and ``1, p. 12; 2, p. 18`` where every source has a page of its own."""
        members: list[Member] = []
        for part in words.split(";"):
            match = forms.NOTATIONS_BY_NAME["numeric"].pattern.fullmatch(part.strip())
            numbers = self._numbers(match["numbers"], Base.POLICY, sure=False) if match else None
            if match is not None and numbers is None:
                return None
            members += numbers or []
        return members

    def _labelled(self, match: re.Match[str], words: str, apart: bool) -> list[Member] | None:
        several = forms.EACH_LABELLED.split(words)
        if len(several) > 1:
            return self._each_labelled(several, apart)
        label = forms.LABELS.get(match["label"].casefold())
        sign, rest = match["sign"].strip(), (match["rest"] or "").strip()
        explicit = ":" in sign or "=" in sign
        if label is None:
            return self._refs(rest, False, False, True) if explicit and apart and rest else None
        if not (apart or label.parens) or (label.names and not label.parens and not explicit):
            return None
        if not rest:
            return [Member("", None, MALFORMED)] if explicit and label.names else None
        if self._targets.names_alike(fold(words)):
            return [Member(words, None, UNKNOWN_REF)]
        numbers = forms.LABELLED_NUMBERS.fullmatch(rest)
        if numbers is not None and self._targets.known(rest) is None:
            if _is_counted(numbers, ":" in sign):
                return None
            if label.numbers_things and self._is_everyday(numbers["numbers"]):
                return None
            return self._numbers(numbers["numbers"], label.base, sure=False)
        if not explicit and (sign or not label.names):
            return None
        return self._refs(rest, explicit and label.names, True, explicit)

    def _is_everyday(self, number: str) -> bool:
        """``[#123]``, ``(ID: 482)``: an order's, a ticket's, where no chunk has such a number."""
        return (
            len(number) == 3
            and self._targets.numbered < _MANY
            and (self._targets.number(int(number), Base.EITHER) is None)
        )

    def _each_labelled(self, several: Sequence[str], apart: bool) -> list[Member] | None:
        """``Source 1, Source 9``; but of ``chunk_id: kb-7 | page: 9`` and ``Source 1, chunk 3``
        the second is a place within the first."""
        members: list[Member] = []
        kind = ""
        for part in several:
            words = part.strip()
            match = forms.NOTATIONS_BY_NAME["labelled"].pattern.fullmatch(words)
            if match is None:
                return None
            label = match["label"].casefold()
            if members and label != kind and forms.LOCATOR.match(words):
                continue
            kind = kind or label
            found = self._labelled(match, words, apart)
            if not found:
                return None
            members += found
        return members

    def _dagger(self, match: re.Match[str]) -> list[Member] | None:
        """``【4:0†x】`` counts from 0 within a message, ``【1†x】`` like any number. Where refs are
        files, a file's name is surer than either."""
        name = match["name"].strip()
        if name and (ref := self._targets.known(name)) is not None:
            return [Member(name, ref, None)]
        if name and "." in name and self._targets.resembles(name, True) and self._targets.has_files:
            return [Member(name, None, UNKNOWN_REF)]
        if match["index"] is None:
            return [Member("", None, MALFORMED)]
        base = Base.ZERO if match["turn"] is not None else Base.POLICY
        return [self._index(int(match["index"]), base)]

    def _refs(self, words: str, sure: bool, closes: bool, apart: bool) -> list[Member] | None:
        words = words.lstrip("@")
        whole = self._targets.known(words)
        if whole is not None:
            return [Member(words, whole, None)]
        members: list[Member] = []
        first = ""
        for part in forms.MEMBERS.split(words)[:200]:
            part = part.strip("<>@^\"'“”„` ").removeprefix("-@")
            if not part or "[" in part or "]" in part or forms.LOCATOR.match(part):
                continue
            if part.isdecimal():
                if sure and not members:
                    members.append(self._index(int(part), Base.POLICY))
                elif apart and not members and len(part) <= 2:
                    first = part
                continue
            member = self.name(trim_url(part) if is_url(part) else part.rstrip("."))
            if member.ref is None and apart and " " in part:
                member = self._headed(part) or member
            if member.ref is not None or self._is_meant(member, sure, closes, apart):
                members.append(member)
        if first and members and members[0].ref is not None:
            # [9, kb-7]: what stands before a ref is a source too; after one, it may be a page
            members.insert(0, self._index(int(first), Base.POLICY))
        return members or None

    def _headed(self, words: str) -> Member | None:
        """``kb-101: Backups``, ``kb-101 section 2``: a ref, and what it is about."""
        head = words.split(" ", 1)[0].rstrip(":")
        ref = self._targets.known(head)
        if ref is None and not (len(head) > 3 and self._targets.names_alike(fold(head))):
            return None
        if head.isalpha():
            return None
        return Member(head, ref, None if ref else UNKNOWN_REF)

    def _is_meant(self, member: Member, sure: bool, closes: bool, apart: bool) -> bool:
        words = member.words
        if member.reason == UNKNOWN_URL:
            return self._targets.by_url
        if self._targets.resembles(words, closes, apart):
            return True
        if not sure or not words or any(char in words for char in " \t(){}=<>|*"):
            return False
        return not words[0].isupper() or not words.isalpha()

    def name(self, words: str) -> Member:
        """One name, by every way of naming a chunk."""
        ref = self._targets.ref(words)
        if ref is None and words.isdecimal() and len(words) <= 6:
            return self._index(int(words), Base.POLICY, words)
        reason = None if ref else UNKNOWN_URL if is_url(words) else UNKNOWN_REF
        return Member(clean(words), ref, reason)

    def _named(self, body: str, base: Base) -> list[Member] | None:
        words = clean(body)
        if not words:
            return [Member("", None, MALFORMED)]
        ref = self._targets.known(words)
        if ref is not None:
            return [Member(words, ref, None)]
        if words[0].isdecimal():
            match = forms.NOTATIONS[0].pattern.fullmatch(words)
            if match is not None:
                return self._numbers(match["numbers"], base, sure=True)
        label = forms.NOTATIONS_BY_NAME["labelled"].pattern.fullmatch(words)
        members = self._labelled(label, words, True) if label else None
        return members or self._refs(words, True, True, True)

    def _link(self, text: str, url: str, start: int, end: int) -> list[Member] | None:
        targets = self._targets
        if is_url(url):
            if targets.by_url:
                ref = targets.url(url) or targets.known(clean(text))
                return [Member(url, ref, None if ref else UNKNOWN_URL)]
        elif url and not url.startswith("#"):
            ref = targets.ref(url)
            if ref is not None:
                return [Member(url, ref, None)]
            if ":" not in url and targets.resembles(url, False, False):
                return [Member(clean(url), None, UNKNOWN_REF)]
        reading = self._bracket(text, start, end) if text else None
        return reading[1] if reading else None

    def _defined(self, definition: str) -> list[Member] | None:
        """The sources that a footnote's definition names; None when it is prose."""
        url = forms.BARE_URL.search(definition)
        if url is not None:
            return self._link("", trim_url(url[0]), 0, 0)
        return self._refs(definition, False, True, True)

    def _turns(self, body: str) -> list[Member]:
        return [
            Member(turn[0], ref, None) if (ref := self._targets.ref(turn[0]))
            else self._index(int(turn[1]), Base.ZERO)
            for turn in forms.TURN_ID.finditer(body)
        ]  # fmt: skip

    def _raised(self, body: str, start: int) -> list[Member] | None:
        """Superscript digits are a mark after a word or a full stop, an exponent after a unit."""
        if self._own_notes is None:
            self._own_notes = frozenset(_OWN_NOTE.findall(self._answer))
        if body in self._own_notes:
            return None
        before = self._answer[max(0, start - 24) : start]
        if not before or before[-1] in " \t\n⁻⁺^(=+*/" or before[-1].isdigit():
            return None
        if _UNIT_OR_SYMBOL.search(before):
            return None
        members: list[Member] = []
        for part in re.split(r"[,;\s]+", clean(body.translate(_RAISED))):
            if not part or not part[0].isdecimal():
                continue
            numbers = self._numbers(part, Base.POLICY, sure=False)
            if numbers is None:
                return None
            if numbers[-1].ref is None and len(part) > 1 and part.isdecimal():
                apart = [self._index(int(digit), Base.POLICY) for digit in part]
                numbers = apart if all(member.ref for member in apart) else numbers
            members += numbers
        return members or None

    def _authors(self, words: str) -> list[Member] | None:
        if not self._targets.by_author:
            return None
        whole = self._targets.known(words)
        if whole is not None:
            return [Member(words, whole, None)]
        members: list[Member] = []
        pattern = forms.NOTATIONS_BY_NAME["author_year"].pattern
        for part in words.split(";")[:50]:
            match = pattern.fullmatch(forms.LEAD_IN.sub("", part.strip()))
            found = self._author(match["author"], match["year"]) if match else None
            if found is None:
                return None
            members += found
        return members

    def _author(self, author: str, year: str) -> list[Member] | None:
        name = surname(author)
        if not is_author(name) or not name[:1].isupper() or author.count(" ") > 8:
            return None
        ref = self._targets.author(name, year)
        return [Member(f"{name} {year}", ref, None if ref else UNKNOWN_AUTHOR_YEAR)]

    def _narrative(self, start: int, end: int, members: Sequence[Member]) -> ReadCitation:
        """``Smith et al. (2020)``: the name before the parenthesis is part of the citation."""
        head = _AUTHOR_BEFORE.search(self._answer, max(0, start - 100), start)
        start = head.start() if head else start
        return ReadCitation("author_year", self._answer[start:end], start, end, tuple(members))

    # colons: URLs in running text, and "Quelle: kb-105" at the end of a line

    def _at_colon(self, colon: int) -> ReadCitation | None:
        answer = self._answer
        if answer.startswith("://", colon):
            return self._bare_url(colon)
        if answer[colon] == ":" and answer[colon + 1 : colon + 2] not in (" ", "*", "_"):
            return None
        before = answer[max(0, colon - 27) : colon].rstrip("*_ ").casefold()
        if before[-2:] not in forms.LAST_OF_SOURCE or not before.endswith(forms.SOURCE_ENDINGS):
            return None
        word = forms.LABEL_BEFORE_COLON.search(answer, max(0, colon - 27), colon)
        if word is None or word[1].casefold() not in forms.SOURCE_WORDS:
            return None
        after = forms.REFS_AFTER_COLON.match(answer, colon + 1)
        if after is None or is_url(after[1]):
            return None
        members = self._refs(clean(after[1]).rstrip(".,;"), False, True, True)
        if not members:
            return None
        start, end = word.start(1), after.start(1) + len(after[1].rstrip(".,;"))
        return ReadCitation("label_line", answer[start:end], start, end, tuple(members))

    def _bare_url(self, colon: int) -> ReadCitation | None:
        if not self._targets.by_url:
            return None
        answer = self._answer
        start = colon - (5 if answer[max(0, colon - 5) : colon].lower() == "https" else 4)
        match = forms.BARE_URL.match(answer, start) if start >= 0 else None
        if match is None:
            return None
        url = trim_url(match[0])
        ref = self._targets.url(url)
        member = Member(url, ref, None if ref else UNKNOWN_URL)
        return ReadCitation("bare_url", url, start, start + len(url), (member,))


def _is_counted(numbers: re.Match[str], explicit: bool) -> bool:
    """``Note: 5 days for part-time``: it counts what follows, and cites nothing. ``Source 3
    Handbook`` does cite; after a colon no name follows a number without a sign between."""
    tail = numbers["prose"]
    if not tail or forms.LOCATOR.match(tail):
        return False
    return explicit or tail[:1].islower()


def _body(match: re.Match[str]) -> str:
    """A tag's attribute stands in quotes of either kind, or in none."""
    groups: Iterable[str | None] = (
        match.groupdict().get("body"),
        *(match.groupdict().get(name) for name in ("single", "bare")),
    )
    return next((group for group in groups if group is not None), "")


def _definitions(answer: str) -> dict[str, str]:
    """``[^1]: pricing#plans`` at the start of a line says what ``[^1]`` means."""
    return {clean(label): text for label, text in forms.DEFINITION.findall(answer)}
