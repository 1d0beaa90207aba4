"""Answer quality: one number for the product owner, and what it is made of."""

from __future__ import annotations

from tools.dashboards.board import Board, Row
from tools.dashboards.panels import NO_DATA, Panel, Query, Steps, Words, above, figure, lines, rows
from tools.dashboards.probes import PROBES
from tools.dashboards.promql import (
    APP,
    RANGE,
    WINDOW,
    clustered,
    increase,
    largest,
    newest,
    nonzero,
    of_answers,
    only,
    previous,
    series,
    share,
    wilson,
)

SHARE = "percentunit"
LOOKED = 'outcome=~"pass|fail|not_applicable|not_evaluated"'
CITATIONS_BANDS = above("unresolvable_citations_elevated", "unresolvable_citations_severe")
NUMBERS_BANDS = above("unsupported_numbers_elevated", "unsupported_numbers_severe")
QUEUE = "/queue?app=${__data.fields.app:percentencode}"
SINCE = "since=${__from:date:seconds}&until=${__to:date:seconds}"
INCIDENT = f"/incident?{SINCE}&app=${{__data.fields.app:percentencode}}"
INCIDENT_OF_LINE = f"/incident?{SINCE}&app=${{__field.labels.app:percentencode}}"
"""What changed in the time range, the causes before and after, and the first bad answers."""
OF_RELEASE = QUEUE + "&release=${__data.fields.release:percentencode}"


class Proportion:
    """Hits of trials in counters, by labels, in a window. Answers, each counted once."""

    def __init__(self, hits: str, trials: str) -> None:
        self._hits, self._trials = hits, trials

    def trials(self, by: str = "", window: str = RANGE, ago: str = "") -> str:
        return increase(self._trials, by, window, ago)

    def share(self, by: str = "", window: str = RANGE, ago: str = "") -> str:
        return share(self._found(by, window, ago), self.trials(by, window, ago))

    def interval(self, by: str = "", window: str = RANGE) -> tuple[str, str]:
        return wilson(self._found(by, window), self.trials(by, window))

    def _found(self, by: str, window: str, ago: str = "") -> str:
        return increase(self._hits, by, window, ago)


def _of_check(check: str, hits: str, trials: str) -> Proportion:
    name = "check_results_total"
    return Proportion(
        of_answers(name, f'check="{check}"', hits), of_answers(name, f'check="{check}"', trials)
    )


UNRESOLVED = Proportion(
    of_answers("citation_sums_total", 'measure="answers_unresolved"'),
    of_answers("citation_sums_total", 'measure="answers"'),
)
CITING = _of_check("citations", 'outcome=~"pass|fail|not_evaluated"', LOOKED)
CITATIONS_UNREAD = _of_check("citations", 'outcome="not_evaluated"', LOOKED)
NUMBERS = _of_check("numbers", 'outcome="fail"', 'outcome=~"pass|fail"')
UNCOVERED = _of_check("citation_coverage", 'outcome="fail"', 'outcome=~"pass|fail"')
ABSTAINED = Proportion(
    of_answers("answer_kinds_total", 'kind="no_answer"'), of_answers("answer_kinds_total")
)
GROUNDLESS = Proportion(
    of_answers("answers_without_evidence_total"), of_answers("answer_kinds_total", 'kind="answer"')
)


def _trend(
    words: Words,
    of: Proportion,
    steps: Steps | None = None,
    width: int = 8,
    nothing: str = NO_DATA,
) -> Panel:
    """A share with its interval, and itself a week before."""
    low, high = of.interval(window=WINDOW)
    return lines(
        words,
        Query(of.share(window=WINDOW), "share"),
        Query(low, "95 % low"),
        Query(high, "95 % high"),
        Query(of.share(window=WINDOW, ago="7d"), "a week before"),
        unit=SHARE,
        steps=steps,
        width=width,
        band=("95 % low", "95 % high"),
        nothing=nothing,
    )


LOW, HIGH = UNRESOLVED.interval()

