"""The pipeline, pure: records in, effects out. The same for Kafka, HTTP and files.

:func:`read_batch` parses, :func:`missing_refs` says which texts the document store should be asked
for, :func:`process` checks every answer and adds up what the batch changes. Nothing here does I/O;
what the store already knows comes in as :class:`Seen`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import islice
from typing import Protocol, TypeVar

from service import sampling
from service.accounting import (
    EMPTY_RETRIEVAL,
    LIVE,
    NO_EVIDENCE,
    SCOPE_MISMATCH,
    SEPARATOR,
    CheckRow,
    Kind,
    Row,
    shared,
)
from service.checks import (
    CHECKS,
    TOGETHER,
    Lap,
    numbers,
    read_citations,
    run_checks,
    run_together,
    where,
)
from service.checks.citations import CitationReading
from service.checks.model import CheckInput, CheckResult, Finding, NotEvaluated, Outcome
from service.checks.reading.cache import Twins
from service.checks.reading.language import detect
from service.drafts import (
    CaseDraft,
    JobDraft,
    Kept,
    TaskDraft,
    case_id,
    draft_case,
    draft_job,
    draft_task,
    job_citations,
    refused_job,
    with_corpus_hints,
    with_seen,
)
from service.events import (
    AnswerEvent,
    Chunk,
    EventLimits,
    Rejection,
    RejectReason,
    as_told,
    parse_event,
    trace_id_of,
)
from service.makeup import PARTS, Makeup, Makeups
from service.mapping import read_mapped
from service.measuring.probe_ids import purpose_of
from service.policy import OTHER, AppPolicy, Policy
from service.questions import Question, question_of, reasons_of
from service.records import Record
from service.redaction.answers import masked_answer, masked_ref
from service.redaction.redactor import redactor_of
from service.review.cases import SEVERITY_ORDER
from service.sampling import INITIAL_FACTORS, Factors

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS

DocKey = tuple[str, str]
"""(corpus, ref) in the document store."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What processing depends on besides the records: the settings' part of the pipeline."""

    policy: Policy
    secret: bytes
    limits: EventLimits = EventLimits()
    default_app: str = "default"
    releases_per_app: int = 20
    id_window_ms: int = HOUR_MS
    case_bytes: int = 200_000
    job_bytes: int = 1 << 20
    judge: bool = False


@dataclass(slots=True, init=False)
class Item:
    """One record, read. ``identity_hash``: 64 bits of (app, event id), 0 for a rejection;
    ``texts``: of the chunks retrieved, as the event told them; ``told``: the event's JSON, which is
    the record's value unless a mapping made it."""

    record: Record
    event: AnswerEvent | Rejection
    reading: CitationReading | None = None
    identity_hash: int = 0
    texts: tuple[str | None, ...] = ()
    told: bytes = b""

    # spelled out, as all that is made for every answer: mypyc leaves a dataclass's own uncompiled
    def __init__(
        self,
        record: Record,
        event: AnswerEvent | Rejection,
        reading: CitationReading | None = None,
        identity_hash: int = 0,
        texts: tuple[str | None, ...] = (),
        told: bytes = b"",
    ) -> None:
        self.record = record
        self.event = event
        self.reading = reading
        self.identity_hash = identity_hash
        self.texts = texts
        self.told = told

    @property
    def incomplete(self) -> bool:
        """Whether the document store may know more: a text that is absent, a ref that is cited."""
        return None in self.texts or bool(self.reading is not None and self.reading.unknown_refs)


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive records of one partition: offsets [first, next).

    ``received`` is what the poll returned, counted there and not here; ``gaps`` are offsets that
    never hold a record for a reader (markers, compaction); ``lost``: reason → offsets.
    """

    source: str
    partition: int
    topic_id: str
    segment: int
    first: int
    next: int
    received: int
    gaps: int
    lost: Mapping[str, int]
    items: tuple[Item, ...]
    writer: str = ""

    @property
    def batch_id(self) -> str:
        """Unique to its ``writer``: two processes may take the same offsets, and each must know
        whether it was its own call that got through."""
        place = f"{self.source}/{self.partition}/{self.segment}/{self.first}-{self.next}"
        return f"{place}/{self.writer}" if self.writer else place


Releases = Mapping[str, int]
"""Release label → when it was last seen, ms since 1970."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the store already knows about a batch: which identities, and each app's releases.
    ``backlog_full``: the judge has no room for answers that are not audited."""

    identities: frozenset[int] = frozenset()
    releases: Mapping[str, Releases] = field(default_factory=dict)
    factors: Factors = INITIAL_FACTORS
    backlog_full: bool = False


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A record that could not be taken. ``message`` repeats none of its bytes; they are kept."""

    record: Record
    reason: str
    message: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class GroupHit:
    """One flagged answer counted in one group: same app, check, reason and cause."""

    group: str
    app: str
    check: str
    reason: str
    cause: str
    severity: str
    surface: str
    offset: int
    occurred_ms: int


