"""Operations: does groundwatch take every answer, in time, and is nothing lost?"""

from __future__ import annotations

from tools.dashboards.board import Board, Row
from tools.dashboards.panels import (
    ALL_SHOULD_BE,
    ANY_IS_BAD,
    Query,
    Words,
    above,
    below,
    figure,
    lines,
    rows,
)
from tools.dashboards.promql import (
    RATE,
    increase,
    largest,
    nonzero,
    quantile,
    rate,
    series,
    share,
    total,
)

RECEIVED = series("records_total", 'kind="received"')
CHECKED = series("records_total", 'kind="checked"')
LOOKED = series("check_results_total", 'outcome=~"pass|fail|not_applicable|not_evaluated"')
NOT_EVALUATED = series("check_results_total", 'outcome="not_evaluated"')
BUILD = series("build_info")
REQUESTS = series("http_requests_total", 'route!~"/metrics|/healthz|/readyz"')
SEEN = f"last_over_time({BUILD}[1h])"
NO_LIMIT = "no limit set"
NO_BUDGET = "no budget set"

# `on (job, instance)`: a process' own series carry the labels of its target.
DOWN = f"sum((1 - up) and on (job, instance) {SEEN})"


def _of_groundwatch(metric: str) -> str:
    """A series of every process, of those that are groundwatch."""
    return f"{metric} and on (job, instance) {BUILD}"


FIRST = Row(
    "Is every answer taken, in time, and nothing lost?",
    [
        figure(
            Words(
                "Books out of balance by",
                "The largest difference between both sides of any equation of the books, in "
                "answers, over all processes. Everything that came in must have come out as "
                "something: 0, or something was lost or counted twice.",
                "0 is right. Anything else: open the books and see which equation differs; "
                "trust no rate until it is understood.",
                alerts=("BooksOutOfBalance",),
                page="/books",
            ),
            Query(largest(f"abs({series('accounting_imbalance')})")),
            steps=ANY_IS_BAD,
        ),
        figure(
            Words(
                "Records a second",
                "Records taken from the topic, all consumers together.",
                "0 with lag growing beside it: the consumers stand; see their readiness and the "
                "halted partitions. 0 without lag: nobody sends.",
                alerts=("NotConsuming", "ConsumerHangs"),
            ),
            Query(rate(RECEIVED)),
            unit="reqps",
            width=4,
        ),
        figure(
            Words(
                "Event age, p99",
                "From the record's timestamp to the end of its checks: how old a verdict is when "
                "it is given. Empty while no answer comes.",
                "Rising with lag: add consumers, up to one a partition. Rising without lag: the "
                "senders' clocks, or they send late.",
                alerts=("EventsLate",),
            ),
            Query(quantile(0.99, series("event_age_seconds_bucket"))),
            unit="s",
            steps=above("event_age_late"),
        ),
        figure(
            Words(
                "Lag",
                "Records that wait in the topic, all partitions together.",
                "Growing: compare with the time by stage below; start more consumers, or mend "
                "what they wait for (Redis, Kafka).",
                alerts=("NotConsuming",),
            ),
            Query(total(series("consumer_lag"))),
        ),
        figure(
            Words(
                "Partitions halted",
                "Partitions that wait for a person, since the store is not the one that this "
                "topic belongs to.",
                "Anything above 0: read the reason below and its runbook. Nothing is lost while "
                "the topic keeps its records.",
                alerts=("PartitionHalted",),
            ),
            Query(total(series("partition_halted"))),
            steps=ANY_IS_BAD,
        ),
        figure(
            Words(
                "Processes down",
                "Targets that were a groundwatch within the last hour and cannot be scraped now.",
                "Look for restarts and their logs. One consumer of several: its partitions have "
                "moved. After an hour it is forgotten here; alerts go on.",
                alerts=("Absent", "ConsumersAbsent"),
            ),
            Query(DOWN),
            steps=ANY_IS_BAD,
            width=2,
        ),
        figure(
            Words(
                "Redis",
                "1 while every `serve` reaches Redis, else 0.",
                "0: consumers wait and lose nothing; mend Redis, and see its memory below.",
                alerts=("RedisAway",),
            ),
            Query(f"min({series('redis_up')})"),
            steps=ALL_SHOULD_BE,
            width=2,
        ),
    ],
)

