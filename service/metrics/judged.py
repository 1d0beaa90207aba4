"""What the judge did, after the store took it."""

from __future__ import annotations

from service.judging.judgement import Judgement, Status
from service.judging.results import Judged
from service.metrics.answers import AnswerMetrics
from service.metrics.declared import (
    JUDGE_ATTEMPTS,
    JUDGE_FAILURES,
    JUDGE_PURPOSES,
    OTHER_REASON,
    Disposition,
)
from service.metrics.releases import Place
from service.sampling import SELECTED

_DISPOSITIONS: dict[str, Disposition] = {
    "opened": "case", "suppressed": "suppressed", "grouped": "auto_grouped",
}  # fmt: skip


class JudgeMetrics(AnswerMetrics):
    def observe_refused(self, jobs: int) -> None:
        """Of the answers drawn for the judge, those that found its backlog full."""
        self._declared.judge_refused.inc(jobs)

    def observe_second_draw(self, *, refused: bool) -> None:
        """An answer that negative feedback's draw chose; ``refused``: by the full backlog."""
        self._declared.judge_selections.labels(SELECTED).inc()
        self._declared.judge_refused.inc(refused)

    def set_breaker(self, is_open: bool) -> None:
        self._declared.judge_breaker.set(is_open)

    def observe_judgement(self, judged: Judged, became: str) -> None:
        """One judgement. ``became``: what the store says of its case (opened, enriched, suppressed,
        or empty)."""
        declared, answer, judgement = self._declared, judged.answer, judged.judgement
        place = self._judged_place(answer.app, answer.release, answer.hour)
        declared.judgements.labels(*place, judgement.status.value).inc()
        if judgement.reason:
            reason = judgement.reason if judgement.reason in JUDGE_FAILURES else OTHER_REASON
            declared.judge_failures.labels(judgement.status.value, reason).inc()
        for finding_reason in {finding.reason for finding in judged.findings}:
            declared.judge_findings.labels(*place, finding_reason).inc()
        if disposition := _DISPOSITIONS.get(became):
            declared.cases.labels(disposition).inc()
        self._observe_effort(judgement)
        self._observe_assessment(judged, place)

    def _observe_effort(self, judgement: Judgement) -> None:
        declared = self._declared
        for attempt in judgement.attempts:
            purpose, _, outcome = attempt.rpartition(":")
            declared.judge_calls.labels(
                purpose if purpose in JUDGE_PURPOSES else "ruling",
                outcome if outcome in JUDGE_ATTEMPTS else OTHER_REASON,
            ).inc()
        declared.judge_tokens.labels("prompt").inc(judgement.usage.prompt_tokens)
        declared.judge_tokens.labels("completion").inc(judgement.usage.completion_tokens)
        declared.judge_money.inc(judgement.cost_micros / 1e6)
        declared.judge_seconds.observe(judgement.latency_ms / 1000)
        if judgement.flipped is not None:
            declared.judge_flips.labels("flipped" if judgement.flipped else "same").inc()

    def _observe_assessment(self, judged: Judged, place: Place) -> None:
        declared, assessment = self._declared, judged.judgement.assessment
        if assessment is None or judged.judgement.status is not Status.JUDGED:
            return
        for claim in assessment.claims:
            declared.judge_claims.labels(*place, claim.verdict.value).inc()
            if claim.cause is not None:
                declared.judge_causes.labels(*place, claim.cause.value).inc()
        if judged.judgement.relevance is not None:
            declared.judge_relevance.labels(*place, judged.judgement.relevance.value).inc()
        sums = {
            "answers": 1.0,
            "sufficient": float(assessment.context_sufficient),
            "citations": float(len(assessment.citings)),
            "citations_supported": float(sum(cited.supports for cited in assessment.citings)),
        }
        if assessment.faithfulness is not None and not assessment.partial:
            sums |= {"with_claims": 1.0, "faithfulness": assessment.faithfulness}
        for measure, value in sums.items():
            declared.judge_weighed.labels(*place, measure).inc(value / judged.answer.pi)
