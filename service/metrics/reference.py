"""docs/metrics.md, from the declarations."""

from __future__ import annotations

from service.metrics import MAX_RELEASES, NO_RELEASE, RELEASE_IDLE_HOURS, Metrics

_HEAD = f"""\
# Metrics

Written by `python -m service.metrics`; a test holds this file to the code.

Every process answers `/metrics` in the Prometheus text format, with the usual `process_*` metrics
beside these. Units are base units. Labels are bounded: an app that the policy does not list is
`other`; of each app the last {MAX_RELEASES} releases stand by name, the rest is `other` (a release
unseen for {RELEASE_IDLE_HOURS} hours gives way to a new one), an answer without a release is
`{NO_RELEASE}`. Failure series exist at 0 from the start, those with an app and a release from the
first answer of that release on. Counters grow after the store took a batch, never before.
"""


def reference() -> str:
    """The text of docs/metrics.md."""
    parts = [_HEAD]
    for definition in Metrics().definitions:
        labels = ", ".join(f"`{label}`" for label in definition.labels) or "none"
        parts.append(
            f"## {definition.name}\n\n{definition.meaning}\n\n"
            f"Type: {definition.kind} · Labels: {labels}\n\n"
            f"```promql\n{definition.query}\n```\n"
        )
    return "\n".join(parts)
