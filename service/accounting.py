"""The books: what is counted for every record, and the equations that must hold. Pure.

Everything that a batch adds to any counter follows from its rows (:func:`totals_of`,
:func:`counters_of`, :func:`partition_counts`), so that ``rebuild`` gets the same books from the
rows in ``rag.verdicts`` as the consumer got from the events. Rows are not frozen, because making a
frozen one costs five times as much; once it is complete, nobody changes one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from service.checks import CHECKS

SEPARATOR = "\x1f"
"""Between the parts of a counter's field: see :class:`CounterField`."""


LIVE = "live"
"""The purpose whose answers enter the rates; probes and shadow traffic do not."""

MISLABELLED_PROBE = "mislabelled_probe"
"""The purpose of the row of a probe whose event says that it is live."""

EMPTY_RETRIEVAL = "empty_retrieval"
SCOPE_MISMATCH = "scope_mismatch"
NO_EVIDENCE = "no_evidence"
"""Marks of a row. The last one: the model was given nothing to answer from."""

OUTCOMES = ("pass", "fail", "not_applicable", "not_evaluated", "disabled")
"""Of a check. In ``rag.verdicts`` they stand as their numbers here: only append."""


class Kind(StrEnum):
    """What became of one received record. Exactly one of these."""

    CHECKED = "checked"
    RECORDED = "recorded"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"


class CheckRow(NamedTuple):
    """One check's outcome in a row. ``evaluated`` = m, ``failed`` = x of the per-item rate."""

    outcome: str
    evaluated: int = 0
    failed: int = 0
    not_evaluated: str = ""


@dataclass(slots=True, init=False)
class Row:
    """Everything that is counted about one record, and nothing else. ``app`` and ``release`` are
    the bounded labels, ``identity`` is the app's name as it was sent. ``hour``: hours since 1970.
    ``causes``: (check, reason, cause, severity, surface) of each finding, the gravest first;
    ``label``: the kind of answer (answer, no_answer, clarify, deny); ``marks``: what the measuring
    checks noticed (empty_retrieval, no_evidence, low_overlap,
    scope_mismatch); ``selection``: of an answer that
    may be judged, what the draw said (selected, sampled_out, budget_skipped), empty where no judge
    is configured; ``factors``: version of the sampling factors that scaled ``pi``; ``tags``: what
    :meth:`service.policy.AppPolicy.counted_tags` made of the event's, such as ``channel=web``."""

    offset: int
    kind: Kind
    reason: str = ""
    app: str = ""
    identity: str = ""
    event_id: str = ""
    release: str = ""
    ruleset: str = ""
    language: str = ""
    purpose: str = ""
    status: str = ""
    hour: int = 0
    timestamp_ms: int = 0
    u: float = 0.0
    stratum: str = ""
    pi: float = 0.0
    pi_audit: float = 0.0
    checks: Mapping[str, CheckRow] = field(default_factory=dict)
    causes: tuple[tuple[str, str, str, str, str], ...] = ()
    label: str = ""
    marks: tuple[str, ...] = ()
    selection: str = ""
    factors: int = 0
    tags: str = ""

    # Spelled out: compiled, it takes a tenth of what the generated one does.
    def __init__(
        self,
        offset: int,
        kind: Kind,
        reason: str = "",
        app: str = "",
        identity: str = "",
        event_id: str = "",
        release: str = "",
        ruleset: str = "",
        language: str = "",
        purpose: str = "",
        status: str = "",
        hour: int = 0,
        timestamp_ms: int = 0,
        u: float = 0.0,
        stratum: str = "",
        pi: float = 0.0,
        pi_audit: float = 0.0,
        checks: Mapping[str, CheckRow] | None = None,
        causes: tuple[tuple[str, str, str, str, str], ...] = (),
        label: str = "",
        marks: tuple[str, ...] = (),
        selection: str = "",
        factors: int = 0,
        tags: str = "",
    ) -> None:
        self.offset = offset
        self.kind = kind
        self.reason = reason
        self.app = app
        self.identity = identity
        self.event_id = event_id
        self.release = release
        self.ruleset = ruleset
        self.language = language
        self.purpose = purpose
        self.status = status
        self.hour = hour
        self.timestamp_ms = timestamp_ms
        self.u = u
        self.stratum = stratum
        self.pi = pi
        self.pi_audit = pi_audit
        self.checks = {} if checks is None else checks
        self.causes = causes
        self.label = label
        self.marks = marks
        self.selection = selection
        self.factors = factors
        self.tags = tags

    @property
    def flagged(self) -> bool:
        return bool(self.causes)

    @property
    def audited(self) -> bool:
        """Part of the uniform sample of live answers that people label blind."""
        return self.purpose == LIVE and self.u < self.pi_audit


