"""PromQL for the panels: sums before shares, no share of nothing, intervals.

Nothing here needs a recording rule: a dashboard shows its figures wherever groundwatch is scraped.
"""

from __future__ import annotations

from service.estimates.estimate import Z95

NAMESPACE = 'namespace=~"$namespace"'
APP = 'app=~"$app"'
RELEASE = 'release=~"$release"'

RATE = "$__rate_interval"
RANGE = "$__range"
WINDOW = "$window"


def series(name: str, *matchers: str) -> str:
    """``groundwatch_<name>`` of the chosen installation, with more matchers."""
    return f"groundwatch_{name}{{{', '.join((NAMESPACE, *matchers))}}}"


def of_answers(name: str, *matchers: str) -> str:
    """Likewise, of the chosen apps and releases."""
    return series(name, APP, RELEASE, *matchers)


def total(expression: str, by: str = "") -> str:
    """The sum over processes, by these labels."""
    return _aggregated("sum", expression, by)


def largest(expression: str, by: str = "") -> str:
    """For durable gauges: each `serve` tells the same, so they must not be added up."""
    return _aggregated("max", expression, by)


def _aggregated(how: str, expression: str, by: str) -> str:
    return f"{how} by ({by}) ({expression})" if by else f"{how}({expression})"


def rate(selector: str, by: str = "", window: str = RATE) -> str:
    """A second."""
    return total(f"rate({selector}[{window}])", by)


def increase(selector: str, by: str = "", window: str = RANGE, ago: str = "") -> str:
    """In the window, or in the one that ended so long ``ago``."""
    return total(f"increase({selector}[{window}]{f' offset {ago}' if ago else ''})", by)


def share(part: str, whole: str) -> str:
    """Empty where the whole is 0: without data there is no share, least of all one of 0."""
    return f"({part}) / (({whole}) > 0)"


def nonzero(expression: str, **labels: str) -> str:
    """The series of many that are not 0, or one 0 with these labels: a legend of twenty zeros hides
    what happens, and an empty panel would look as if nothing was measured."""
    zero = f"sum({expression}) == 0"
    for name, value in labels.items():
        zero = f'label_replace({zero}, "{name}", "{value}", "", "")'
    return f"({expression} > 0) or {zero}"


def quantile(q: float, histogram: str, by: str = "", window: str = RATE) -> str:
    """``histogram``: a selector of its buckets. Empty where nothing was observed in the window: the
    quantile is NaN there, which a panel would show in place of its "no data"."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({q}, {rate(histogram, labels, window)}) >= 0"


def wilson(hits: str, trials: str) -> tuple[str, str]:
    """The Wilson score interval of ``hits / trials`` at 95 %; empty without a trial.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22
    (1927) 209-212, as in service/estimates/wilson.py.
    """
    return _interval(f"({share(hits, trials)})", trials)


def clustered(by: str = "", window: str = RANGE) -> tuple[str, str, str]:
    """Unresolvable citations a citation: share, low, high, as service/estimates/rates.py has it.

    The citations of one answer fail together more often than not, so m of them are worth fewer
    trials: E = r (1 - r) / Var, Var = n / (n - 1) · Σ(x - r m)² / (Σm)² over n answers with m
    citations, x unresolved (Cochran 1977, 9A.2; Korn and Graubard 1998), and that many go into
    Wilson's interval. Where all failed alike there is no variance: then (Σm)² / Σm² (Kish 1965), as
    if each answer's citations always went together. So too where E > Σm, which is careful: the
    pages take Σm there, and PromQL has no name for what stands here twice.
    """

    def summed(measure: str) -> str:
        return increase(of_answers("citation_sums_total", f'measure="{measure}"'), by, window)

    x, m, n = summed("unresolved"), summed("citations"), summed("answers")
    xx, xm, mm = map(
        summed, ("unresolved_squared", "citations_times_unresolved", "citations_squared")
    )
    r = f"({share(x, m)})"
    squares = f"({xx} - 2 * {r} * {xm} + {r} ^ 2 * {mm})"
    # increase() makes 0.98 or 1.03 of the single answer that has no variance.
    worth = f"{r} * (1 - {r}) * (({n} > 1.5) - 1) / {n} * {m} ^ 2 / {squares}"
    together = f"{m} ^ 2 / ({mm} > 0)"
    return (r, *_interval(r, f"(({worth} < {m}) or ({together}))"))


def _interval(p: str, n: str) -> tuple[str, str]:
    """Wilson's, written so that the number of trials stands in it seldom: it is long."""
    z = round(Z95, 6)
    z2 = round(Z95**2, 6)
    middle = f"{p} * {n} + {z2 / 2:.6f}"
    # What increase() extrapolates may take a share past 1 by a hair.
    root = f"sqrt(clamp_min({p} * (1 - {p}), 0) * {n} + {z2 / 4:.6f})"
    return (
        f"clamp_min(({middle} - {z} * {root}) / ({n} + {z2}), 0)",
        f"clamp_max(({middle} + {z} * {root}) / ({n} + {z2}), 1)",
    )


def newest() -> str:
    """1 for the release of each app that was seen first last."""
    seen = largest(series("release_first_seen_timestamp_seconds", APP), "app, release")
    return f"topk by (app) (1, {seen}) ^ 0"


def previous() -> str:
    """1 for the release of each app before the newest."""
    seen = largest(series("release_first_seen_timestamp_seconds", APP), "app, release")
    return f"topk by (app) (1, {seen} unless topk by (app) (1, {seen})) ^ 0"


def only(expression: str, releases: str) -> str:
    """``expression`` (by app and release) of these releases alone."""
    return f"({expression}) * on (app, release) ({releases})"