BOOKS = Row(
    "The books",
    [
        lines(
            Words(
                "Imbalance by equation",
                "Left minus right side of each equation of the books.",
                "A step that stays is a loss or a defect: note when it came, and look at what "
                "restarted then. A short spike while a batch is written is none.",
                alerts=("BooksOutOfBalance",),
                page="/books",
            ),
            Query(largest(f"abs({series('accounting_imbalance')})", "equation"), "{{equation}}"),
        ),
        lines(
            Words(
                "What became of records",
                "Records a second by what they became. received = checked + recorded + rejected + "
                "duplicate.",
                "Many duplicates: a sender repeats itself. Many recorded: answers with status "
                "error, which nothing can be checked in.",
            ),
            Query(rate(series("records_total", 'kind!~"lost|gap"'), "kind"), "{{kind}}"),
            unit="reqps",
        ),
        lines(
            Words(
                "Never received",
                "Offsets that were lost (retention overtook the consumers, or a batch could not "
                "be decoded) or never held a record (gap: markers of transactions, compaction), "
                "and batches that could not be decoded.",
                "Lost ones are gone: lengthen the topic's retention, or find who wrote what "
                "cannot be decoded. Gaps are harmless on a transactional or compacted topic.",
                alerts=("OffsetsLost", "BatchesUndecodable"),
                page="/books",
            ),
            Query(increase(series("records_total", 'kind=~"lost|gap"'), "kind", RATE), "{{kind}}"),
            Query(
                increase(series("undecodable_batches_total"), window=RATE), "undecodable batches"
            ),
        ),
    ],
)

INGESTION = Row(
    "Ingestion",
    [
        lines(
            Words(
                "Event age",
                "From the record's timestamp to the end of its checks.",
                "p50 and p99 rise together: too few consumers. p99 alone: one partition, or one "
                "sender with old records; compare the lag by partition.",
                alerts=("EventsLate",),
            ),
            *(
                Query(quantile(q, series("event_age_seconds_bucket")), f"p{q * 100:g}")
                for q in (0.5, 0.95, 0.99)
            ),
            unit="s",
            steps=above("event_age_late"),
        ),
        lines(
            Words(
                "Lag by partition",
                "Records that wait, by partition.",
                "One partition alone: its consumer is slow or halted, or one key gets all the "
                "traffic. All: too few consumers.",
                alerts=("PartitionStuck",),
            ),
            Query(total(series("consumer_lag"), "partition"), "{{partition}}"),
        ),
        lines(
            Words(
                "Time for an answer, by stage",
                "Seconds of a consumer that an answer takes in each stage, on average: parse, "
                "lookup (chunk texts by ref), check, store, produce.",
                "lookup: the document store is slow. store: Redis. produce: Kafka. check: long "
                "answers; see which rule came (Rulesets).",
            ),
            Query(
                f"({rate(series('batch_stage_seconds_sum'), 'stage')})"
                f" / on () group_left () ({rate(RECEIVED)} > 0)",
                "{{stage}}",
            ),
            unit="s",
        ),
        lines(
            Words(
                "Rejected, by reason",
                "Records that are no valid answer event.",
                "Read some: `groundwatch dead-letters list`. After the sender is mended, "
                "`groundwatch dead-letters redrive` sends them again.",
                alerts=("DeadLettersHigh",),
            ),
            Query(
                nonzero(increase(series("rejected_total"), "reason", RATE), reason="none"),
                "{{reason}}",
            ),
            stacked=True,
        ),
        lines(
            Words(
                "Share of records in the dead letters",
                "Dead letters by reason, of all records received.",
                "A jump after a release of a sender: its events changed shape. A trickle: read "
                "one and tell its owner.",
                alerts=("DeadLettersHigh",),
            ),
            Query(
                nonzero(
                    f"({rate(series('dead_letters_total'), 'reason')})"
                    f" / on () group_left () ({rate(RECEIVED)} > 0)",
                    reason="none",
                ),
                "{{reason}}",
            ),
            unit="percentunit",
            steps=above("dead_letters_elevated", "dead_letters_severe"),
        ),
        lines(
            Words(
                "Trouble",
                "Outages begun (by what was away), batches that the store refused, commits that "
                "failed, and records in a batch on average.",
                "Refused batches come with every rebalance and lose nothing. Outages: look at "
                "that dependency. Commits are hints: the store's checkpoint is the truth.",
            ),
            Query(increase(series("outages_total"), "dependency", RATE), "outages: {{dependency}}"),
            Query(increase(series("store_conflicts_total"), window=RATE), "refused batches"),
            Query(increase(series("commit_failures_total"), window=RATE), "failed commits"),
        ),
        lines(
            Words(
                "Records in a batch",
                "On average; more in a batch is cheaper for each.",
                "Near 1 under load: consumers wait for single records; look at fetch settings.",
            ),
            Query(
                share(rate(series("batch_records_sum")), rate(series("batch_records_count"))),
                "records",
            ),
        ),
        lines(
            Words(
                "Partitions halted, by reason",
                "store_lost, store_behind, topic_recreated, ahead_of_log, rebuilding.",
                "The runbook says for each reason which command goes on.",
                alerts=("PartitionHalted",),
            ),
            Query(total(series("partition_halted"), "reason"), "{{reason}}"),
        ),
        lines(
            Words(
                "Flagged answers by what became of them",
                "A case; counted in a group that a person decided (auto_grouped); or, in a flood, "
                "counted without a payload (suppressed).",
                "Suppressed for long: the queue drowns in one cause; decide its group.",
                page="/groups",
            ),
            Query(increase(series("cases_total"), "disposition", RATE), "{{disposition}}"),
            stacked=True,
        ),
    ],
)