def encode_row(row: Row) -> list[Any]:
    """A compact JSON list; short for what is neither an answer nor counted by app. Tags stand last,
    and only where there are any: rows without them are as they were before tags were counted."""
    return _encode_row(row, {})


def encode_rows(rows: Sequence[Row]) -> list[list[Any]]:
    """Each as :func:`encode_row` does, and once what one object says of many (:func:`shared`)."""
    known: dict[int, dict[str, Any]] = {}
    return [_encode_row(row, known) for row in rows]


def _encode_row(row: Row, known: dict[int, dict[str, Any]]) -> list[Any]:
    """``known``: id of a row's ``checks`` → what it was encoded to."""
    if row.kind is Kind.REJECTED:
        return [row.offset, row.kind.value, row.reason, row.timestamp_ms]
    head = [row.offset, row.kind.value, row.timestamp_ms, row.app, row.identity, row.event_id,
            row.release, row.ruleset, row.language, row.purpose, row.status, row.hour]  # fmt: skip
    tags = [row.tags] if row.tags else []
    if row.kind is not Kind.CHECKED:
        return head + tags
    checks = known.get(id(row.checks))
    if checks is None:
        checks = {name: _encode_check(check) for name, check in row.checks.items()}
        known[id(row.checks)] = checks
    return [*head, row.u, row.stratum, row.pi, row.pi_audit, checks, row.causes, row.label,
            row.marks, row.selection, row.factors, *tags]  # fmt: skip


@lru_cache(maxsize=4096)
def _encode_check(check: CheckRow) -> int | tuple[Any, ...]:
    """The outcome's number alone, where there is no more to say."""
    outcome = OUTCOMES.index(check.outcome)
    if check.not_evaluated:
        return (outcome, check.evaluated, check.failed, check.not_evaluated)
    if check.evaluated or check.failed:
        return (outcome, check.evaluated, check.failed)
    return outcome


def _decode_check(data: int | Sequence[Any]) -> CheckRow:
    if isinstance(data, int):
        return CheckRow(OUTCOMES[data])
    return CheckRow(OUTCOMES[data[0]], *data[1:])


_HEAD = ("timestamp_ms", "app", "identity", "event_id", "release", "ruleset", "language",
         "purpose", "status", "hour")  # fmt: skip
_DRAWN = ("u", "stratum", "pi", "pi_audit")
_HEAD_ENDS, _CHECKED_ENDS = 12, 22
"""Where an encoded row ends, or its tags stand."""


def decode_row(data: Sequence[Any]) -> Row:
    kind = Kind(data[1])
    if kind is Kind.REJECTED:
        return Row(offset=data[0], kind=kind, reason=data[2], timestamp_ms=data[3])
    values = dict(zip(_HEAD, data[2:_HEAD_ENDS], strict=True))
    if kind is Kind.CHECKED:
        values |= dict(zip(_DRAWN, data[_HEAD_ENDS:16], strict=True))
        values["checks"] = {name: _decode_check(check) for name, check in data[16].items()}
        values["causes"] = tuple(tuple(cause) for cause in data[17])
        values["label"], values["marks"] = data[18], tuple(data[19])
        values["selection"], values["factors"] = data[20], data[21]
    before_tags = _CHECKED_ENDS if kind is Kind.CHECKED else _HEAD_ENDS
    if len(data) > before_tags:
        values["tags"] = data[before_tags]
    return Row(offset=data[0], kind=kind, **values)


Outcomes = tuple[tuple[str, CheckRow], ...]
"""What all checks said of one answer: a row's ``checks`` as something that can be counted."""


@lru_cache(maxsize=4096)
def shared(outcomes: Outcomes) -> Mapping[str, CheckRow]:
    """A row's ``checks``. Most answers' are like others': where one object stands for all of them,
    they are told apart by it, without a look at each check."""
    return dict(outcomes)


class Alike:
    """Answers by what all checks said of them."""

    __slots__ = ("_checks", "_numbers")

    def __init__(self) -> None:
        self._checks: dict[int, Mapping[str, CheckRow]] = {}
        self._numbers: dict[int, int] = {}

    def add(self, row: Row) -> None:
        key = id(row.checks)
        number = self._numbers.get(key)
        if number is None:
            self._checks[key] = row.checks  # held, so that no other one gets its id
            number = 0
        self._numbers[key] = number + 1

    def outcomes(self) -> Counter[Outcomes]:
        """How many there are of each."""
        found: Counter[Outcomes] = Counter()
        for key, checks in self._checks.items():
            found[tuple(checks.items())] += self._numbers[key]
        return found


