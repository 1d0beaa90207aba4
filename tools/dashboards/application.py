"""Application: how the watched systems do, from what their answer events tell."""

from __future__ import annotations

from tools.dashboards.board import Board, Row
from tools.dashboards.panels import Panel, Query, Words, above, figure, lines, rows
from tools.dashboards.promql import (
    RANGE,
    WINDOW,
    increase,
    of_answers,
    quantile,
    rate,
    series,
    share,
)

SHARE = "percentunit"
BY = "app, release"
ANSWERS = of_answers("answers_total")
CHECKED = of_answers("answers_total", 'status!="error"')
ERRORS = of_answers("answers_total", 'status="error"')
TRUNCATED = of_answers("answers_total", 'status="truncated"')
EMPTY = of_answers("empty_retrievals_total")
THUMBS = of_answers("feedback_joined_total")
DOWN = of_answers("feedback_joined_total", 'thumb="down"')
COST = of_answers("answer_cost_usd_total")
TOKENS = of_answers("answer_tokens_total")
LATENCY = of_answers("answer_latency_seconds_bucket", 'stage="total"')
OF_RELEASE = (
    "/queue?app=${__data.fields.app:percentencode}&release=${__data.fields.release:percentencode}"
)


def _told(field: str) -> str:
    """Answers that told it: what a mean divides by."""
    return of_answers("answer_usage_reported_total", f'field="{field}"')


def _of(part: str, whole: str, by: str = "", window: str = RANGE) -> str:
    return share(increase(part, by, window), increase(whole, by, window))


def _per_release(words: Words, part: str, whole: str, unit: str = SHARE, width: int = 8) -> Panel:
    return lines(
        words, Query(_of(part, whole, BY, WINDOW), "{{app}} {{release}}"), unit=unit, width=width
    )


FIRST = Row(
    "How do the answers come?",
    [
        figure(
            Words(
                "Answers",
                "Live answers in the time range, of the chosen apps and releases.",
                "Far fewer than usual: ask the app's owner before you look at any share.",
                alerts=("AppSilent",),
                page="/overview",
            ),
            Query(increase(ANSWERS)),
            decimals=0,
        ),
        figure(
            Words(
                "Latency, p95",
                "From question to answer, as the app reports it (latency_ms.total).",
                "Rising: see which stage below.",
            ),
            Query(quantile(0.95, LATENCY, window=RANGE)),
            unit="s",
            nothing="not reported",
        ),
        figure(
            Words(
                "Cost of an answer",
                "USD an answer, of those that reported a cost.",
                "A jump: longer context, another model, or a loop.",
            ),
            Query(_of(COST, _told("cost"))),
            unit="currencyUSD",
            decimals=4,
            nothing="not reported",
        ),
        figure(
            Words(
                "Failed",
                "Answers with status error: recorded, not checked.",
                "Above usual: the app's own logs; nothing here says why.",
            ),
            Query(_of(ERRORS, ANSWERS)),
            unit=SHARE,
            decimals=1,
            width=3,
        ),
        figure(
            Words(
                "Truncated",
                "Answers that were cut at the token limit.",
                "Raise the limit, or ask for shorter answers.",
            ),
            Query(_of(TRUNCATED, ANSWERS)),
            unit=SHARE,
            decimals=1,
            width=3,
        ),
        figure(
            Words(
                "Empty retrievals",
                "Checked answers for which retrieval returned nothing; those of status error are "
                "not looked at.",
                "A jump: the index is empty or unreachable, or a filter is too strict.",
                alerts=("AnswersWithoutEvidence",),
            ),
            Query(_of(EMPTY, CHECKED)),
            unit=SHARE,
            decimals=1,
            width=3,
        ),
        figure(
            Words(
                "Thumbs down",
                "Of the feedback that was joined with its answer. A hint, never truth.",
                "Read the newest ones in the queue (check feedback).",
                page="/queue?check=feedback",
            ),
            Query(_of(DOWN, THUMBS)),
            unit=SHARE,
            decimals=0,
            width=3,
            nothing="no feedback",
        ),
    ],
)

TRAFFIC = Row(
    "Traffic",
    [
        lines(
            Words(
                "Answers a second, by app",
                "Live answers; an app that the policy does not list is `other`.",
                "Much `other`: list that app in the policy.",
                alerts=("AppsMislabelled",),
            ),
            Query(rate(ANSWERS, "app"), "{{app}}"),
            unit="reqps",
        ),
        lines(
            Words(
                "Answers by release",
                "How traffic moves from one release to the next, in each window.",
                "An old release that does not go away: a pod was left behind.",
                page="/compare",
            ),
            Query(increase(ANSWERS, BY, WINDOW), "{{app}} {{release}}"),
            stacked=True,
        ),
        lines(
            Words(
                "Kinds of answers",
                "answer, no_answer (abstained), clarify, deny.",
                "More no_answer: see abstentions on Answer quality.",
            ),
            Query(increase(of_answers("answer_kinds_total"), "kind", WINDOW), "{{kind}}"),
            stacked=True,
            share=True,
        ),
    ],
)