CHECKS = Row(
    "Checks",
    [
        lines(
            Words(
                "Share not evaluated, by check",
                "Of the live answers that a check looked at, those it could not decide. They are "
                "in no rate.",
                "Look at the reasons beside: missing_text means that chunk texts neither came "
                "with the event nor are in the document store.",
                alerts=("NotEvaluatedHigh",),
            ),
            Query(share(rate(NOT_EVALUATED, "check"), rate(LOOKED, "check")), "{{check}}"),
            unit="percentunit",
            steps=above("not_evaluated_high"),
        ),
        lines(
            Words(
                "Not evaluated, by reason",
                "How often, by app and reason.",
                "missing_text: load the corpus, or send the texts. too_large: raise the limits. "
                "check_error: a defect of groundwatch, see beside.",
            ),
            Query(
                nonzero(
                    increase(series("not_evaluated_total"), "app, reason", RATE),
                    app="all",
                    reason="none",
                ),
                "{{app}}: {{reason}}",
            ),
            stacked=True,
        ),
        lines(
            Words(
                "Checks that raised",
                "Errors by check. The answer's other checks went on.",
                "Any is a defect: the log names the class and the line (`check_error`). Report it.",
                alerts=("CheckErrors",),
            ),
            Query(
                nonzero(increase(series("check_errors_total"), "check", RATE), check="none"),
                "{{check}}",
            ),
        ),
        lines(
            Words(
                "Outcomes a second, by check",
                "pass, fail and not applicable of every check.",
                "A check that falls silent alone: was it disabled in the policy? See Rulesets.",
            ),
            Query(
                rate(series("check_results_total", 'outcome=~"pass|fail"'), "check, outcome"),
                "{{check}}: {{outcome}}",
            ),
            unit="ops",
        ),
        lines(
            Words(
                "Time for an answer, by check",
                "Seconds of a consumer that each check takes for an answer, on average; together "
                "the better part of the stage `check`.",
                "One check rises alone: a new ruleset (Rulesets), or answers of a new kind. All "
                "rise: longer answers, or a slower machine.",
            ),
            Query(
                f"({rate(series('check_seconds_total'), 'check')})"
                f" / on () group_left () ({rate(CHECKED)} > 0)",
                "{{check}}",
            ),
            unit="s",
        ),
        rows(
            Words(
                "Rulesets in force",
                "Which ruleset judges which app. Another one is marked on every line.",
                "A rate that jumps with a new ruleset is the rule's doing, not the release's.",
            ),
            ["app", "ruleset"],
            Query(largest(series("ruleset_info"), "app, ruleset"), "in force"),
            width=8,
        ),
    ],
)

REDIS = Row(
    "Redis",
    [
        figure(
            Words(
                "Memory used of its limit",
                "The part of Redis' maxmemory that is used. Past 80 % cases are kept without "
                "their payloads; counters never stop.",
                "Near the limit: raise maxmemory, or shorten the retention of settled cases.",
                alerts=("RedisMemoryHigh",),
            ),
            Query(
                share(
                    largest(series("redis_memory_used_bytes")),
                    largest(series("redis_memory_max_bytes")),
                )
            ),
            unit="percentunit",
            steps=above("redis_memory_high"),
            nothing=NO_LIMIT,
        ),
        lines(
            Words(
                "Memory",
                "Used, and the limit (none is drawn where none is set).",
                "Grows with open cases and the window of event ids; a steady climb without more "
                "traffic is worth a look at the queue.",
            ),
            Query(largest(series("redis_memory_used_bytes")), "used"),
            Query(f"{largest(series('redis_memory_max_bytes'))} > 0", "limit"),
            unit="bytes",
            width=10,
        ),
        lines(
            Words(
                "Reachable",
                "1 while `serve` reaches Redis.",
                "0: consumers pause and go on by themselves once it is back.",
            ),
            Query(f"min by (instance) ({series('redis_up')})", "{{instance}}"),
            width=10,
        ),
    ],
)