THE_NUMBER = Row(
    "Can readers follow the citations?",
    [
        figure(
            Words(
                "Answers with an unresolvable citation",
                "Of the answers with at least one citation that could be looked up, the share with "
                "at least one that leads nowhere: to no retrieved source. Over the time range, the "
                "chosen apps and releases together. Exact as a count of what the check found; "
                "how often people confirm it stands beside.",
                "Amber or red: the top reasons below, then the newest release against the one "
                "before; then read some of the answers.",
                alerts=("UnresolvableCitationsHigh",),
                page="/queue?check=citations",
            ),
            Query(UNRESOLVED.share()),
            unit=SHARE,
            decimals=1,
            steps=CITATIONS_BANDS,
            width=5,
        ),
        figure(
            Words(
                "95 % interval (Wilson)",
                "How far the traffic that these answers stand for may be from the share: Wilson "
                "score interval.",
                "Wide: few answers; choose a longer time range before you decide anything.",
            ),
            Query(LOW, "low"),
            Query(HIGH, "high"),
            unit=SHARE,
            decimals=1,
            width=3,
        ),
        figure(
            Words(
                "Answers with citations",
                "The answers that the share is made of.",
                "Far fewer than usual: see the share of answers that cite, and hours without data.",
            ),
            Query(UNRESOLVED.trials()),
            decimals=0,
            width=3,
        ),
        figure(
            Words(
                "Answers that cite",
                "Of the answers that were looked at, those with citations. A system that stops "
                "citing has no unresolvable citations either.",
                "Falling: the prompt or the citation form changed; the first number says little "
                "until that is mended.",
                alerts=("CitingFallen",),
            ),
            Query(CITING.share()),
            unit=SHARE,
            decimals=1,
            width=3,
        ),
        figure(
            Words(
                "Citations not evaluated",
                "Of the answers that were looked at, those whose citations could not be decided. "
                "They are in no share.",
                "High: chunk texts or refs do not arrive; see Operations, checks.",
                alerts=("NotEvaluatedHigh",),
            ),
            Query(CITATIONS_UNREAD.share()),
            unit=SHARE,
            decimals=1,
            steps=above("not_evaluated_high"),
            width=3,
        ),
        figure(
            Words(
                "Hours without data, of 24",
                "The most hours of the last 24 in which one of the chosen apps had no answer.",
                "More than its nights: does the app send, and does groundwatch consume?",
                alerts=("AppSilent",),
            ),
            Query(largest(series("hours_without_data", APP))),
            decimals=0,
            width=3,
        ),
        figure(
            Words(
                "Confirmed by people",
                "Of the citation findings that people labelled, those they called real, with the "
                "95 % interval. All apps; only of cases that somebody opened.",
                "Low: mend the check or its policy first; the number above is too high.",
                alerts=("FalseAlarmsHigh",),
                page="/labels",
            ),
            *(
                Query(
                    largest(
                        series("check_precision", 'check="citations"', f'statistic="{statistic}"')
                    ),
                    legend,
                )
                for statistic, legend in (("value", "real"), ("low", "low"), ("high", "high"))
            ),
            unit=SHARE,
            decimals=0,
            width=4,
            nothing="nothing labelled",
        ),
        _trend(
            Words(
                "Answers with an unresolvable citation",
                "The share over the window that ends at each point, its Wilson interval, and the "
                "same a week before. Marks: releases first seen, and other checks.",
                "Up with a release mark: compare it below. Up with a ruleset mark: the check "
                "changed, not the answers.",
                alerts=("UnresolvableCitationsRisen",),
                page="/overview",
            ),
            UNRESOLVED,
            CITATIONS_BANDS,
            width=12,
        ),
        lines(
            Words(
                "By app",
                "The same share, by app.",
                "Click a line for what changed in the time range. One app alone: its release or "
                "corpus. All at once: what they share (model, index, groundwatch's rules).",
            ),
            Query(UNRESOLVED.share("app", WINDOW), "{{app}}"),
            unit=SHARE,
            steps=CITATIONS_BANDS,
            width=6,
            link=INCIDENT_OF_LINE,
        ),
        lines(
            Words(
                "By release",
                "The same share, by app and release.",
                "A release that stands above its elders: compare them below, then read its cases.",
            ),
            Query(UNRESOLVED.share("app, release", WINDOW), "{{app}} {{release}}"),
            unit=SHARE,
            steps=CITATIONS_BANDS,
            width=6,
            link=INCIDENT_OF_LINE,
        ),
    ],
)


