"""docs/metrics.md, from the declarations."""

from __future__ import annotations

from service.metrics import MAX_RELEASES, NO_RELEASE, RELEASE_IDLE_HOURS, Metrics
from service.metrics.cardinality import CODES, RELEASES, Cardinality, cardinality


def _head(of: Cardinality) -> str:
    return f"""\
# Metrics

Written by `python -m service.metrics`; a test holds this file to the code.

Every process answers `/metrics` in the Prometheus text format, with the usual `process_*` metrics
beside these. Units are base units. Labels are bounded: an app that the policy does not list is
`other`; of each app the last {MAX_RELEASES} releases stand by name, the rest is `other` (a release
unseen for {RELEASE_IDLE_HOURS} hours gives way to a new one), an answer without a release is
`{NO_RELEASE}`. Failure series exist at 0 from the start, those with an app and a release from the
first answer of that release on, and they go with its label. Counters grow after the store took a
batch, never before.

**How many series**: a process has at most

    {of.fixed} + A × ({of.per_app} + {RELEASES} × {of.per_release}) + {CODES} × H + P

of them, for A apps (those of the policy, and `other`), {RELEASES} releases of each (`other` is
one), H routes of the HTTP API, and P partitions that it holds: {of.bound(1):,} for one app,
{of.bound(10):,} for ten. An app mostly has two releases at a time: that makes
{of.fixed} + A × {of.per_app + 2 * of.per_release}. No event id, user, ref, tag, path or text is
ever a label. A test floods a process with 10,000 of each and counts.
"""


def reference() -> str:
    """The text of docs/metrics.md."""
    parts = [_head(cardinality())]
    for definition in Metrics().definitions:
        labels = ", ".join(f"`{label}`" for label in definition.labels) or "none"
        parts.append(
            f"## {definition.name}\n\n{definition.meaning}\n\n"
            f"Type: {definition.kind} · Labels: {labels}\n\n"
            f"```promql\n{definition.query}\n```\n"
        )
    return "\n".join(parts)