def by_check(alike: Mapping[Outcomes, int]) -> Counter[tuple[str, CheckRow]]:
    """(check, what it said) → answers, from the number of answers of which all checks said alike:
    they are many, so that they are counted first and taken apart once."""
    found: Counter[tuple[str, CheckRow]] = Counter()
    for outcomes, number in alike.items():
        for one in outcomes:
            found[one] += number
    return found


def partition_counts(rows: Iterable[Row]) -> Counter[str]:
    """What one partition's checkpoint adds: records by kind."""
    return Counter(row.kind.value for row in rows)


def totals_of(rows: Iterable[Row]) -> Counter[str]:
    """What the whole store adds. ``cases`` and ``suppressed`` are decided by the store itself."""
    totals: Counter[str] = Counter()
    alike = Alike()
    for row in rows:
        totals[row.kind.value] += 1
        if row.kind is Kind.REJECTED:
            totals[f"rejected:{row.reason}"] += 1
        if row.causes:
            totals["flagged"] += 1
        if row.selection:
            totals["judge:eligible"] += 1
            totals[f"judge:{row.selection}"] += 1
        alike.add(row)
    for (name, check), number in by_check(alike.outcomes()).items():
        totals[f"check:{name}:{check.outcome}"] += number
        if check.not_evaluated:
            totals[f"not_evaluated:{name}:{check.not_evaluated}"] += number
    return totals


def counters_of(rows: Iterable[Row]) -> dict[tuple[str, int], Counter[str]]:
    """(app, hour) → field → increment. Only live answers enter: rates are of live traffic."""
    counters: dict[tuple[str, int], Counter[str]] = {}
    for (app, hour, *parts), sums in _sums(rows).items():
        counter = counters.setdefault((app, hour), Counter())
        prefix = prefix_of(*parts)
        for measure, value in sums.measures():
            counter[prefix + measure] += value
    return counters


def counter_prefix(row: Row) -> str:
    """Of the fields in which a row is counted."""
    return prefix_of(row.release, row.ruleset, row.language, row.tags)


class CounterField(NamedTuple):
    """The parts of a counter's field. ``tags``: empty, and no part of the field, where none are
    counted."""

    release: str
    ruleset: str
    language: str
    tags: str
    measure: str


def prefix_of(release: str, ruleset: str, language: str, tags: str = "") -> str:
    """Of a counter's field, all but its measure."""
    place = (release, ruleset, language, tags) if tags else (release, ruleset, language)
    return SEPARATOR.join((*place, ""))


def parse_field(field: str) -> CounterField:
    """A counter's field, taken apart. Raises ValueError for what is none."""
    *place, measure = field.split(SEPARATOR)
    if len(place) == 4:
        release, ruleset, language, tags = place
    else:
        (release, ruleset, language), tags = place, ""
    return CounterField(release, ruleset, language, tags, measure)


def measure_of(field: str) -> str:
    """The measure of a counter's field alone."""
    return field.rpartition(SEPARATOR)[2]


class _Sums:
    """Equal rows and equal outcomes are many: they are counted first, and worked out once."""

    __slots__ = ("alike", "causes", "heads")

    def __init__(self) -> None:
        self.heads: Counter[tuple[Kind, str, str, bool, str, tuple[str, ...], str]] = Counter()
        self.alike = Alike()
        self.causes: Counter[tuple[str, str]] = Counter()

    def measures(self) -> Iterator[tuple[str, int]]:
        for head, number in self.heads.items():
            for measure in _head_measures(*head):
                yield measure, number
        for (name, check), number in by_check(self.alike.outcomes()).items():
            for measure, value in _check_measures(name, check):
                yield measure, value * number
        for cause, number in self.causes.items():
            yield f"cause:{':'.join(cause)}", number


def _sums(rows: Iterable[Row]) -> dict[tuple[Any, ...], _Sums]:
    """(app, hour, release, ruleset, language, tags) → sums over its live answers."""
    places: dict[tuple[Any, ...], _Sums] = {}
    for row in rows:
        if row.kind not in (Kind.CHECKED, Kind.RECORDED) or row.purpose != LIVE:
            continue
        place = (row.app, row.hour, row.release, row.ruleset, row.language, row.tags)
        sums = places.get(place)
        if sums is None:
            sums = places[place] = _Sums()
        head = (row.kind, row.status, row.stratum, row.flagged, row.label, row.marks, row.selection)
        sums.heads[head] += 1
        sums.alike.add(row)
        if row.causes:
            # Answers, not findings: one with five bad numbers is one.
            sums.causes.update({(check, reason) for check, reason, *_ in row.causes})
    return places