def _by_release() -> Panel:
    by = "app, release"
    low, high = UNRESOLVED.interval(by)
    ratio, ratio_low, ratio_high = clustered(by)
    return rows(
        Words(
            "Unresolvable citations by app and release",
            "Of answers (each counted once; Wilson interval) and of single citations (interval "
            "clustered by answer, since the citations of one answer fail together), over the time "
            "range, with what they are made of.",
            "Sort by the low end: what stands high there is surely high. Click an app or a release "
            "to read its cases.",
            page="/compare",
        ),
        ["app", "release"],
        Query(UNRESOLVED.trials(by), "answers"),
        Query(UNRESOLVED.share(by), "of answers", SHARE),
        Query(low, "low", SHARE),
        Query(high, "high", SHARE),
        Query(ratio, "of citations", SHARE),
        Query(ratio_low, "low (citations)", SHARE),
        Query(ratio_high, "high (citations)", SHARE),
        Query(CITING.share(by), "cite", SHARE),
        Query(CITATIONS_UNREAD.share(by), "not evaluated", SHARE),
        steps={"of answers": CITATIONS_BANDS, "of citations": CITATIONS_BANDS},
        links={"app": QUEUE, "release": OF_RELEASE},
        sort="low",
    )


def _gauge(rate: str, statistic: str) -> str:
    """What `serve` works out from the durable counters over the last 24 hours."""
    matchers = (APP, f'rate="{rate}"', f'statistic="{statistic}"')
    return largest(series("rate", *matchers), "app")


LAST_DAY = rows(
    Words(
        "Last 24 hours by app, from the durable counters",
        "What groundwatch itself counted, whatever Prometheus missed: of answers and of single "
        "citations with 95 % intervals, numbers, abstentions, hours without any answer.",
        "Click an app for what changed in the time range. Where these differ from the figures "
        "above, those are of another time range, or Prometheus was away: these are right.",
        page="/overview",
    ),
    ["app"],
    Query(_gauge("unresolvable_citations_per_answer", "n"), "answers"),
    Query(_gauge("unresolvable_citations_per_answer", "value"), "of answers", SHARE),
    Query(_gauge("unresolvable_citations_per_answer", "low"), "low", SHARE),
    Query(_gauge("unresolvable_citations_per_answer", "high"), "high", SHARE),
    Query(_gauge("unresolvable_citations_per_citation", "value"), "of citations", SHARE),
    Query(_gauge("unresolvable_citations_per_citation", "low"), "low (citations)", SHARE),
    Query(_gauge("unresolvable_citations_per_citation", "high"), "high (citations)", SHARE),
    Query(_gauge("citing", "value"), "cite", SHARE),
    Query(_gauge("not_evaluated", "value"), "not evaluated", SHARE),
    Query(_gauge("unsupported_numbers", "value"), "unsupported numbers", SHARE),
    Query(_gauge("abstentions", "value"), "abstained", SHARE),
    Query(largest(series("hours_without_data", APP), "app"), "hours without data"),
    steps={"of answers": CITATIONS_BANDS, "unsupported numbers": NUMBERS_BANDS},
    links={"app": INCIDENT},
    height=6,
)


def _found(by: str, window: str, **labels: str) -> str:
    findings = increase(of_answers("findings_total"), by, window)
    return nonzero(findings, reason="none", **labels)


