"""Rates over all answers, from counted outcomes: exact as counts of what the checks said, not of
truth. The intervals say how far the traffic that these answers stand for may be from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from service.estimates.estimate import Estimate
from service.estimates.wilson import wilson


@dataclass(frozen=True, slots=True)
class Rate:
    """``hits`` of ``trials``. ``answers``: the sampled units that the trials come from;
    ``effective``: what the trials are worth as independent ones, at most ``trials``."""

    hits: int
    trials: int
    answers: int
    effective: float

    @classmethod
    def of(cls, hits: int, trials: int) -> Self:
        """One trial an answer: an ordinary proportion."""
        return cls(hits, trials, trials, float(trials))

    @property
    def value(self) -> float | None:
        """None without a trial: no data is no rate of 0."""
        return self.hits / self.trials if self.trials else None

    @property
    def estimate(self) -> Estimate:
        """With a Wilson interval on the effective number of trials. It does not collapse where no
        hit was seen, as one by a standard error would."""
        if self.value is None:
            return Estimate(None)
        return Estimate(self.value, *wilson(self.value * self.effective, self.effective))


@dataclass(frozen=True, slots=True)
class Sums:
    """Over answers with m > 0 evaluated items, x of them failed: their number and the five sums of
    x, m, x², xm, m². All can be added up, so hours add up to days."""

    answers: int
    x: int
    m: int
    xx: int
    xm: int
    mm: int


def clustered(sums: Sums) -> Rate:
    """Σx / Σm, where the items of one answer fail together more often than not.

    Variance of a ratio of cluster totals: n / (n - 1) · Σ(x - R m)² / (Σm)² with R = Σx / Σm
    (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, section 9A.2, without the finite population
    correction), where Σ(x - R m)² = Σx² - 2 R Σxm + R² Σm². The effective number of trials is the
    one whose binomial variance is as large, R (1 - R) / Var (E. L. Korn, B. I. Graubard,
    "Confidence intervals for proportions with small expected number of positive counts estimated
    from survey data", Survey Methodology 24 (1998) 193-201), but never more than Σm. Where the
    variance is 0 because all failed or none, it is (Σm)² / Σm², as if the items of each answer
    always went together (L. Kish, Survey Sampling, 1965).
    """
    if not sums.m:
        return Rate(0, 0, 0, 0.0)
    ratio = sums.x / sums.m
    together = sums.m**2 / sums.mm
    squares = max(0.0, sums.xx - 2 * ratio * sums.xm + ratio**2 * sums.mm)
    if sums.answers < 2 or squares < 1e-9:
        return Rate(sums.x, sums.m, sums.answers, together)
    variance = sums.answers / (sums.answers - 1) * squares / sums.m**2
    effective = ratio * (1 - ratio) / variance
    return Rate(sums.x, sums.m, sums.answers, min(float(sums.m), effective))


@dataclass(frozen=True, slots=True)
class Rates:
    """Of some answers. ``checked``: how many; ``unresolved_answers``: answers with at least one
    unresolvable citation, of those with at least one evaluated; ``unresolved_citations``: of the
    evaluated citations; ``unsupported``: answers with at least one unsupported number, of those
    with at least one evaluated; ``abstained``: answers that say they have no answer, of those whose
    kind was told; ``citing``: answers that cite, of those in which citations were looked for;
    ``unread_citations``, ``unread_numbers``: answers whose citations, or numbers, could not be
    evaluated, of those that were looked at; ``flagged``: answers with any finding, of all."""

    checked: int
    unresolved_answers: Rate
    unresolved_citations: Rate
    unsupported: Rate
    abstained: Rate
    citing: Rate
    unread_citations: Rate
    unread_numbers: Rate
    flagged: Rate


RATES: Mapping[str, Callable[[Rates], Rate]] = {
    "unresolved": lambda rates: rates.unresolved_answers,
    "unresolved_citations": lambda rates: rates.unresolved_citations,
    "unsupported": lambda rates: rates.unsupported,
    "abstained": lambda rates: rates.abstained,
    "citing": lambda rates: rates.citing,
    "unread_citations": lambda rates: rates.unread_citations,
    "unread_numbers": lambda rates: rates.unread_numbers,
    "flagged": lambda rates: rates.flagged,
}
"""Name on the pages, in their addresses and in rules of gates → which of the rates."""


def rates_of(measures: Mapping[str, int]) -> Rates:
    """From the hourly counters' measures (:mod:`service.accounting`), summed over hours, apps,
    releases, rulesets or languages; what is missing is 0."""

    def n(name: str) -> int:
        return measures.get(name, 0)

    def looked(check: str) -> int:
        return sum(n(f"{check}:{outcome}") for outcome in _LOOKED)

    def failing(check: str) -> Rate:
        return Rate.of(n(f"{check}:failed_answers"), n(f"{check}:answers"))

    cited = looked("citations") - n("citations:not_applicable")
    kinds = sum(n(f"kind:{kind}") for kind in ("answer", "no_answer", "clarify", "deny"))
    return Rates(
        checked=n("checked"),
        unresolved_answers=failing("citations"),
        unresolved_citations=clustered(
            Sums(n("citations:answers"), *(n(f"citations:{name}") for name in _SUMS))
        ),
        unsupported=failing("numbers"),
        abstained=Rate.of(n("kind:no_answer"), kinds),
        citing=Rate.of(cited, looked("citations")),
        unread_citations=Rate.of(n("citations:not_evaluated"), looked("citations")),
        unread_numbers=Rate.of(n("numbers:not_evaluated"), looked("numbers")),
        flagged=Rate.of(n("flagged"), n("checked")),
    )


_SUMS = ("x", "m", "xx", "xm", "mm")
_LOOKED = ("pass", "fail", "not_applicable", "not_evaluated")
