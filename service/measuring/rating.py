"""One answer against what is expected of it: free checks and facts here, the judge later. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from service.checks import citations, run_checks
from service.checks.citations import CitationReading
from service.checks.model import CheckInput, CheckResult, Finding, Outcome
from service.events import AnswerEvent
from service.measuring.diagnosis import correctness
from service.measuring.facts import Fact, Met, rule
from service.measuring.questions import Behaviour
from service.policy import AppPolicy

NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Rating:
    """``label``: of the check ``abstention``; ``correct``, ``faithful``: None where undetermined or
    not judged; ``unjudged``: why the judge was not heard on ``faithful``, empty where it was;
    ``cost_micros``: what its calls cost."""

    event: AnswerEvent
    behaviour: Behaviour
    results: Mapping[str, CheckResult]
    reading: CitationReading
    facts: tuple[tuple[Fact, Met], ...]
    faithful: bool | None = None
    unjudged: str = NOT_JUDGED
    cost_micros: int = 0

    @property
    def label(self) -> str:
        return self.results["abstention"].label

    @property
    def correct(self) -> bool | None:
        if not self.event.answer.strip():
            return False  # who says nothing has not declined either
        return correctness(self.behaviour, self.label, self.facts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(one for result in self.results.values() for one in result.findings)

    @property
    def failed_checks(self) -> tuple[str, ...]:
        return tuple(n for n, result in self.results.items() if result.outcome is Outcome.FAIL)

    @property
    def undetermined(self) -> tuple[Fact, ...]:
        """The facts on which only a judge can rule."""
        return tuple(fact for fact, met in self.facts if met is Met.UNDETERMINED)

    @property
    def unmet(self) -> tuple[Fact, ...]:
        return tuple(fact for fact, met in self.facts if met is Met.NOT_MET)

    @property
    def lacking(self) -> tuple[Fact, ...]:
        """What the answer should say and does not."""
        return tuple(fact for fact in self.unmet if not fact.absent)

    @property
    def source_says(self) -> bool:
        """Whether a chunk that reached the model states something that the answer lacks."""
        texts = [chunk.text for chunk in self.event.retrieved if chunk.in_prompt and chunk.text]
        return any(Met.MET in rule(self.lacking, text) for text in texts)

    @property
    def context_refs(self) -> frozenset[str]:
        """Refs of the chunks that reached the model."""
        return frozenset(chunk.ref for chunk in self.event.retrieved if chunk.in_prompt)

    def with_stated(self, stated: Sequence[bool | None]) -> Rating:
        """With a judge's word on each of :attr:`undetermined`, in their order."""
        words = iter(stated)
        facts = tuple(
            (fact, _met(fact, next(words)) if met is Met.UNDETERMINED else met)
            for fact, met in self.facts
        )
        return replace(self, facts=facts)


def _met(fact: Fact, stated: bool | None) -> Met:
    if stated is None:
        return Met.UNDETERMINED
    return Met.MET if stated is not fact.absent else Met.NOT_MET


def rate(
    event: AnswerEvent, policy: AppPolicy, facts: Sequence[Fact], behaviour: Behaviour
) -> Rating:
    """What code can say of an answer: every check by the app's policy, every fact."""
    given = CheckInput(event, tuple(chunk.text for chunk in event.retrieved), policy)
    reading = citations.read(event, policy.citations)
    results = run_checks(given, reading)
    met = rule(facts, event.answer, _marks(reading))
    return Rating(event, behaviour, results, reading, tuple(zip(facts, met, strict=True)))


def _marks(reading: CitationReading) -> list[tuple[int, int]]:
    return [
        (one.start, one.end)
        for one in reading.citations
        if one.start is not None and one.end is not None
    ]