WHY = Row(
    "Why",
    [
        rows(
            Words(
                "Top reasons",
                "What the checks found most often in the time range, by app, check and reason; an "
                "answer may have several.",
                "Click a reason and read three answers of it: that tells more than any line.",
                page="/groups",
            ),
            ["app", "check", "reason"],
            Query(
                f"topk(15, {_found('app, check, reason', RANGE, app='all', check='any')})",
                "findings",
            ),
            links={
                "reason": QUEUE + "&check=${__data.fields.check}&reason=${__data.fields.reason}",
                "app": QUEUE,
            },
            sort="findings",
            width=10,
        ),
        lines(
            Words(
                "Top reasons over time",
                "Findings in each window, of the reasons that are most frequent at that moment.",
                "A reason that starts at a mark came with that release or ruleset.",
            ),
            Query(
                f"topk(6, {_found('check, reason', WINDOW, check='any')})",
                "{{check}}: {{reason}}",
            ),
            width=14,
        ),
    ],
)


def _last_and_before(expression: str) -> str:
    """Of each app's newest release and the one before, told apart by the label ``place``."""
    return " or ".join(
        f'label_replace({only(expression, releases)}, "place", "{place}", "", "")'
        for place, releases in (("1 newest", newest()), ("2 before", previous()))
    )


def _difference(of: Proportion) -> str:
    by = "app, release"
    return (
        f"sum by (app) ({only(of.share(by), newest())})"
        f" - sum by (app) ({only(of.share(by), previous())})"
    )


BY = "app, release"
RELEASES = Row(
    "The newest release against the one before",
    [
        rows(
            Words(
                "Newest and previous release of each app",
                "Over the time range, so make it long enough to hold both. By when each was first "
                "seen, not by its name.",
                "Intervals that do not touch: the releases differ. Else open the comparison, which "
                "says how many more answers would tell.",
                alerts=("UnresolvableCitationsRisen",),
                page="/compare",
            ),
            ["app", "place", "release"],
            Query(_last_and_before(UNRESOLVED.trials(BY)), "answers with citations"),
            Query(_last_and_before(UNRESOLVED.share(BY)), "unresolvable citations", SHARE),
            Query(_last_and_before(UNRESOLVED.interval(BY)[0]), "low", SHARE),
            Query(_last_and_before(UNRESOLVED.interval(BY)[1]), "high", SHARE),
            Query(_last_and_before(NUMBERS.share(BY)), "unsupported numbers", SHARE),
            Query(_last_and_before(UNCOVERED.share(BY)), "sentences without citation", SHARE),
            Query(_last_and_before(ABSTAINED.share(BY)), "abstained", SHARE),
            Query(_last_and_before(CITING.share(BY)), "cite", SHARE),
            steps={
                "unresolvable citations": CITATIONS_BANDS,
                "unsupported numbers": NUMBERS_BANDS,
            },
            links={"app": QUEUE, "release": OF_RELEASE},
            width=16,
        ),
        rows(
            Words(
                "Difference",
                "Share of the newest release minus that of the one before, by app.",
                "Above 0 is worse (for abstentions: other). A small one may be chance: see the "
                "intervals beside. Click an app for what changed in the time range.",
            ),
            ["app"],
            Query(_difference(UNRESOLVED), "unresolvable citations", SHARE),
            Query(_difference(NUMBERS), "unsupported numbers", SHARE),
            Query(_difference(ABSTAINED), "abstained", SHARE),
            links={"app": INCIDENT},
            width=8,
        ),
    ],
)

