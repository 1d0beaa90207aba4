"""Probes: what the last one of each app found on its labelled questions."""

from __future__ import annotations

from tools.dashboards.board import Row
from tools.dashboards.panels import ANY_IS_BAD, Query, Words, figure, rows
from tools.dashboards.promql import APP, increase, largest, series, total

SHARE = "percentunit"
NOTHING = "no probe"


def _measure(name: str, statistic: str = "value") -> str:
    matchers = (APP, f'measure="{name}"', f'statistic="{statistic}"')
    return largest(series("probe_measure", *matchers), "app, release")


def _all_apps(gauge: str) -> str:
    return total(largest(series(gauge, APP), "app"))


PROBES = Row(
    "Does the system still do on labelled questions what it must? (last probe of each app)",
    [
        figure(
            Words(
                "Critical questions lost",
                "Questions marked critical for which the last probe retrieved no relevant text.",
                "Not 0: the overview names them; compare the probe's run with the one before.",
                alerts=("CriticalQuestionLost",),
                page="/overview",
            ),
            Query(_all_apps("probe_critical_without_hit")),
            decimals=0,
            steps=ANY_IS_BAD,
            nothing=NOTHING,
        ),
        figure(
            Words(
                "Unanswerable ones answered",
                "Questions that have no answer, or must not get one, and got one in the last "
                "probe.",
                "Not 0: the overview names them; read their answers in the run file.",
                alerts=("UnanswerableAnswered",),
                page="/overview",
            ),
            Query(_all_apps("probe_unanswerable_answered")),
            decimals=0,
            steps=ANY_IS_BAD,
            nothing=NOTHING,
        ),
        rows(
            Words(
                "By app",
                "Recall with its 95 % interval, hit rate and precision at the probe's k; how many "
                "questions were answered, how many failed; and how old the probe is.",
                "Recall low: retrieval first, as no model answers from a text that it was not "
                "given. Failed: those questions are in no mean.",
                page="/overview",
            ),
            ["app", "release"],
            Query(_measure("recall"), "recall", SHARE),
            Query(_measure("recall", "low"), "low", SHARE),
            Query(_measure("recall", "high"), "high", SHARE),
            Query(_measure("hit"), "hit rate", SHARE),
            Query(_measure("precision"), "precision", SHARE),
            Query(
                largest(series("probe_questions", APP, 'state="answered"'), "app, release"),
                "answered",
            ),
            Query(
                largest(series("probe_questions", APP, 'state="failed"'), "app, release"), "failed"
            ),
            Query(
                "time() - "
                + largest(series("probe_finished_timestamp_seconds", APP), "app, release"),
                "age",
                "s",
            ),
            width=12,
        ),
        figure(
            Words(
                "Mislabelled probes",
                "Probes whose events said that they were live, in the time range. They are in no "
                "rate.",
                "Not 0: have the app copy `purpose` from its request into the event.",
            ),
            Query(increase(series("mislabelled_probes_total", APP))),
            decimals=0,
            steps=ANY_IS_BAD,
        ),
    ],
)