SPEED = Row(
    "Latency",
    [
        lines(
            Words(
                "p95 by stage",
                "Of the answers that reported it: retrieval, rerank, generation, total.",
                "generation: the model's provider. retrieval: the index.",
            ),
            Query(
                quantile(0.95, of_answers("answer_latency_seconds_bucket"), "stage", WINDOW),
                "{{stage}}",
            ),
            unit="s",
        ),
        lines(
            Words(
                "p50 by stage",
                "Of the same answers.",
                "p50 as high as ever with p95 risen: a few questions are slow; else all are.",
            ),
            Query(
                quantile(0.5, of_answers("answer_latency_seconds_bucket"), "stage", WINDOW),
                "{{stage}}",
            ),
            unit="s",
        ),
        lines(
            Words(
                "Total, p95 by release",
                "From question to answer.",
                "A slower release: compare its prompt length (tokens) and its top_k.",
            ),
            Query(quantile(0.95, LATENCY, BY, WINDOW), "{{app}} {{release}}"),
            unit="s",
        ),
    ],
)

EFFORT = Row(
    "Tokens and cost",
    [
        lines(
            Words(
                "Tokens an answer, by kind",
                "input and output, of the answers that reported tokens.",
                "More input: longer chunks, more of them, or a longer prompt.",
            ),
            Query(
                f"({increase(TOKENS, 'kind', WINDOW)})"
                f" / on () group_left () ({increase(_told('tokens'), window=WINDOW)} > 0)",
                "{{kind}}",
            ),
            width=6,
        ),
        _per_release(
            Words(
                "Cost of an answer, by release",
                "USD, of the answers that reported a cost.",
                "Weigh it against the release's quality on Answer quality.",
            ),
            COST,
            _told("cost"),
            "currencyUSD",
            width=6,
        ),
        lines(
            Words(
                "Cost a day, by app",
                "USD a day at the pace of each window, as reported.",
                "Compare with the bill: apps that report nothing are missing here.",
            ),
            Query(f"86400 * {rate(COST, 'app', WINDOW)}", "{{app}}"),
            unit="currencyUSD",
            width=6,
        ),
        lines(
            Words(
                "Who reports what",
                "Share of answers that told tokens, cost and latency.",
                "Below 100 %: means are of the answers that told; add the fields to the event.",
            ),
            Query(
                f"({increase(of_answers('answer_usage_reported_total'), 'field', WINDOW)})"
                f" / on () group_left () ({increase(ANSWERS, window=WINDOW)} > 0)",
                "{{field}}",
            ),
            unit=SHARE,
            width=6,
        ),
    ],
)

FAILURES = Row(
    "What goes wrong, by release",
    [
        _per_release(
            Words(
                "Failed",
                "Share of answers with status error.",
                "One release alone: roll it back. All: their provider.",
            ),
            ERRORS,
            ANSWERS,
        ),
        _per_release(
            Words(
                "Truncated",
                "Share of answers that were cut at the token limit.",
                "After a prompt change: answers grew; the limit did not.",
            ),
            TRUNCATED,
            ANSWERS,
        ),
        _per_release(
            Words(
                "Empty retrievals",
                "Share of answers for which retrieval returned nothing.",
                "After an index change: was it filled before traffic moved?",
                alerts=("AnswersWithoutEvidence",),
            ),
            EMPTY,
            CHECKED,
        ),
        _per_release(
            Words(
                "Thumbs down",
                "Of the joined feedback of each release. Few people give any: see how many below.",
                "Read the answers: a thumb does not say what was wrong.",
                page="/queue?check=feedback",
            ),
            DOWN,
            THUMBS,
        ),
        lines(
            Words(
                "Feedback by what became of it",
                "joined, unmatched (no such answer in the window), repeated, gone, rejected.",
                "Much unmatched: the event ids of feedback and answers differ, or it comes late.",
            ),
            Query(increase(series("feedback_total"), "outcome", WINDOW), "{{outcome}}"),
            stacked=True,
        ),
        lines(
            Words(
                "Answers without evidence",
                "Plain answers that had neither retrieved text nor context.",
                "The model answers from memory: is retrieval skipped?",
                alerts=("AnswersWithoutEvidence",),
            ),
            Query(
                _of(
                    of_answers("answers_without_evidence_total"),
                    of_answers("answer_kinds_total", 'kind="answer"'),
                    BY,
                    WINDOW,
                ),
                "{{app}} {{release}}",
            ),
            unit=SHARE,
            steps=above("without_evidence_high"),
        ),
        rows(
            Words(
                "By app and release",
                "All of it over the time range.",
                "Click a release to read its flagged answers.",
                page="/compare",
            ),
            ["app", "release"],
            Query(increase(ANSWERS, BY), "answers"),
            Query(quantile(0.95, LATENCY, BY, RANGE), "latency p95", "s"),
            Query(_of(COST, _told("cost"), BY), "cost", "currencyUSD"),
            Query(_of(TOKENS, _told("tokens"), BY), "tokens"),
            Query(_of(ERRORS, ANSWERS, BY), "failed", SHARE),
            Query(_of(TRUNCATED, ANSWERS, BY), "truncated", SHARE),
            Query(_of(EMPTY, CHECKED, BY), "empty retrievals", SHARE),
            Query(_of(DOWN, THUMBS, BY), "thumbs down", SHARE),
            Query(increase(THUMBS, BY), "thumbs"),
            links={"release": OF_RELEASE},
            sort="answers",
        ),
    ],
)

BOARD = Board(
    uid="groundwatch-application",
    title="groundwatch: Application",
    purpose="Speed, cost and failures of the watched apps, as their answer events tell them.",
    rows=[FIRST, TRAFFIC, SPEED, EFFORT, FAILURES],
    since="24h",
    refresh="1m",
    window="1h",
)
