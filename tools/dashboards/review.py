"""Review: does the queue keep up, and can the checks be trusted?"""

from __future__ import annotations

from tools.dashboards.board import Board, Row
from tools.dashboards.panels import PLAIN, Query, Words, above, figure, lines, rows
from tools.dashboards.promql import RANGE, RATE, increase, largest, series, total

SETTLED = series("cases", 'state=~"resolved|expired|erased"')
ARRIVED = series("cases")
PRECISION = series("check_precision", 'statistic="value"')
OLDEST_HIGH = series("oldest_open_case_seconds", 'severity="high"')


def _moved(gauge: str, window: str) -> str:
    """How much a durable count grew. Every `serve` tells the same one, so the largest stands."""
    return total(f"max by (state) (delta({gauge}[{window}]))")


def _precision(statistic: str) -> str:
    return largest(series("check_precision", f'statistic="{statistic}"'), "check")


FIRST = Row(
    "Does the queue keep up?",
    [
        figure(
            Words(
                "Open cases",
                "Cases that wait for a person, of any severity.",
                "Growing for days: decide whole groups first, then raise the bar of a noisy check.",
                page="/queue",
            ),
            Query(total(f"max by (severity) ({series('open_cases')})")),
            decimals=0,
        ),
        figure(
            Words(
                "Of high severity",
                "Open cases of high severity.",
                "These first: the queue lists them on top.",
                page="/queue?severity=high",
            ),
            Query(largest(series("open_cases", 'severity="high"'))),
            decimals=0,
        ),
        figure(
            Words(
                "Oldest of high severity",
                "Age of the oldest open case of high severity; 0 when there is none.",
                "Amber or red: settle it now, or say on it why it waits.",
                alerts=("CasesTooOld",),
                page="/queue?severity=high",
            ),
            Query(largest(OLDEST_HIGH)),
            unit="s",
            steps=above("high_case_old"),
        ),
        figure(
            Words(
                "Came in less went out",
                "New cases minus settled ones, over the time range.",
                "Above 0 for weeks: more reviewers, or fewer and better findings.",
                page="/groups",
            ),
            Query(f"{_moved(ARRIVED, RANGE)} - {_moved(SETTLED, RANGE)}"),
            decimals=0,
            steps=((None, "green"), (1, "orange")),
        ),
        figure(
            Words(
                "Labels",
                "Labels that people gave in the time range, undone and skipped ones left out.",
                "Zero: nobody reviews, and every rate stands unconfirmed.",
                page="/labels",
            ),
            Query(increase(series("labels_total", 'kind=~"case|task|bulk"'))),
            decimals=0,
        ),
        figure(
            Words(
                "Worst false-alarm rate",
                "Of the checks with labelled findings, the highest share that people called false.",
                "Above the band: that check needs work, not the reviewers; see it below.",
                alerts=("FalseAlarmsHigh",),
                page="/labels",
            ),
            Query(f"max(1 - {PRECISION})"),
            unit="percentunit",
            decimals=0,
            steps=above("false_alarms_high"),
            nothing="nothing labelled",
        ),
    ],
)