@dataclass(frozen=True, slots=True)
class CheckError:
    """A check that raised. ``error``: class and place, never the text; ``trace_id``: of the event,
    where it told a W3C one."""

    check: str
    event_id: str
    error: str
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything one batch changes, ready for the store's script.

    ``identities``: (offset, identity hash, timestamp) of the answers that are new.
    ``releases``: app → release → last seen, where this batch moved it.
    ``results``: offset → check results, for whoever asked (HTTP, the command line), redacted.
    ``redacted``: (app, kind) → values that were masked. ``questions``: those that retrieval did not
    serve, redacted; a rebuild has none, as no row has words.
    """

    batch: Batch
    rows: tuple[Row, ...]
    cases: tuple[CaseDraft, ...]
    tasks: tuple[TaskDraft, ...]
    jobs: tuple[JobDraft, ...]
    groups: tuple[GroupHit, ...]
    dead_letters: tuple[DeadLetter, ...]
    identities: tuple[tuple[int, int, int], ...]
    releases: Mapping[str, Releases]
    errors: tuple[CheckError, ...]
    results: Mapping[int, Mapping[str, CheckResult]]
    makeups: tuple[Makeup, ...] = ()
    questions: tuple[Question, ...] = ()
    redacted: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(slots=True, init=False)
class Checked:
    """One checked answer as it came. ``told``: the event's JSON; ``texts``: aligned with
    ``event.retrieved``; ``findings``: the gravest first; the row has no causes yet: these are words
    of the answer. What is kept of it is made by :func:`keep`, which adds them."""

    told: bytes
    event: AnswerEvent
    reading: CitationReading | None
    texts: Sequence[str | None]
    row: Row
    findings: Sequence[Finding]
    results: dict[str, CheckResult]
    source: str
    partition: int
    occurred_ms: int

    def __init__(
        self,
        told: bytes,
        event: AnswerEvent,
        reading: CitationReading | None,
        texts: Sequence[str | None],
        row: Row,
        findings: Sequence[Finding],
        results: dict[str, CheckResult],
        source: str,
        partition: int,
        occurred_ms: int,
    ) -> None:
        self.told = told
        self.event = event
        self.reading = reading
        self.texts = texts
        self.row = row
        self.findings = findings
        self.results = results
        self.source = source
        self.partition = partition
        self.occurred_ms = occurred_ms


def keep(answer: Checked, policy: AppPolicy) -> Kept:
    """The answer redacted: the one way from what came to what is kept, shown, judged, produced."""
    redactor = redactor_of(policy.redaction)
    told = as_told(answer.told, answer.event.app)
    masked = masked_answer(told, answer.texts, answer.results, redactor)
    findings = _by_gravity(masked.results)
    row = answer.row
    row.causes = _causes(findings)
    hits = group_hits(row)
    return Kept(
        event=masked.event,
        citations=job_citations(answer.reading, partial(masked_ref, redactor=redactor)),
        row=row,
        findings=findings,
        results=masked.results,
        group=hits[0].group if hits else "",
        source=answer.source,
        partition=answer.partition,
        occurred_ms=answer.occurred_ms,
        weight=policy.review.weight,
        kinds=masked.kinds,
    )


def identity_hash(app: str, event_id: str) -> int:
    """64 bits, signed (Redis keeps sets of such integers compactly)."""
    # With the length: any separator could stand in either name.
    identity = f"{len(app)}:{app}{event_id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(identity, digest_size=8).digest(), "big", signed=True)


def group_id(app: str, check: str, reason: str, cause: str) -> str:
    text = "\0".join((app, check, reason, cause)).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=10).hexdigest()


def read_items(records: Iterable[Record], terms: Terms) -> tuple[Item, ...]:
    """Parse each record and find its citations (they may ask for refs of the document store).

    A few are parsed, then their citations are found, then the rest is done: so the code of each
    stays in the cache.
    """
    items: list[Item] = []
    left = iter(records)
    while few := list(islice(left, TOGETHER)):
        parsed = [_parse(record, terms) for record in few]
        readings = [_reading(event, terms) for event, _ in parsed]
        items += [
            _item(record, event, told, reading)
            for record, (event, told), reading in zip(few, parsed, readings, strict=True)
        ]
    return tuple(items)


class OfAnApp(Protocol):
    @property
    def app(self) -> str: ...


Said = TypeVar("Said", bound=OfAnApp)


def admitted(event: Said | Rejection, terms: Terms) -> Said | Rejection:
    """The event, unless the policy does not know its app and says to reject such."""
    if isinstance(event, Rejection) or terms.policy.admits(event.app):
        return event
    return Rejection(RejectReason.UNKNOWN_APP, "not an app of the policy", "app")


def _parse(record: Record, terms: Terms) -> tuple[AnswerEvent | Rejection, bytes]:
    """With the event's JSON."""
    raw, limits, app = record.value, terms.limits, terms.default_app
    event = parse_event(raw, limits, app)
    told = raw or b""
    if isinstance(event, Rejection):
        event, told = read_mapped(raw, event, terms.policy, limits, app)
    return admitted(event, terms), told