JUDGEMENTS = series("judge_judgements_total")
BUDGET = share(
    largest(series("judge_budget_left"), "kind"), largest(series("judge_budget"), "kind")
)
# The calls of a minute are used up many times an hour, and rightly: the alert leaves them out too.
OF_DAY = 'kind!="calls"'
BUDGET_OF_DAY = share(
    largest(series("judge_budget_left", OF_DAY), "kind"),
    largest(series("judge_budget", OF_DAY), "kind"),
)

JUDGE = Row(
    "Judge (no data where none is configured)",
    [
        figure(
            Words(
                "Waiting",
                "Answers that wait for the judge.",
                "Growing for hours: more concurrency, or a smaller sample in the policy.",
                alerts=("JudgeBacklogFull",),
                page="/overview",
            ),
            Query(largest(series("judge_backlog"))),
        ),
        figure(
            Words(
                "Oldest waits",
                "How long the oldest of them waits; 0 when there is none.",
                "Past a day it counts as failed. Is any `judge` process running, and its breaker "
                "closed?",
                alerts=("JudgeBacklogOld",),
                page="/overview",
            ),
            Query(largest(series("judge_oldest_job_seconds"))),
            unit="s",
            steps=above("judge_job_old"),
        ),
        figure(
            Words(
                "Budget left",
                "What is left of the day's tokens and money (UTC), the lesser of both.",
                "Used up before evening: judged rates come from the morning alone; raise the "
                "budget or thin the sample.",
                alerts=("JudgeBudgetGone",),
                page="/overview",
            ),
            Query(f"min({BUDGET_OF_DAY})"),
            unit="percentunit",
            steps=below("judge_budget_low"),
            nothing=NO_BUDGET,
        ),
        figure(
            Words(
                "Breaker open",
                "Judge processes that hold back their calls, since the endpoint kept failing.",
                "Above 0: look at the endpoint; the breaker closes by itself when it answers.",
                alerts=("JudgeHeldBack", "JudgeFailing"),
            ),
            Query(total(series("judge_breaker_open"))),
            steps=ANY_IS_BAD,
        ),
        figure(
            Words(
                "Coverage",
                "Share of the drawn answers that were judged, by app, least first.",
                "Low: judged rates leave too much out; see why below.",
                page="/overview",
            ),
            Query(f"min({series('judge_coverage')})"),
            unit="percentunit",
        ),
        figure(
            Words(
                "Verdicts that flip",
                "Of the answers that were judged twice, those with another verdict the second "
                "time, over the time range.",
                "Rising: the model behind the endpoint changed, or its temperature.",
                page="/overview",
            ),
            Query(
                share(
                    increase(series("judge_flips_total", 'result="flipped"')),
                    increase(series("judge_flips_total")),
                )
            ),
            unit="percentunit",
            nothing="none judged twice",
        ),
        lines(
            Words(
                "Backlog",
                "Answers that wait, and those that the full backlog refused.",
                "Refused ones are counted as budget_skipped: raise JUDGE_MAX_BACKLOG or thin the "
                "sample.",
                alerts=("JudgeBacklogFull",),
            ),
            Query(largest(series("judge_backlog")), "waiting"),
            Query(increase(series("judge_refused_total"), window=RATE), "refused"),
        ),
        lines(
            Words(
                "Done, by outcome",
                "judged, undetermined (answered, but unusably), failed (no answer by the "
                "deadline). Only judged ones are in rates.",
                "Much undetermined or failed: the reasons stand beside.",
                alerts=("JudgeUndetermined",),
            ),
            Query(increase(JUDGEMENTS, "status", RATE), "{{status}}"),
            stacked=True,
        ),
        lines(
            Words(
                "Why not judged",
                "Reasons of undetermined and failed judgements.",
                "http and timeout: the endpoint. unreadable: the model does not keep to the "
                "format; try another one with `groundwatch judge`'s measures.",
                alerts=("JudgeFailing",),
            ),
            Query(
                nonzero(
                    increase(series("judge_failures_total"), "status, reason", RATE),
                    status="any",
                    reason="none",
                ),
                "{{status}}: {{reason}}",
            ),
        ),
        lines(
            Words(
                "Seconds for one answer",
                "From the first to the last call for one answer.",
                "Rising: the endpoint is busy; lower the concurrency, or expect a backlog.",
            ),
            *(
                Query(quantile(q, series("judge_seconds_bucket")), f"p{q * 100:g}")
                for q in (0.5, 0.95)
            ),
            unit="s",
        ),
        lines(
            Words(
                "Calls, by outcome",
                "Every call to the endpoint, which each debits the budget.",
                "Failing ones: its status page and limits first, then the key.",
                alerts=("JudgeFailing",),
            ),
            Query(
                nonzero(rate(series("judge_calls_total"), "outcome"), outcome="none"), "{{outcome}}"
            ),
            unit="reqps",
        ),
        lines(
            Words(
                "Budget left, by kind",
                "What is left of the day's bound on tokens and money, and of the minute's on "
                "calls.",
                "A line that reaches 0 at noon: raise the budget, or thin the sample.",
                alerts=("JudgeBudgetGone",),
            ),
            Query(BUDGET, "{{kind}}"),
            unit="percentunit",
            nothing=NO_BUDGET,
        ),
        lines(
            Words(
                "Drawn for the judge",
                "Live answers by what the draw said: selected, sampled_out, budget_skipped.",
                "budget_skipped: the budget is too small for the sample of the policy.",
            ),
            Query(
                increase(series("judge_selections_total"), "disposition", RATE), "{{disposition}}"
            ),
            stacked=True,
        ),
        lines(
            Words(
                "Pace by app",
                "What scales an app's inclusion probabilities to the budget: 1 is the policy's "
                "own; and the share of the drawn answers that were judged (coverage).",
                "Far below 1 all day: the intervals of judged rates are wide; raise the budget.",
            ),
            Query(f"min by (app) ({series('judge_factor')})", "{{app}}: factor"),
            Query(f"min by (app) ({series('judge_coverage')})", "{{app}}: coverage"),
        ),
        lines(
            Words(
                "What it costs",
                "Tokens an hour by kind, and money an hour by the price table.",
                "Compare with the bill; prices are settings (JUDGE_PRICE_INPUT, _OUTPUT).",
            ),
            Query(f"3600 * {rate(series('judge_tokens_total'), 'kind')}", "{{kind}} tokens"),
            Query(f"3600 * {rate(series('judge_money_total'))}", "money"),
        ),
    ],
)