QUEUE = Row(
    "Queue",
    [
        lines(
            Words(
                "Open cases by severity",
                "How many wait, by severity.",
                "A step up: one cause arrived; look for its group.",
                page="/queue",
            ),
            Query(largest(series("open_cases"), "severity"), "{{severity}}"),
            stacked=True,
        ),
        lines(
            Words(
                "Oldest open case by severity",
                "Age of the oldest; 0 when there is none.",
                "A line that climbs straight: nobody takes it. Is it withheld, or too hard?",
                alerts=("CasesTooOld",),
                page="/queue",
            ),
            Query(largest(series("oldest_open_case_seconds"), "severity"), "{{severity}}"),
            unit="s",
            steps=above("high_case_old", "other_case_old"),
        ),
        lines(
            Words(
                "In and out",
                "Cases that came in and that were settled (resolved, expired or erased) within an "
                "hour, from the durable counts. Below 0 where settled ones were opened again.",
                "In above out for days: see the groups; one decision settles many.",
                page="/groups",
            ),
            Query(_moved(ARRIVED, "1h"), "in"),
            Query(_moved(SETTLED, "1h"), "out"),
        ),
        lines(
            Words(
                "Cases by state",
                "open, claimed, withheld (an audit of the same answer is open), resolved, expired, "
                "erased.",
                "Withheld for long: audits wait; see beside.",
                page="/queue?status=any",
            ),
            Query(largest(series("cases"), "state"), "{{state}}"),
        ),
        lines(
            Words(
                "Audit tasks by state",
                "Answers drawn at random for people, flagged or not: what misses are estimated "
                "from.",
                "Expired ones: nobody did them; draw fewer, or plan an hour a week.",
                page="/tasks",
            ),
            Query(largest(series("audit_tasks"), "state"), "{{state}}"),
        ),
        lines(
            Words(
                "Flagged answers by what became of them",
                "A case; counted in a group that is decided (auto_grouped); or, in a flood, "
                "counted without its payload (suppressed).",
                "Suppressed: decide that group; its answers are still counted.",
                page="/groups",
            ),
            Query(increase(series("cases_total"), "disposition", RATE), "{{disposition}}"),
            stacked=True,
        ),
    ],
)

TRUST = Row(
    "Can the checks, and the labels, be trusted?",
    [
        rows(
            Words(
                "False alarms by check",
                "Of the findings that people labelled, the share they called false, with its 95 % "
                "interval, and how many were labelled. Only of cases that somebody opened.",
                "A low end above the band: the check needs work (its policy first). Few labelled: "
                "label some more of that check before you decide.",
                alerts=("FalseAlarmsHigh",),
                page="/labels",
            ),
            ["check"],
            Query(f"1 - {_precision('value')}", "false alarms", "percentunit"),
            Query(f"1 - {_precision('high')}", "low", "percentunit"),
            Query(f"1 - {_precision('low')}", "high", "percentunit"),
            Query(largest(series("check_labelled_findings"), "check"), "labelled"),
            steps={"false alarms": above("false_alarms_high")},
            links={"check": "/queue?status=any&check=${__data.fields.check}"},
            sort="false alarms",
            width=10,
        ),
        lines(
            Words(
                "Labels by kind",
                "Labels within an hour: of cases, of audit tasks, of many at once (bulk); and "
                "those skipped or undone.",
                "Many skipped: the cases do not show enough to decide. Many undone: the keys are "
                "in the way.",
                page="/labels",
            ),
            Query(increase(series("labels_total"), "kind", "1h"), "{{kind}}"),
            stacked=True,
            width=14,
        ),
        figure(
            Words(
                "Agreement of reviewers",
                "Of answers that two people labelled: Cohen's kappa, and Gwet's AC1, which does "
                "not collapse where nearly all answers are fine.",
                "Below about 0.6: talk through some disagreements, and write the rule down.",
                page="/labels",
            ),
            Query(largest(series("reviewer_agreement", 'statistic="kappa"')), "kappa"),
            Query(largest(series("reviewer_agreement", 'statistic="ac1"')), "AC1"),
            decimals=2,
            width=6,
            steps=PLAIN,
            nothing="nothing labelled twice",
        ),
        figure(
            Words(
                "Labelled twice",
                "How many answers the agreement is made of.",
                "Below 30: too few to say anything.",
                page="/labels",
            ),
            Query(largest(series("reviewer_agreement_pairs"))),
            decimals=0,
        ),
        lines(
            Words(
                "False alarms by check over time",
                "The same share, as it stood at each moment.",
                "It falls after a rule was mended, as new labels come in.",
                alerts=("FalseAlarmsHigh",),
            ),
            Query(f"1 - {_precision('value')}", "{{check}}"),
            unit="percentunit",
            steps=above("false_alarms_high"),
            width=14,
        ),
    ],
)

BOARD = Board(
    uid="groundwatch-review",
    title="groundwatch: Review",
    purpose="Does the review queue keep up, and can the checks be trusted?",
    rows=[FIRST, QUEUE, TRUST],
    since="7d",
    refresh="1m",
    per_app=False,
)