SIGNALS = Row(
    "Other signals",
    [
        _trend(
            Words(
                "Answers with an unsupported number",
                "Of the answers with a number that could be looked up, those with one that stands "
                "in no source that the model saw; Wilson interval; and a week before.",
                "Up: read some; prices and dates first. Often the index is older than the corpus.",
                alerts=("UnsupportedNumbersHigh", "UnsupportedNumbersRisen"),
                page="/queue?check=numbers",
            ),
            NUMBERS,
            NUMBERS_BANDS,
        ),
        _trend(
            Words(
                "Abstentions",
                "Answers that say they have no answer, of those whose kind was told; Wilson "
                "interval; and a week before.",
                "A jump: retrieval returns nothing useful; see empty retrievals on Application. A "
                "fall with more unsupported numbers: it guesses instead.",
                alerts=("AbstentionsRisen",),
                page="/queue?check=abstention",
            ),
            ABSTAINED,
        ),
        _trend(
            Words(
                "Answers with uncited sentences",
                "Of the answers whose sentences should cite, those with one that does not "
                "(coverage); Wilson interval; and a week before.",
                "Up with a prompt change: it asks for fewer citations than before.",
                page="/queue?check=citation_coverage",
            ),
            UNCOVERED,
            nothing="no app must cite",
        ),
        lines(
            Words(
                "Answers without evidence",
                "Of the plain answers, those given without retrieved text or context.",
                "The model answers from memory: is retrieval down, or skipped on purpose?",
                alerts=("AnswersWithoutEvidence",),
            ),
            Query(GROUNDLESS.share("app", WINDOW), "{{app}}"),
            unit=SHARE,
            steps=above("without_evidence_high"),
        ),
        lines(
            Words(
                "Forbidden chunks",
                "Chunks in the prompt that the reader may not see, by their rights or tenant, and "
                "those that an answer cites. Findings in each window, by reason.",
                "Any: a leak. Stop the release or mend the filter of retrieval now; then see whose "
                "answers they are.",
                alerts=("ForbiddenChunk",),
                page="/queue?check=access",
            ),
            Query(
                increase(of_answers("findings_total", 'check="access"'), "app, reason", WINDOW),
                "{{app}}: {{reason}}",
            ),
            steps=((None, "green"), (1, "red")),
        ),
        lines(
            Words(
                "Share of answers a check fails, by check",
                "Of the answers that each check could decide.",
                "The queue can be filtered by check.",
                page="/queue",
            ),
            Query(
                share(
                    increase(of_answers("check_results_total", 'outcome="fail"'), "check", WINDOW),
                    increase(
                        of_answers("check_results_total", 'outcome=~"pass|fail"'), "check", WINDOW
                    ),
                ),
                "{{check}}",
            ),
            unit=SHARE,
        ),
    ],
)


def _weighed(part: str, whole: str, by: str = "", window: str = WINDOW) -> str:
    """Sums over judged answers, each 1/π times: what all answers would sum to.

    No more than 1: of series that have just begun, increase() extrapolates each back to its own
    zero, and a part that began higher comes out above its whole.
    """
    name = "judge_weighed_total"
    parts = share(
        increase(of_answers(name, f'measure="{part}"'), by, window),
        increase(of_answers(name, f'measure="{whole}"'), by, window),
    )
    return f"clamp_max({parts}, 1)"


def _told(gauge: str) -> str:
    return largest(series(gauge, APP), "app")


def _corrected(statistic: str) -> str:
    return largest(series("corrected_bad_answers", APP, f'statistic="{statistic}"'), "app")


