"""Comparisons as lines for people. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from service.estimates.differences import Difference, HeldEqual
from service.estimates.estimate import Estimate
from service.measuring.attribution import Attributable, Attribution
from service.measuring.comparing import Compared, Comparison, Spent
from service.measuring.releases import LiveComparison, LiveRate
from service.measuring.runs import RunHeader
from service.measuring.summary import questions_in_words

LEAST_NAME = 16
NOT_COUNTED = (
    "Tokens, latency and cost of live answers are not in the store but in Prometheus, by app and",
    "release: groundwatch_answer_tokens_total, groundwatch_answer_cost_usd_total,",
    "groundwatch_answer_latency_seconds.",
)


def compared_lines(found: Comparison) -> Iterator[str]:
    yield _side("A", found.first)
    yield _side("B", found.second)
    yield from attribution_lines(found.attribution)
    for warning in found.warnings:
        yield f"warning: {warning}"
    for name, only in (("A", found.only_first), ("B", found.only_second)):
        if only:
            yield f"only in {name}, not compared: {', '.join(only)}"
    yield ""
    yield from _table(found.measures)
    for measure in found.measures:
        yield from _named(measure)
    yield from _tags(found.tags)
    yield ""
    yield from _spent(found.spent)


def _side(letter: str, header: RunHeader) -> str:
    release = header.release.get("id") or "release not recorded"
    used = header.questions
    return (
        f"{letter}  {header.run}  {header.kind}  {header.app}  {release}  "
        f"{used.measured} of {questions_in_words(used.total)} measured"
    )


def attribution_lines(found: Attribution) -> Iterator[str]:
    changed = "; ".join(f"{part}: {a} → {b}" for part, (a, b) in found.changed.items())
    yield {
        Attributable.YES: f"attributable: one recorded part differs ({changed})",
        Attributable.NO: f"not attributable: {len(found.changed)} parts differ ({changed})",
        Attributable.NOTHING: "no recorded part differs: what differs below is chance, data, or a "
        "part that is not recorded",
        Attributable.UNKNOWN: "not attributable: no part of the release is recorded on both sides",
    }[found.attributable]
    if found.untold and found.attributable is not Attributable.UNKNOWN:
        yield f"not recorded on both sides: {', '.join(found.untold)}"


def _table(measures: Sequence[Compared]) -> Iterator[str]:
    width = max([LEAST_NAME, *(len(_name(measure)) for measure in measures)])
    yield (
        f"{'measure':{width}}  {'n':>4}  {'A':>6}  {'B':>6}  {'difference, 95 %':24}  {'p':>6}  "
        f"{'improved':>8}  {'regressed':>9}  {'unchanged':>9}"
    )
    for measure in measures:
        yield _row(measure, width).rstrip()


def _tags(tags: Mapping[str, Sequence[Compared]]) -> Iterator[str]:
    """Only what moved: the rest of a tag of few questions says nothing."""
    still = []
    for tag, measures in tags.items():
        n = max((measure.n for measure in measures), default=0)
        moved = [one for one in measures if one.questions.improved or one.questions.regressed]
        if moved:
            yield ""
            yield f"tag {tag} (n = {n})"
            yield from _table(moved)
        else:
            still.append(f"{tag} (n = {n})")
    if still:
        yield ""
        yield f"nothing moved in the tags {', '.join(still)}"


def _name(measure: Compared) -> str:
    same = measure.measure == measure.against
    return measure.measure if same else f"{measure.measure} → {measure.against}"


def _row(measure: Compared, width: int) -> str:
    if not measure.n:
        return f"{_name(measure):{width}}  {0:>4}  not measured on both sides"
    sides = f"{measure.first:6.3f}  {measure.second:6.3f}"
    p = _p(measure.test.p) if measure.test is not None else "–"
    improved, regressed = _moved(measure)
    return (
        f"{_name(measure):{width}}  {measure.n:>4}  {sides}  {_difference(measure.difference):24}  "
        f"{p:>6}  {improved:>8}  {regressed:>9}  {len(measure.questions.unchanged):>9}"
    )


def _moved(measure: Compared) -> tuple[str, str]:
    """What a measure cannot do is no number of questions that did not do it."""
    improved, regressed = len(measure.questions.improved), len(measure.questions.regressed)
    return (
        "cannot" if measure.cannot == "improve" else str(improved),
        "cannot" if measure.cannot == "regress" else str(regressed),
    )


def _p(p: float) -> str:
    """An exact p is small, and never 0."""
    return f"{p:.3f}" if p >= 0.0005 else "<0.001"


def _difference(found: Estimate) -> str:
    if found.value is None:
        return "–"
    if found.low is None or found.high is None:
        return f"{found.value:+.3f} (no interval)"
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def _named(measure: Compared) -> Iterator[str]:
    if measure.cannot is not None:
        yield (
            f"{_name(measure)}: cannot {measure.cannot}: B looks at "
            f"{'more' if measure.cannot == 'regress' else 'fewer'} places of the same lists"
        )
    for what in ("improved", "regressed"):
        if names := getattr(measure.questions, what):
            yield f"{_name(measure)} {what}: {', '.join(names)}"


def _spent(rows: Sequence[Spent]) -> Iterator[str]:
    if not rows:
        yield "Neither tokens, latency nor cost are recorded on both sides."
        return
    yield f"{'a question, mean':24}  {'n':>4}  {'A':>12}  {'B':>12}  difference, 95 %"
    for row in rows:
        change = f" ({row.second / row.first - 1:+.1%})" if row.first else ""
        yield (
            f"{row.name:24}  {row.n:>4}  {row.first:>12,.5g}  {row.second:>12,.5g}  "
            f"{_amount(row.difference)}{change}"
        )


def _amount(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return f"{found.value:+,.5g} (no interval)"
    return f"{found.value:+,.5g} [{found.low:+,.5g}, {found.high:+,.5g}]"


def released_lines(found: LiveComparison) -> Iterator[str]:
    apps = ", ".join(found.apps) or "no app"
    yield f"A  release {found.first}  {found.checked[0]} answers"
    yield f"B  release {found.second}  {found.checked[1]} answers"
    yield f"apps: {apps}"
    yield from attribution_lines(found.attribution)
    if not set(found.rulesets[0]) & set(found.rulesets[1]):
        yield (
            "the two releases were checked under different rulesets: nothing below can be compared "
            "(replay the older answers under today's rules: groundwatch replay)"
        )
    yield ""
    yield f"Over the mix of {found.held_equal} that both have:"
    for rate in found.rates:
        yield _live(rate)
    yield ""
    yield from NOT_COUNTED


def _live(rate: LiveRate) -> str:
    held = rate.held
    if held is None:
        return f"{rate.name:22} no answers of both that can be compared"
    left_out = f"  (left out: {held.left_out[0]} of A, {held.left_out[1]} of B)"
    return (
        f"{rate.name:22} {_share(held.first)} → {_share(held.second)}  {told(held)}"
        f"{left_out if any(held.left_out) else ''}"
    )


def _share(found: Estimate) -> str:
    return f"{found.value:.2%} [{found.low:.2%}, {found.high:.2%}]"


def told(held: HeldEqual) -> str:
    """What the difference tells, in words."""
    found = held.difference
    points = f"{found.value * 100:+.2f} points [{found.low * 100:+.2f}, {found.high * 100:+.2f}]"
    if found.told:
        return f"{'higher' if found.value > 0 else 'lower'} by {points}"
    return f"can't tell: {points}{more(found)}"


def more(found: Difference) -> str:
    if found.more is None:
        return "; no sensible number of answers would"
    return f"; {found.more:,} more answers would, if the shares stay"