def _head_measures(
    kind: Kind,
    status: str,
    stratum: str,
    flagged: bool,
    label: str,
    marks: tuple[str, ...],
    selection: str,
) -> Iterator[str]:
    yield kind.value
    yield f"status:{status}"
    if kind is not Kind.CHECKED:
        return
    yield f"stratum:{stratum}"
    if flagged:
        yield "flagged"
    if label:
        yield f"kind:{label}"
    for mark in marks:
        yield f"mark:{mark}"
    if selection:
        yield f"judge:{selection}:{stratum}"


def _check_measures(name: str, check: CheckRow) -> Iterator[tuple[str, int]]:
    yield f"{name}:{check.outcome}", 1
    if check.not_evaluated:
        yield f"{name}:not_evaluated:{check.not_evaluated}", 1
    if check.evaluated:
        x, m = check.failed, check.evaluated
        # The five sums of a ratio that clusters by answer, and the two of the per-answer rate.
        yield f"{name}:answers", 1
        yield f"{name}:m", m
        yield f"{name}:mm", m * m
        if x:
            yield f"{name}:failed_answers", 1
            yield f"{name}:x", x
            yield f"{name}:xx", x * x
            yield f"{name}:xm", x * m


@dataclass(frozen=True, slots=True)
class Equation:
    """``left`` and ``right``: term → value. It holds when ``imbalance`` (left − right) is 0."""

    name: str
    left: Mapping[str, int]
    right: Mapping[str, int]

    @property
    def imbalance(self) -> int:
        return sum(self.left.values()) - sum(self.right.values())


@dataclass(frozen=True, slots=True)
class PartitionBook:
    """One partition's (or HTTP's, or a file's) account since ``first``. ``counts`` has received,
    gaps, lost, checked, recorded, rejected, duplicate. ``segment`` goes up with each reset."""

    source: str
    partition: int
    first: int
    next: int
    segment: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Books:
    """Everything ``groundwatch books`` and ``/v1/books`` show."""

    equations: tuple[Equation, ...]
    partitions: tuple[PartitionBook, ...]
    totals: Mapping[str, int]

    @property
    def balanced(self) -> bool:
        return all(equation.imbalance == 0 for equation in self.equations)


EQUATIONS = ("offsets", "records", *CHECKS, "flagged", "cases", "eligible", "selected", "tasks")
"""Names of the equations that exist; those of the checks are named by their check."""

CASE_STATES = ("open", "claimed", "withheld", "resolved", "expired", "erased")
TASK_STATES = ("open", "done", "expired", "erased")


@dataclass(frozen=True, slots=True)
class States:
    """What is counted apart from the totals, where it stands now: cases and audit tasks by state,
    and the jobs that wait for the judge."""

    cases: Mapping[str, int] = field(default_factory=dict)
    tasks: Mapping[str, int] = field(default_factory=dict)
    jobs: int = 0


def books_of(
    partitions: Sequence[PartitionBook],
    totals: Mapping[str, int],
    states: States,
    checks: Sequence[str],
) -> Books:
    """The equations of the design, over all partitions and segments."""

    def of(name: str) -> int:
        return sum(book.counts.get(name, 0) for book in partitions)

    equations = [
        Equation(
            "offsets",
            {"next − first": sum(book.next - book.first for book in partitions)},
            {"received": of("received"), "offset gaps": of("gaps"), "lost": of("lost")},
        ),
        Equation(
            "records",
            {"received": of("received")},
            {kind.value: of(kind.value) for kind in Kind},
        ),
    ]
    for check in checks:
        outcomes = {name: totals.get(f"check:{check}:{name}", 0) for name in OUTCOMES}
        equations.append(Equation(check, {"checked": totals.get("checked", 0)}, outcomes))
    equations += [
        Equation(name, {term: totals.get(total, 0)}, right)
        for name, term, total, right in (
            ("flagged", "flagged", "flagged", _terms(totals, _DISPOSITIONS)),
            ("cases", "cases", "cases", _terms(states.cases, CASE_STATES)),
            ("eligible", "eligible for the judge", "judge:eligible", _terms(totals, _SELECTIONS)),
            (
                "selected",
                "selected",
                "judge:selected",
                {**_terms(totals, _JUDGED), "pending": states.jobs},
            ),
            ("tasks", "audit tasks", "tasks", _terms(states.tasks, TASK_STATES)),
        )
    ]
    return Books(tuple(equations), tuple(partitions), dict(totals))


_DISPOSITIONS = ("cases", "suppressed", "auto_grouped")
_SELECTIONS = ("judge:selected", "judge:sampled_out", "judge:budget_skipped")
_JUDGED = ("judge:judged", "judge:undetermined", "judge:failed", "judge:erased")


def _terms(counts: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name.removeprefix("judge:"): counts.get(name, 0) for name in names}