def _reading(event: AnswerEvent | Rejection, terms: Terms) -> CitationReading | None:
    if isinstance(event, Rejection) or event.status == "error":
        return None
    try:
        return read_citations(event, terms.policy.of(event.app).citations)
    except Exception:  # noqa: BLE001 (the check itself will raise again, and be caught and counted there)
        return None


def _item(
    record: Record, event: AnswerEvent | Rejection, told: bytes, reading: CitationReading | None
) -> Item:
    if isinstance(event, Rejection):
        return Item(record, event)
    texts = tuple([_twin(chunk) for chunk in event.retrieved])
    identity = identity_hash(event.app, event.event_id)
    return Item(record, event, reading, identity, texts, told)


_TWINS = Twins(16 << 20)


def _twin(chunk: Chunk) -> str | None:
    """Its text, where it came in another answer before as the object that came then."""
    if chunk.text:
        chunk.text = _TWINS.of(chunk.text)
    return chunk.text


def missing_refs(batch: Batch) -> frozenset[DocKey]:
    """What to ask the document store: absent chunk texts, and cited refs nobody retrieved."""
    keys: set[DocKey] = set()
    for item in batch.items:
        event = item.event
        if not item.incomplete or isinstance(event, Rejection) or event.status == "error":
            continue
        corpus = event.release.corpus or ""
        chunks = zip(event.retrieved, item.texts, strict=True)
        keys.update((corpus, chunk.ref) for chunk, text in chunks if text is None)
        if item.reading is not None:
            keys.update((corpus, ref) for ref in item.reading.unknown_refs)
    return frozenset(keys)


def process(
    batch: Batch,
    texts: Mapping[DocKey, str],
    seen: Seen,
    terms: Terms,
    lap: Lap = lambda _: None,
) -> Effects:
    """Check every answer of the batch once and add up the effects.

    ``texts``: what the document store had of :func:`missing_refs`; ``lap``: times the checks.
    """
    work = _Work(batch, texts, terms, seen)
    for start in range(0, len(batch.items), TOGETHER):
        work.take(batch.items[start : start + TOGETHER], lap)
    return work.effects()