PROCESSES = Row(
    "Processes",
    [
        rows(
            Words(
                "Versions",
                "Every process that is scraped now.",
                "Two versions for longer than a rollout: it is stuck.",
            ),
            ["job", "instance", "version"],
            Query(f"max by (job, instance, version) ({BUILD})", "up"),
            Query(
                f"time() - max by (job, instance, version)"
                f" ({BUILD} * on (job, instance) group_left () process_start_time_seconds)",
                "runs for",
                "s",
            ),
            width=8,
        ),
        lines(
            Words(
                "Memory",
                "Resident memory by process.",
                "A steady climb over days: a leak; restart and report it.",
            ),
            Query(_of_groundwatch("process_resident_memory_bytes"), "{{instance}}"),
            unit="bytes",
        ),
        lines(
            Words(
                "Processor",
                "Cores in use by process.",
                "A consumer near 1 core with lag: start another one.",
            ),
            Query(_of_groundwatch(f"rate(process_cpu_seconds_total[{RATE}])"), "{{instance}}"),
        ),
        lines(
            Words(
                "HTTP requests, by route",
                "Requests a second to pages and API by route template and class of status; probes "
                "and scrapes left out.",
                "5xx: the log of `serve` says why; mostly Redis was away.",
            ),
            Query(
                nonzero(rate(REQUESTS, "route, code"), route="any", code="none"),
                "{{route}} {{code}}",
            ),
            unit="reqps",
            width=16,
        ),
        lines(
            Words(
                "Restarts",
                "How often each process started anew within the last hour.",
                "Again and again: look at its last log lines, then at its memory limit.",
            ),
            Query(_of_groundwatch("changes(process_start_time_seconds[1h])"), "{{instance}}"),
        ),
    ],
)

BOARD = Board(
    uid="groundwatch-operations",
    title="groundwatch: Operations",
    purpose="Does groundwatch take every answer, in time, and is nothing lost?",
    rows=[FIRST, BOOKS, INGESTION, CHECKS, REDIS, JUDGE, PROCESSES],
    since="6h",
    refresh="30s",
    per_app=False,
)
