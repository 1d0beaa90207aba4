"""The judge against people: joins what it ruled with what audits said, by answer. Pure.

Only audits count. They are a uniform sample of all live answers, labelled without a look at any
finding, and each audited answer is judged as well. What people said of cases that they opened is no
sample of anything: the gravest come first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from service.estimates.confusion import BAD, FINE, Confusion, confusion
from service.estimates.double_labels import blind_labels
from service.estimates.estimate import Estimate
from service.estimates.stratified import (
    Labelled,
    Stratum,
    cell_weights,
    judged_number,
    labels_needed,
    stratified,
)
from service.estimates.weighted import weighted
from service.estimates.wilson import wilson
from service.judging.judgement import Judgement, Status, Verdict
from service.review.labels import Change, Grounded

UNDECIDED = "undecided"
"""The cell of answers that the judge could not rule on."""
WORDS = (Verdict.CONTRADICTED.value, Verdict.UNSUPPORTED.value, Verdict.SUPPORTED.value)
"""The gravest verdict on a claim of an answer; ``supported`` where no claim is bad."""
UNKNOWN = Estimate(None)
HALF_WIDTH = 0.02
"""Labels are needed until the corrected rate is known to two points."""


class Ruled(NamedTuple):
    """What the judge said of one answer. ``key``: answer id and position; ``word``: of
    :data:`WORDS`, or :data:`UNDECIDED`."""

    key: str
    app: str
    language: str
    hour: int
    stratum: str
    pi: float
    version: str
    word: str

    @property
    def verdict(self) -> str:
        """``bad`` where a claim is unsupported or contradicted; ``fine``; ``undecided``."""
        return _verdict(self.word)


def _verdict(word: str) -> str:
    if word == UNDECIDED:
        return UNDECIDED
    return FINE if word == Verdict.SUPPORTED else BAD


class Audit(NamedTuple):
    """What people said of one audited answer: ``bad`` (not grounded), ``fine``, or None where they
    could not tell or left it out. ``key``: as :attr:`Ruled.key`."""

    key: str
    app: str
    language: str
    pi_audit: float
    said: str | None

    @property
    def answer_id(self) -> str:
        return self.key.partition("@")[0]


def ruled_of(row: Mapping[str, Any]) -> Ruled:
    """``row``: as :meth:`service.store.judgements.Judgements.rows` has it."""
    return Ruled(
        row["key"], row["app"], row["language"], row["hour"], row["stratum"], row["pi"],
        row["version"], _word(row),
    )  # fmt: skip


def _word(row: Mapping[str, Any]) -> str:
    if row["status"] != Status.JUDGED or "claims" not in row:
        return UNDECIDED
    return _gravest(row["claims"])


def _gravest(verdicts: Collection[str]) -> str:
    """``verdicts``: those that some claim has."""
    return next((word for word in WORDS[:2] if word in verdicts), WORDS[2])


def verdict_of(judgement: Judgement) -> str:
    """As :attr:`Ruled.verdict`."""
    if judgement.status is not Status.JUDGED or judgement.assessment is None:
        return UNDECIDED
    return _verdict(_gravest({claim.verdict.value for claim in judgement.assessment.claims}))


def audit_of(history: Sequence[Change]) -> Audit | None:
    """From the changes of one audit task, the oldest first; None where nobody's label stands.

    Of two people's labels the first blind one counts: what is corrected in sight of the findings
    leans towards them, and tells nothing of the judge.
    """
    label = next(iter(blind_labels(history).values()), None)
    if label is None:
        return None
    context, task_id = history[-1].context, history[-1].subject.partition(":")[2]
    said = {Grounded.NO: BAD, Grounded.YES: FINE}.get(label.grounded or Grounded.CANT_TELL)
    return Audit(
        "@".join((task_id, *map(str, context["position"]))),
        str(context["app"]),
        str(context.get("language", "")),
        float(context["pi_audit"]),
        said,
    )


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of one judge version, over the answers of some days.

    ``since_hour``: of its first judged answer, hours since 1970, None without one; ``judged``,
    ``undecided``: answers that it ruled on, and could not; ``labels``: audits of these that say
    whether the answer is grounded, ``unsaid``: that do not; ``unmatched``: audits of answers that
    this version did not judge. ``judge_says``: the share of answers with a bad claim by the judge
    alone; ``people_say``: by the labels alone; ``corrected``: by both, what is to be reported.
    ``needed``: labels that are still needed for ± 2 points, None where no number would do.
    ``by_word``: the gravest verdict → how many of its labelled answers people call bad.
    ``missed``, ``false_alarms``: ids of answers on which judge and people differ, in the order of
    the audits.
    """

    version: str = ""
    since_hour: int | None = None
    judged: int = 0
    undecided: int = 0
    labels: int = 0
    unsaid: int = 0
    unmatched: int = 0
    judge_says: Estimate = UNKNOWN
    people_say: Estimate = UNKNOWN
    corrected: Estimate = UNKNOWN
    needed: int | None = None
    confusion: Confusion = field(default_factory=lambda: confusion((), {}, {}, (), 0))
    by_word: Mapping[str, Labelled] = field(default_factory=dict)
    missed: tuple[str, ...] = ()
    false_alarms: tuple[str, ...] = ()

    @property
    def calibrated(self) -> bool:
        """Somebody said of an answer that this very version judged whether it is grounded. A new
        model, prompt or schema is a new version."""
        return self.labels > 0