def look_again(batch: Batch, texts: Mapping[DocKey, str], terms: Terms) -> Kept | None:
    """The one answer of ``batch``, checked anew, without any effect. None where its record holds
    no answer that is checked. Labels and the draw in its row are today's."""
    [item] = batch.items
    event = item.event
    if isinstance(event, Rejection) or event.status == "error":
        return None
    work = _Work(batch, texts, terms, Seen())
    occurred_ms = _occurred_ms(event, item.record.timestamp_ms)
    row = work.row(item.record, event, occurred_ms, Kind.CHECKED)
    answer = work.look_at((item, event, row, occurred_ms))
    return keep(answer, terms.policy.of(event.app))


NUMBERS_PER_BATCH = 200
"""Unsupported numbers of one batch that the corpus is asked for."""


def unsupported_numbers(effects: Effects) -> frozenset[DocKey]:
    """Unsupported numbers that the corpus may hold all the same: (corpus, normalised number)."""
    corpora = {item.record.offset: _corpus(item) for item in effects.batch.items}
    wanted = (
        (corpora[row.offset], cause)
        for row in effects.rows
        for check, _, cause, *_ in row.causes
        if check == numbers.NAME
    )
    return frozenset(islice(wanted, NUMBERS_PER_BATCH))


def with_hints(effects: Effects, refs: Mapping[DocKey, str], terms: Terms) -> Effects:
    """The effects with a hint at retrieval in each case whose number the corpus holds.

    ``refs``: what the document store knew of :func:`unsupported_numbers`.
    """
    corpora = {item.record.offset: _corpus(item) for item in effects.batch.items}
    rows = {row.offset: row for row in effects.rows}
    cases = []
    for case in effects.cases:
        row = rows[case.offset]
        redactor = redactor_of(terms.policy.of(row.identity).redaction)
        known = {
            cause: masked_ref(ref, redactor)
            for _, _, cause, *_ in row.causes
            if (ref := refs.get((corpora[case.offset], cause))) is not None
        }
        cases.append(with_corpus_hints(case, known, terms.case_bytes) if known else case)
    return replace(effects, cases=tuple(cases))


def with_counts(effects: Effects, seen: Mapping[str, int]) -> Effects:
    """The effects with each case's rarity. ``seen``: group → answers that it has had."""
    if not seen:
        return effects
    cases = tuple(with_seen(case, seen.get(case.group, 0)) for case in effects.cases)
    return replace(effects, cases=cases)


def _corpus(item: Item) -> str:
    return "" if isinstance(item.event, Rejection) else item.event.release.corpus or ""


_New = tuple[Item, AnswerEvent, Row, int]
"""An answer to be checked, its row as far as it is known before, and when it occurred, in ms."""


