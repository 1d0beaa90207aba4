"""Gates over what there is: run files beside the rules file, and live answers in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from service.estimates.bounds import Outcome, worst
from service.estimates.strata import rates_by_stratum, rates_of_release
from service.measuring.gates import (
    Ruling,
    Verdict,
    rule_on_measure,
    rule_on_rate,
    rule_on_ratio,
    rule_on_regression,
)
from service.measuring.rules import (
    NEW,
    PREVIOUS,
    BadRules,
    MeasureRule,
    RateRule,
    RegressionRule,
    Rule,
    Rules,
    read_rules,
)
from service.measuring.runs import Run, read_run

MOST_RELEASES = 200
"""The newest of an app, among which the previous one is looked for."""


class LiveCounts(Protocol):
    """Raises ``service.outage.Outage`` while the store is away."""

    def counters(
        self, first_hour: int = 0, end_hour: int | None = None
    ) -> Mapping[tuple[str, int], Mapping[str, int]]: ...

    def releases_first_seen(
        self, apps: Iterable[str], most: int
    ) -> Mapping[tuple[str, str], int]: ...


class NoSuchGate(ValueError):
    """The rules file has no gate of this name."""


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """``rules``: path of the rules file, read anew each time; ``live``: where live answers are
    counted, None where no rule may speak of them; ``now``: seconds since 1970.

    Every method raises :class:`service.measuring.rules.BadRules`, and OSError or
    :class:`service.measuring.lines.BadLine` for a run file that cannot be read."""

    rules: Path
    live: LiveCounts | None
    now: Callable[[], float]

    def read(self) -> Rules:
        try:
            text = self.rules.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise BadRules(f"{self.rules}: not a text in UTF-8") from None
        return read_rules(text, str(self.rules))

    def decide(self, gate: str, release: str | None = None) -> Verdict:
        """``release``: the new one; None for the one that was first seen last. Raises
        :class:`NoSuchGate`."""
        gates = self.read().gates
        if gate not in gates:
            raise NoSuchGate(
                f"{self.rules} has no gate of this name; it has {', '.join(sorted(gates))}"
            )
        decided = [self._rule(rule, release) for rule in gates[gate]]
        rulings = tuple(ruling for ruling, _ in decided)
        named = next((one for _, one in decided if one is not None), release)
        return Verdict(gate, worst([ruling.state for ruling in rulings]), rulings, named)

    def _rule(self, rule: Rule, release: str | None) -> tuple[Ruling, str | None]:
        """And the release that it speaks of."""
        match rule:
            case MeasureRule():
                return rule_on_measure(rule, self._run(rule.of)), None
            case RegressionRule():
                runs = self._run(rule.of), self._run(rule.against)
                return rule_on_regression(rule, *runs), None
            case RateRule():
                return self._rate(rule, release)

    def _run(self, file: str) -> Run:
        path = self.rules.parent / file
        with path.open("rb") as lines:
            return read_run(lines, str(path))

    def _rate(self, rule: RateRule, asked: str | None) -> tuple[Ruling, str | None]:
        if self.live is None:
            raise ValueError(f"{rule.title}: a rule of live answers needs their store")
        end = int(self.now()) // 86_400 + 1
        counters = self.live.counters((end - rule.days) * 24)
        counted = {app for app, _ in counters}
        apps = sorted(counted if rule.app is None else counted & {rule.app})
        if counted and not apps:
            told = (
                f"no answers of app {rule.app} in the last {rule.days} days; {known_apps(counted)}"
            )
            return Ruling(rule.title, Outcome.UNDECIDED, told), None
        seen = _by_first_seen(self.live.releases_first_seen(apps, MOST_RELEASES))
        release = (asked or (seen[-1] if seen else None)) if rule.release == NEW else rule.release
        if release is None:
            return Ruling(rule.title, Outcome.UNDECIDED, "no release is known yet"), None
        if rule.at_most_ratio is None:
            return rule_on_rate(rule, rates_of_release(counters, release, rule.app)), release
        old = rule.against or PREVIOUS
        if old == PREVIOUS:
            answering = {one for one in seen if rates_by_stratum(counters, one, rule.app)}
            before = _before(seen, release, answering)
            if before is None:
                told = f"no release before {release} has answers in the last {rule.days} days"
                return Ruling(rule.title, Outcome.UNDECIDED, told), release
            old = before
        sides = (rates_by_stratum(counters, one, rule.app) for one in (release, old))
        new_side, old_side = sides
        return rule_on_ratio(rule, release, new_side, old, old_side), release


def known_apps(counted: Iterable[str]) -> str:
    """For who asks for an app that has no counters of its own."""
    return f"counted are {', '.join(sorted(counted))} (other: apps that the policy does not name)"


def _by_first_seen(first_seen: Mapping[tuple[str, str], int]) -> list[str]:
    """Releases, the newest last; of several apps by the first that had it."""
    first: dict[str, int] = {}
    for (_, release), ms in first_seen.items():
        first[release] = min(ms, first.get(release, ms))
    return sorted(first, key=lambda release: (first[release], release))


def _before(seen: Sequence[str], release: str, answering: set[str]) -> str | None:
    """The last one with answers that was there before; of an unknown release, the last at all."""
    earlier = seen[: seen.index(release)] if release in seen else seen
    return next((one for one in reversed(earlier) if one in answering), None)