def last_version(ruled: Iterable[Ruled]) -> str:
    """The one that judged the latest answer, of several in its hour the one with most; empty
    without any."""
    hours: dict[str, Counter[int]] = defaultdict(Counter)
    for one in ruled:
        hours[one.version][one.hour] += 1
    return max(hours, key=lambda version: max(hours[version].items()), default="")


def calibrate(
    ruled: Iterable[Ruled],
    audits: Iterable[Audit],
    answers: Mapping[str, int],
    version: str,
) -> Calibration:
    """``answers``: stratum → N_s, all answers that could have been drawn while this version judged,
    counted on 100 %; where they are not known, the judged ones stand for 1/π each."""
    mine = [one for one in ruled if one.version == version]
    if not mine:
        return Calibration(version, unmatched=sum(1 for _ in audits))
    pairs, unsaid, unmatched = _joined(mine, audits)
    strata = _strata(mine, answers)
    labels = _labels(pairs)
    decided = [(one, audit) for one, audit in pairs if one.verdict != UNDECIDED]
    weights = {cell: w for cell, w in cell_weights(strata).items() if cell in (BAD, FINE)}
    verdicts = [one for one in mine if one.verdict != UNDECIDED]
    return Calibration(
        version=version,
        since_hour=min(one.hour for one in mine),
        judged=len(verdicts),
        undecided=len(mine) - len(verdicts),
        labels=len(pairs),
        unsaid=unsaid,
        unmatched=unmatched,
        judge_says=weighted((float(one.verdict == BAD), one.pi) for one in verdicts),
        people_say=weighted((float(audit.said == BAD), audit.pi_audit) for _, audit in pairs),
        corrected=stratified(strata, labels) if pairs else Estimate(None),
        needed=labels_needed(strata, labels, HALF_WIDTH),
        confusion=confusion(
            ((one.verdict, audit.said or "") for one, audit in decided),
            weights,
            labels,
            {BAD},
            judged_number(strata),
        ),
        by_word=_by_word(pairs),
        missed=tuple(_differing(pairs, FINE, BAD)),
        false_alarms=tuple(_differing(pairs, BAD, FINE)),
    )


_Pairs = list[tuple[Ruled, Audit]]


def _joined(mine: Sequence[Ruled], audits: Iterable[Audit]) -> tuple[_Pairs, int, int]:
    """Answers that both spoke of; how many audits say nothing; how many are of other answers."""
    by_key = {one.key: one for one in mine}
    pairs, unsaid, unmatched = _Pairs(), 0, 0
    for audit in audits:
        one = by_key.get(audit.key)
        if one is None or audit.pi_audit <= 0:
            unmatched += 1
        elif audit.said is None:
            unsaid += 1
        else:
            pairs.append((one, audit))
    return pairs, unsaid, unmatched


def _strata(mine: Sequence[Ruled], answers: Mapping[str, int]) -> list[Stratum]:
    """By sampling stratum, with verdicts as cells: audits are drawn alike from all strata, so that
    the labels of one verdict stand for all of its answers."""
    drawn: dict[str, list[Ruled]] = defaultdict(list)
    for one in mine:
        drawn[one.stratum].append(one)
    numbers: dict[str, float] = {name: float(number) for name, number in answers.items() if number}
    if not drawn.keys() <= numbers.keys():
        numbers = {name: sum(1 / one.pi for one in rows) for name, rows in drawn.items()}
    whole = sum(numbers.values())
    return [_stratum(number / whole, drawn.get(name, [])) for name, number in numbers.items()]


def _stratum(share: float, rows: Sequence[Ruled]) -> Stratum:
    """π moves with the budget, within a stratum too: then M_s is the effective number, (Σ1/π)² /
    Σ1/π² (L. Kish, Survey Sampling, 1965)."""
    if not rows:
        return Stratum(share, 0.0, {})
    cells: dict[str, float] = defaultdict(float)
    for one in rows:
        cells[one.verdict] += 1 / one.pi
    whole = sum(cells.values())
    effective = whole**2 / sum(1 / one.pi**2 for one in rows)
    return Stratum(share, effective, {cell: weight / whole for cell, weight in cells.items()})


def _labels(pairs: _Pairs) -> dict[str, Labelled]:
    """By verdict, each label 1/π_audit times: π_audit follows the forecast of an app's traffic."""
    by_verdict: dict[str, _Pairs] = defaultdict(list)
    for pair in pairs:
        by_verdict[pair[0].verdict].append(pair)
    return {verdict: _labelled(found) for verdict, found in by_verdict.items()}


def _labelled(pairs: _Pairs) -> Labelled:
    weights = [1 / audit.pi_audit for _, audit in pairs]
    bad = sum(w for w, (_, audit) in zip(weights, pairs, strict=True) if audit.said == BAD)
    effective = sum(weights) ** 2 / sum(w * w for w in weights)
    return Labelled(effective, bad / sum(weights) * effective)


def _by_word(pairs: _Pairs) -> dict[str, Labelled]:
    """As they are counted, in the order of :data:`WORDS`."""
    labels, bad = Counter[str](), Counter[str]()
    for one, audit in pairs:
        labels[one.word] += 1
        bad[one.word] += audit.said == BAD
    return {word: Labelled(labels[word], bad[word]) for word in (*WORDS, UNDECIDED) if labels[word]}


def share_bad(found: Labelled) -> Estimate:
    """With a Wilson interval."""
    if not found.labels:
        return Estimate(None)
    return Estimate(found.share, *wilson(found.bad, found.labels))


def _differing(pairs: _Pairs, verdict: str, said: str) -> list[str]:
    """Ids, in the order of the audits."""
    return [audit.answer_id for one, audit in pairs if (one.verdict, audit.said) == (verdict, said)]
