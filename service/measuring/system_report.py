"""What a measurement of the whole system says: by question, the worst in full, by tag. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from service.estimates.wilson import wilson
from service.measuring.diagnosis import GRAVITY, SEVERE, Diagnosis
from service.measuring.facts import Fact
from service.measuring.questions import Question, Selection
from service.measuring.rating import Rating
from service.measuring.report import mean_lines, means_json, tag_lines
from service.measuring.runs import Run
from service.measuring.summary import by_tag, denominator, means, shares
from service.measuring.system import Measured
from service.measuring.targets.port import TargetFailure

WORST = 5
LONGEST_SHOWN = 600
"""Characters of an answer that the report shows."""

MEANING = {
    Diagnosis.INVENTED_ANSWER: "severe: it should have declined",
    Diagnosis.SOURCE_WRONG: "faithful but wrong: the source is wrong or outdated",
    Diagnosis.GENERATION_FAILURE: "all it needs was in the context",
    Diagnosis.RETRIEVAL_FAILURE: "what it needs was not in the context",
    Diagnosis.WRONG_BEHAVIOUR: "it should have asked back",
    Diagnosis.CORRECT_WITHOUT_EVIDENCE: "right, though a needed ref was not in the context",
    Diagnosis.SUCCESS: "",
}
UNDETERMINED = "undetermined"


def system_text(run: Run, selection: Selection, found: Sequence[Measured]) -> list[str]:
    header = run.header
    tags = {tag: shares(told) for tag, told in by_tag(run.outcomes).items()}
    is_answered = any(one.rating is not None for one in found)
    parts = (
        [f"The whole system: {header.run}, app {header.app}", denominator(header.questions)],
        list(_warnings(selection.measured, found)),
        list(_question_lines(found)),
        list(_diagnosis_lines(found)),
        mean_lines(shares(means(run.outcomes))) if is_answered else [],
        tag_lines(tags) if tags and is_answered else [],
        list(_spent_lines(found)),
        list(_worst_lines(found)),
    )
    return [line for part in parts if part for line in (*part, "")][:-1]


def _warnings(questions: Iterable[Question], found: Sequence[Measured]) -> Iterator[str]:
    questions = list(questions)
    if not any(question.behaviour in ("no_answer", "deny") for question in questions):
        yield (
            "Warning: no question of the set is unanswerable (behaviour no_answer), so nothing "
            "here tells whether the system invents answers."
        )
    factless = [q.query_id for q in questions if q.behaviour == "answer" and not q.facts]
    if factless:
        yield (
            f"Warning: no expected facts for {_some(factless)}: whether they are answered "
            "correctly is undetermined."
        )
    silent = [one.question.query_id for one in found if not one.answered.knows_retrieved]
    if silent:
        yield (
            f"Warning: the target does not say what it retrieved for {_some(silent)}: map "
            "`retrieved` of its response; without it nobody can tell whose fault an answer is."
        )


def _some(names: Sequence[str], most: int = 10) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


# ── by question ───────────────────────────────────────────────────────────────────────────────


def _question_lines(found: Sequence[Measured]) -> Iterator[str]:
    if not found:
        yield "nothing measured"
        return
    width = max(len("question"), *(len(one.question.query_id) for one in found))
    yield f"{'question':<{width}}  evidence  correct       faithful      diagnosis"
    for one in found:
        name = f"{one.question.query_id:<{width}}"
        yield f"{name}  {_evidence(one):<8}  {_answer_cells(one)}  {_told(one)}".rstrip()


def _evidence(one: Measured) -> str:
    needed = len(one.question.relevant)
    if one.evidence is None or not needed:
        return "–"
    return f"{needed - len(one.missing)}/{needed}"


def _answer_cells(one: Measured) -> str:
    rating = one.rating
    if rating is None:
        return f"{'–':<12}  {'–':<12}"
    faithful = {True: "yes", False: "no", None: "not judged"}[rating.faithful]
    if rating.faithful is None and rating.unjudged not in ("", "not judged"):
        faithful = f"– ({rating.unjudged})"
    correct = {True: "yes", False: "no", None: UNDETERMINED}[rating.correct]
    return f"{correct:<12}  {faithful:<12}"


def _told(one: Measured) -> str:
    if isinstance(one.answered.got, TargetFailure):
        return f"no answer: {one.answered.got.reason.value}"
    told = _named(one)
    severe = " (severe)" if one.outcome.diagnosis in SEVERE else ""
    return told + severe + (" (critical)" if one.question.critical and told != "success" else "")


def _named(one: Measured) -> str:
    return (one.outcome.diagnosis or UNDETERMINED).replace("_", " ")


# ── counts ────────────────────────────────────────────────────────────────────────────────────


def counts(found: Iterable[Measured]) -> dict[str, int]:
    """Diagnosis → questions, the gravest first; then those that are undetermined or have no
    answer."""
    told = Counter(
        "no_answer_came" if one.rating is None else one.outcome.diagnosis or UNDETERMINED
        for one in found
    )
    names = [*GRAVITY, UNDETERMINED, "no_answer_came"]
    return {str(name): told[name] for name in names if told[name]}


def _diagnosis_lines(found: Sequence[Measured]) -> Iterator[str]:
    told = counts(found)
    diagnosed = sum(told.get(each, 0) for each in GRAVITY)
    width = max((len(name) for name in told), default=0)
    if told:
        yield f"{'diagnosis':<{width}}  questions  share  95 % interval"
    for name, count in told.items():
        line = f"{name.replace('_', ' '):<{width}}  {count:>9}"
        if name in MEANING:
            low, high = wilson(count, diagnosed)
            line += f"  {count / diagnosed:.3f}  [{low:.3f},{high:.3f}]"
            line += f"  {MEANING[Diagnosis(name)]}"
        yield line.rstrip()
    yield from _unanswerable_lines(found)
    if told.get(Diagnosis.GENERATION_FAILURE) and not any(_is_judged(one) for one in found):
        yield "Without a judge, a wrong source reads as a generation failure."


def _unanswerable_lines(found: Iterable[Measured]) -> Iterator[str]:
    asked = [
        one
        for one in found
        if one.question.behaviour in ("no_answer", "deny") and one.outcome.diagnosis
    ]
    if asked:
        invented = sum(one.outcome.diagnosis == Diagnosis.INVENTED_ANSWER for one in asked)
        low, high = wilson(invented, len(asked))
        yield (
            f"Of {len(asked)} unanswerable questions {invented} got an answer: "
            f"{invented / len(asked):.3f} [{low:.3f},{high:.3f}]."
        )


def _is_judged(one: Measured) -> bool:
    return one.rating is not None and one.rating.faithful is not None


def _spent_lines(found: Sequence[Measured]) -> Iterator[str]:
    """Medians, as one slow answer says nothing of the others; sums of what is paid for."""
    events = [one.rating.event for one in found if one.rating is not None]
    told = [event.latency_ms or {} for event in events]
    took = [times["total"] for times in told if "total" in times]
    if took:
        yield f"Latency: median {median(took):.0f} ms, slowest {max(took):.0f} ms."
    used = [event.usage for event in events if event.usage is not None]
    if used:
        tokens = sum((one.input_tokens or 0) + (one.output_tokens or 0) for one in used)
        cost = sum(one.cost_usd or 0.0 for one in used)
        yield f"Usage of {len(used)} answers: {tokens} tokens, {cost:.4f} USD."
    judged = sum(one.rating.cost_micros for one in found if one.rating is not None)
    if judged:
        yield f"The judge: {judged / 1_000_000:.4f} (in the currency of its prices)."


# ── the worst ─────────────────────────────────────────────────────────────────────────────────


def worst(found: Iterable[Measured], most: int = WORST) -> list[Measured]:
    """The gravest diagnoses first, critical questions before others, then in order."""
    bad = [one for one in found if one.outcome.diagnosis not in (None, Diagnosis.SUCCESS)]
    return sorted(bad, key=_rank)[:most]


def _rank(one: Measured) -> tuple[int, bool]:
    return GRAVITY.index(Diagnosis(str(one.outcome.diagnosis))), not one.question.critical


def _worst_lines(found: Sequence[Measured]) -> Iterator[str]:
    shown = worst(found)
    if not shown:
        return
    yield "The worst, in full:" if len(shown) == WORST else "What failed, in full:"
    for one in shown:
        yield from _full(one)


def _full(one: Measured) -> Iterator[str]:
    yield f"* {one.question.query_id}: {_told(one)}"
    yield f"  question:  {one.question.query}"
    rating = one.rating
    if rating is None:
        return
    yield f"  answer:    {_cut(rating.event.answer) or '(empty)'}"
    yield f"  retrieved: {', '.join(one.outcome.retrieved) or '(nothing)'}"
    if one.missing:
        yield f"  missing:   {', '.join(one.missing)}"
    if expected := _expected(one.question, rating):
        yield f"  expected:  {expected}"
    if one.evidence and rating.lacking and not rating.source_says:
        yield "  source:    no chunk in the context says so"
    for finding in rating.findings[:3]:
        yield f"  finding:   {finding.check}/{finding.reason}: {_cut(finding.detail)}"


def _expected(question: Question, rating: Rating) -> str:
    if question.behaviour != "answer":
        return {"no_answer": "that it declines", "deny": "that it declines"}.get(
            question.behaviour, "that it asks back"
        )
    return "; ".join(_fact_words(fact) for fact in (*rating.unmet, *rating.undetermined))


def _fact_words(fact: Fact) -> str:
    return f"not: {fact.words}" if fact.absent else fact.words


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …"


# ── as one object ─────────────────────────────────────────────────────────────────────────────


def system_json(run: Run, selection: Selection, found: Sequence[Measured]) -> dict[str, Any]:
    return {
        "run": run.header,
        "denominator": denominator(run.header.questions),
        "warnings": list(_warnings(selection.measured, found)),
        "diagnoses": counts(found),
        "means": means_json(means(run.outcomes)),
        "by_tag": {tag: means_json(told) for tag, told in by_tag(run.outcomes).items()},
        "questions": list(run.outcomes),
        "worst": [one.question.query_id for one in worst(found)],
    }