JUDGED = increase(of_answers("judge_judgements_total", 'status="judged"'), window=WINDOW)
JUDGE = Row(
    "Judge (no data where none is configured)",
    [
        lines(
            Words(
                "Faithfulness, beside context sufficiency",
                "Faithfulness: of the claims in judged answers, the share that the sources "
                "support. Context sufficiency: the share of judged answers whose sources held the "
                "answer at all. Both weighted back to all answers. A system that is given nothing "
                "and says little is faithful too, so neither is read alone.",
                "Both fall: retrieval or index. Faithfulness alone: prompt or model. Read the "
                "contradicted claims.",
                page="/overview",
            ),
            Query(_weighed("faithfulness", "with_claims"), "faithfulness"),
            Query(_weighed("sufficient", "answers"), "context sufficiency"),
            Query(_weighed("citations_supported", "citations"), "citations that support"),
            unit=SHARE,
            width=8,
        ),
        lines(
            Words(
                "Relevance, its distribution",
                "Judged answers by how far they answer the question. Of the sample as it was "
                "drawn, not weighted.",
                "More off the question: read those; a mean would hide two heaps.",
                page="/overview",
            ),
            Query(
                increase(of_answers("judge_relevance_total"), "relevance", WINDOW), "{{relevance}}"
            ),
            stacked=True,
            share=True,
        ),
        lines(
            Words(
                "Judged answers",
                "How many judged answers each window is made of.",
                "Below 30: the lines beside are mostly chance.",
                page="/overview",
            ),
            Query(JUDGED, "judged"),
        ),
        rows(
            Words(
                "By app and release",
                "Faithfulness with context sufficiency, over the time range; and how many judged "
                "answers they are made of. A day's faithfulness with its interval is on the "
                "overview.",
                "Compare releases with about as many judged answers.",
                page="/overview",
            ),
            ["app", "release"],
            Query(increase(of_answers("judge_judgements_total", 'status="judged"'), BY), "judged"),
            Query(_weighed("faithfulness", "with_claims", BY, RANGE), "faithfulness", SHARE),
            Query(_weighed("sufficient", "answers", BY, RANGE), "context sufficiency", SHARE),
            links={"release": OF_RELEASE},
            width=12,
        ),
        rows(
            Words(
                "Last 24 hours by app, from the durable counters",
                "Faithfulness with its 95 % interval, beside context sufficiency with its own.",
                "No row: too few judged answers, or no judge.",
                page="/overview",
            ),
            ["app"],
            Query(_gauge("faithfulness", "n"), "judged"),
            Query(_gauge("faithfulness", "value"), "faithfulness", SHARE),
            Query(_gauge("faithfulness", "low"), "low", SHARE),
            Query(_gauge("faithfulness", "high"), "high", SHARE),
            Query(_gauge("context_sufficiency", "value"), "context sufficiency", SHARE),
            Query(_gauge("context_sufficiency", "low"), "low (context)", SHARE),
            Query(_gauge("context_sufficiency", "high"), "high (context)", SHARE),
            width=12,
        ),
        rows(
            Words(
                "The judge, held against people",
                "Share of answers with a bad claim as people's audits correct it, with its 95 % "
                "interval; whether this judge version has labels of its own; how many, and how "
                "many more would tell the share to ± 2 points.",
                "Not calibrated: label audit tasks before the judge's rates decide anything.",
                page="/judge",
            ),
            ["app"],
            Query(_told("judge_calibrated"), "calibrated"),
            Query(_told("judge_labels"), "labels"),
            Query(_told("judge_labels_needed"), "more needed"),
            Query(_corrected("value"), "bad answers", SHARE),
            Query(_corrected("low"), "low", SHARE),
            Query(_corrected("high"), "high", SHARE),
            width=12,
        ),
        lines(
            Words(
                "Values masked",
                "Personal data masked before anything was kept, by kind.",
                "unreadable: whole texts were masked, as something stayed in them.",
            ),
            Query(increase(series("redactions_total", APP), "kind", WINDOW), "{{kind}}"),
            stacked=True,
            width=12,
        ),
        lines(
            Words(
                "Claims by verdict",
                "Claims of judged answers; not weighted.",
                "Contradicted ones first: they are wrong by the system's own sources.",
                page="/overview",
            ),
            Query(increase(of_answers("judge_claims_total"), "verdict", WINDOW), "{{verdict}}"),
            stacked=True,
            share=True,
        ),
        lines(
            Words(
                "Whose fault bad claims are",
                "Bad claims by cause: retrieval, generation, not in the corpus, unknown.",
                "It says which team looks first.",
                page="/overview",
            ),
            Query(increase(of_answers("judge_causes_total"), "cause", WINDOW), "{{cause}}"),
            stacked=True,
        ),
        lines(
            Words(
                "What the judge finds",
                "Judged answers with a finding, by reason; not weighted.",
                "They are cases in the queue as those of the checks are.",
                page="/queue?check=judge",
            ),
            Query(increase(of_answers("judge_findings_total"), "reason", WINDOW), "{{reason}}"),
            stacked=True,
        ),
    ],
)

BOARD = Board(
    uid="groundwatch-answer-quality",
    title="groundwatch: Answer quality",
    purpose="Can readers rely on the answers? The unresolvable-citation rate and its companions.",
    rows=[
        THE_NUMBER,
        Row("By app and release", [_by_release(), LAST_DAY]),
        WHY,
        RELEASES,
        SIGNALS,
        JUDGE,
        PROBES,
    ],
    since="7d",
    refresh="5m",
    window="1d",
)