class _Work:
    """One pass over a batch."""

    def __init__(
        self,
        batch: Batch,
        texts: Mapping[DocKey, str],
        terms: Terms,
        seen: Seen,
    ) -> None:
        self.batch = batch
        self.texts = texts
        self.terms = terms
        self.known = set(seen.identities)
        self.releases = _ReleaseBook(seen.releases, terms)
        self.factors = seen.factors
        self.makeups = Makeups()
        self.backlog_full = seen.backlog_full
        self.rows: list[Row] = []
        self.questions: list[Question] = []
        self.cases: list[CaseDraft] = []
        self.tasks: list[TaskDraft] = []
        self.jobs: list[JobDraft] = []
        self.groups: list[GroupHit] = []
        self.dead: list[DeadLetter] = []
        self.identities: list[tuple[int, int, int]] = []
        self.errors: list[CheckError] = []
        self.redacted: Counter[tuple[str, str]] = Counter()
        self.results: dict[int, Mapping[str, CheckResult]] = {}
        self.checked: dict[int, tuple[CheckInput, dict[str, CheckResult]]] = {}
        self._policies: dict[str, AppPolicy] = {}

    def take(self, items: Sequence[Item], lap: Lap) -> None:
        """A few records: each step for all of them before the next, as :data:`TOGETHER` says."""
        new = [entered for item in items if (entered := self._enter(item)) is not None]
        self._check(new, lap)
        looked = [self._looked_at(one) for one in new]
        for one, answer in zip(new, looked, strict=True):
            self._settle(one, answer)

    def _enter(self, item: Item) -> _New | None:
        """Count the record; it is returned if it is a new answer to be checked."""
        record, event = item.record, item.event
        if isinstance(event, Rejection):
            self.dead.append(DeadLetter(record, event.reason.value, event.message, event.field))
            self.rows.append(
                Row(
                    record.offset,
                    Kind.REJECTED,
                    event.reason.value,
                    timestamp_ms=record.timestamp_ms,
                )
            )
            return None
        occurred_ms = _occurred_ms(event, record.timestamp_ms)
        if item.identity_hash in self.known:
            self.rows.append(self.row(record, event, occurred_ms, Kind.DUPLICATE))
            return None
        self.known.add(item.identity_hash)
        self.identities.append((record.offset, item.identity_hash, record.timestamp_ms))
        kind = Kind.RECORDED if event.status == "error" else Kind.CHECKED
        row = self.row(record, event, occurred_ms, kind)
        self.rows.append(row)
        if row.purpose == LIVE:
            self.makeups.note(row.app, row.release, event.release, row.hour)
        return (item, event, row, occurred_ms) if kind is Kind.CHECKED else None

    def _check(self, new: Sequence[_New], lap: Lap) -> None:
        """The results of the answers, kept until they are looked at."""
        asked: list[tuple[Item, CheckInput]] = []
        for item, event, _, _ in new:
            try:
                given = self._given(item, event)
            except Exception:  # noqa: BLE001 (it raises again where it is counted)
                given = None
            if given is not None:
                asked.append((item, given))
        results = run_together([(given, item.reading) for item, given in asked], lap)
        for (item, given), found in zip(asked, results, strict=True):
            self.checked[item.record.offset] = given, found

    def _looked_at(self, new: _New) -> Checked | str:
        """As :meth:`look_at`, or where that raised."""
        try:
            return self.look_at(new)
        except Exception as error:  # noqa: BLE001 (a fault of ours in one answer: counted, logged)
            return where(error)

    def _settle(self, new: _New, answer: Checked | str) -> None:
        if isinstance(answer, Checked):
            try:
                self._decide(answer)
                return
            except Exception as error:  # noqa: BLE001 (a fault of ours in one answer: counted, logged)
                answer = where(error)
        _, event, row, _ = new
        self._give_up(event, row, answer)

    def row(self, record: Record, event: AnswerEvent, occurred_ms: int, kind: Kind) -> Row:
        """What is counted of an answer before it is checked. A duplicate's release and tags are
        not: it must not look like traffic of theirs."""
        told = event.app
        app, policy = self.terms.policy.label(told), self._policy_of(told)
        release = tags = ""
        if kind is not Kind.DUPLICATE:
            release = self.releases.label(app, event.release.id, occurred_ms)
            tags = policy.counted_tags(event.tags)
        return Row(
            record.offset,
            kind,
            app=app,
            identity=told,
            event_id=event.event_id,
            release=release,
            ruleset=policy.ruleset,
            language=_language(event),
            purpose=purpose_of(event, self.terms.secret),
            status=event.status,
            hour=occurred_ms // HOUR_MS,
            timestamp_ms=record.timestamp_ms,
            tags=tags,
        )

    def _give_up(self, event: AnswerEvent, row: Row, error: str) -> None:
        failed = CheckRow(Outcome.NOT_EVALUATED.value, not_evaluated=NotEvaluated.CHECK_ERROR.value)
        drawn = self._draw(row, sampling.REST)
        row.u, row.stratum, row.pi, row.pi_audit = drawn.u, drawn.stratum, drawn.pi, drawn.pi_audit
        row.checks = dict.fromkeys(CHECKS, failed)
        row.causes, row.label, row.marks, row.selection, row.factors = (), "", (), "", 0
        self.results[row.offset] = {
            name: CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.CHECK_ERROR)
            for name in CHECKS
        }
        self.errors.append(
            CheckError(CHECKS[0], event.event_id, error, trace_id_of(event.trace_id))
        )

    def _decide(self, answer: Checked) -> None:
        """What is kept of it. Everything is computed before anything is noted, so that giving up
        leaves no half."""
        row, drafts = answer.row, _NO_DRAFTS
        results: Mapping[str, CheckResult] = answer.results
        why = reasons_of(row, results) if row.purpose == LIVE else ()
        unserved: Question | None = None
        if answer.findings or row.audited or why or self._has_room(row):
            kept = keep(answer, self._policy_of(row.identity))
            results, drafts = kept.results, self._drafts(kept)
            unserved = _question(kept, why) if why else None
            self.redacted.update({(row.app, kind): n for kind, n in kept.kinds.items()})
        elif row.selection == sampling.SELECTED:
            drafts = _Drafts(job=refused_job(row))
        self._note(row, results, drafts, unserved)
        for name, result in answer.results.items():
            if result.error is not None:
                trace_id = trace_id_of(answer.event.trace_id)
                self.errors.append(CheckError(name, row.event_id, result.error, trace_id))

    def _note(
        self,
        row: Row,
        results: Mapping[str, CheckResult],
        drafts: _Drafts,
        unserved: Question | None,
    ) -> None:
        self.results[row.offset] = results
        if drafts is _NO_DRAFTS:
            return  # most answers: nothing is kept of them, so that they have no causes either
        if unserved is not None:
            self.questions.append(unserved)
        if drafts.case is not None:
            self.cases.append(drafts.case)
        if drafts.task is not None:
            self.tasks.append(drafts.task)
        if drafts.job is not None:
            self.jobs.append(drafts.job)
        self.groups.extend(group_hits(row))

    def _has_room(self, row: Row) -> bool:
        """For a job of this answer, if it was drawn for one."""
        return row.selection == sampling.SELECTED and (row.audited or not self.backlog_full)

    def _drafts(self, kept: Kept) -> _Drafts:
        """A job's texts are encoded only where there is room for them."""
        row, most = kept.row, self.terms.case_bytes
        job = None
        if row.selection == sampling.SELECTED:
            room = self._has_room(row)
            job = draft_job(kept, self.terms.job_bytes) if room else refused_job(row)
        return _Drafts(
            draft_case(kept, most) if row.flagged else None,
            draft_task(kept, most) if row.audited else None,
            job,
        )

    def look_at(self, new: _New) -> Checked:
        """Check and draw one answer, and complete its row but for causes; notes nothing."""
        item, event, row, occurred_ms = new
        policy = self._policy_of(row.identity)
        given: CheckInput | None
        if item.record.offset in self.checked:
            given, results = self.checked.pop(item.record.offset)
        elif (given := self._given(item, event)) is None:
            results = {name: _too_large(name, policy.disabled_checks) for name in CHECKS}
        else:
            results = run_checks(given, item.reading)
        findings = _by_gravity(results)
        label, marks = results["abstention"].label, _marks(results, policy)
        gravest = findings[0].severity.value if findings else None
        stratum = sampling.stratum_of(gravest, label, marks)
        drawn = self._draw(row, stratum)
        row.u, row.stratum, row.pi, row.pi_audit = drawn.u, stratum, drawn.pi, drawn.pi_audit
        row.checks = shared(tuple([(name, _check_row(one)) for name, one in results.items()]))
        row.label, row.marks = label, marks
        row.selection = self._selection(drawn, row.purpose)
        row.factors = self.factors.version
        return Checked(
            item.told,
            event,
            item.reading,
            given.texts if given is not None else (),
            row,
            findings,
            results,
            self.batch.source,
            self.batch.partition,
            occurred_ms,
        )

    def _draw(self, row: Row, stratum: str) -> sampling.Draw:
        policy = self._policy_of(row.identity).sampling
        return sampling.draw(
            self.terms.secret, row.identity, row.event_id, stratum, policy, self.factors, row.app
        )

    def _policy_of(self, app: str) -> AppPolicy:
        """One app's answers come together: asked for once a batch."""
        policy = self._policies.get(app)
        if policy is None:
            policy = self._policies[app] = self.terms.policy.of(app)
        return policy

    def _selection(self, drawn: sampling.Draw, purpose: str) -> str:
        if not self.terms.judge or purpose != LIVE:
            return ""
        return sampling.disposition(drawn, self.factors)

    def _given(self, item: Item, event: AnswerEvent) -> CheckInput | None:
        """The check's input with the texts filled in, or None when they exceed the limit."""
        texts: Sequence[str | None] = item.texts
        in_corpus: frozenset[str] = frozenset()
        if item.incomplete:
            corpus = event.release.corpus or ""
            texts = [
                self.texts.get((corpus, chunk.ref)) if text is None else text
                for chunk, text in zip(event.retrieved, texts, strict=True)
            ]
            cited = item.reading.unknown_refs if item.reading is not None else ()
            in_corpus = frozenset(ref for ref in cited if (corpus, ref) in self.texts)
        if sum([len(text) for text in texts if text]) > self.terms.limits.max_text:
            return None
        return CheckInput(event, tuple(texts), self._policy_of(event.app), in_corpus)

    def effects(self) -> Effects:
        return Effects(
            batch=self.batch,
            rows=tuple(self.rows),
            cases=tuple(self.cases),
            tasks=tuple(self.tasks),
            jobs=tuple(self.jobs),
            groups=tuple(self.groups),
            dead_letters=tuple(self.dead),
            identities=tuple(self.identities),
            releases=self.releases.moved,
            errors=tuple(self.errors),
            results=self.results,
            makeups=tuple(self._masked(made) for made in self.makeups.all()),
            questions=tuple(self.questions),
            redacted=self.redacted,
        )

    def _masked(self, made: Makeup) -> Makeup:
        """It is part of what every answer of its release told."""
        policy = self.terms.policy.of(made.app).redaction
        if "release" in policy.exempt:
            return made
        redact = redactor_of(policy)
        corpus = PARTS.index("corpus")
        return made._replace(
            parts=tuple(
                part if place == corpus else redact(part) for place, part in enumerate(made.parts)
            )
        )


@dataclass(frozen=True, slots=True)
class _Drafts:
    """What one answer brings beside its row."""

    case: CaseDraft | None = None
    task: TaskDraft | None = None
    job: JobDraft | None = None


_NO_DRAFTS = _Drafts()


def _question(kept: Kept, why: tuple[str, ...]) -> Question:
    row = kept.row
    answer_id = case_id(row.identity, row.event_id)
    place = kept.source, kept.partition, row.offset
    return question_of(row, kept.event, why, answer_id, place, kept.occurred_ms)


class _ReleaseBook:
    """The last K releases of each app are labels of their own; the others are ``other``.

    A new one displaces the one seen longest ago, once that has been silent for an hour: so a flood
    of made-up releases cannot make a flood of labels.
    """

    def __init__(self, known: Mapping[str, Releases], terms: Terms) -> None:
        self.known = {app: dict(releases) for app, releases in known.items()}
        self.most = terms.releases_per_app
        self.moved: dict[str, dict[str, int]] = {}

    def label(self, app: str, release: str | None, occurred_ms: int) -> str:
        if release is None:
            return ""
        release = release.replace(SEPARATOR, " ")
        known = self.known.setdefault(app, {})
        if release not in known and len(known) >= self.most:
            oldest = min(known, key=known.__getitem__)
            if occurred_ms - known[oldest] < HOUR_MS:
                return OTHER
            del known[oldest]
        known[release] = max(known.get(release, 0), occurred_ms)
        self.moved.setdefault(app, {})[release] = known[release]
        return release


def _occurred_ms(event: AnswerEvent, timestamp_ms: int) -> int:
    """The event's own time, within a day of the record's: a wrong clock must not open years."""
    moment = event.occurred_at
    if moment is None:
        return timestamp_ms
    try:
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        occurred = int(moment.timestamp() * 1000)
    except (OverflowError, ValueError, OSError):
        return timestamp_ms
    return min(max(occurred, timestamp_ms - DAY_MS), timestamp_ms + DAY_MS)


def _language(event: AnswerEvent) -> str:
    """Two letters, or ``und``: a counter's dimension, so made-up names must not multiply it."""
    code = (event.language or "")[:3].partition("-")[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else detect(event.answer)


def _by_gravity(results: dict[str, CheckResult]) -> list[Finding]:
    """All findings, the gravest first."""
    findings = [finding for result in results.values() for finding in result.findings]
    if len(findings) > 1:  # few have any
        findings.sort(key=_gravity)
    return findings


def _gravity(finding: Finding) -> int:
    return SEVERITY_ORDER.index(finding.severity.value)


def _marks(results: Mapping[str, CheckResult], policy: AppPolicy) -> tuple[str, ...]:
    """What the measuring checks noticed: it steers sampling and priority, and is no verdict."""
    noticed = []
    if _measure(results, "retrieval", "empty", 0.0) > 0:
        noticed.append(EMPTY_RETRIEVAL)
    if _measure(results, "retrieval", "evidence", 1.0) == 0:
        noticed.append(NO_EVIDENCE)
    if _measure(results, "scope", "mismatches", 0.0) > 0:
        noticed.append(SCOPE_MISMATCH)
    overlap = _measure(results, "overlap", "min_sentence_overlap", 1.0)
    if overlap < policy.sampling.low_overlap_below:
        noticed.append(sampling.LOW_OVERLAP)
    return tuple(noticed)


def _measure(results: Mapping[str, CheckResult], check: str, name: str, default: float) -> float:
    for measure, value in results[check].measures:
        if measure == name:
            return value
    return default


_IDLE_ROWS = {outcome: CheckRow(outcome.value) for outcome in Outcome}
"""Of checks that had nothing to decide: of most."""


def _check_row(result: CheckResult) -> CheckRow:
    if not result.evaluated and result.not_evaluated is None:
        return _IDLE_ROWS[result.outcome]
    return _row_of(result.outcome, result.evaluated, result.failed, result.not_evaluated)


@lru_cache(maxsize=4096)
def _row_of(
    outcome: Outcome, evaluated: int, failed: int, not_evaluated: NotEvaluated | None
) -> CheckRow:
    """Most answers' outcomes are like others': one object stands for all of them."""
    reason = not_evaluated.value if not_evaluated is not None else ""
    return CheckRow(outcome.value, evaluated, failed, reason)


def _too_large(name: str, disabled: Iterable[str]) -> CheckResult:
    if name in disabled:
        return CheckResult(Outcome.DISABLED)
    return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)


CAUSES_PER_ANSWER = 20
"""One answer with thousands of findings is one bad answer, not thousands of groups."""


def _causes(findings: Sequence[Finding]) -> tuple[tuple[str, str, str, str, str], ...]:
    causes: dict[tuple[str, str, str], tuple[str, str, str, str, str]] = {}
    for finding in findings:
        key = (finding.check, finding.reason, finding.cause[:200])
        if key not in causes and len(causes) < CAUSES_PER_ANSWER:
            causes[key] = (*key, finding.severity.value, finding.surface[:80])
    return tuple(causes.values())


def group_hits(row: Row) -> tuple[GroupHit, ...]:
    """The groups that a flagged row counts in, from the row alone, as ``rebuild`` has no more."""
    return tuple(
        GroupHit(
            group_id(row.app, check, reason, cause),
            row.app,
            check,
            reason,
            cause,
            severity,
            surface,
            row.offset,
            row.hour * HOUR_MS,
        )
        for check, reason, cause, severity, surface in row.causes
    )
