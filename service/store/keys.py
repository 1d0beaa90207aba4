"""Every Redis key, once. One hash tag, so that a script's keys share a slot on a cluster.

| key | type | holds |
|---|---|---|
| meta | hash | schema, epoch, state, sampling secret, number of late records |
| source:S | hash | topic id and partition count at the first start |
| cp:S/P | hash | checkpoint: next, first, segment, topic_id, reset, and the partition's counts |
| cps | set | every S/P that has a checkpoint |
| segments | list | closed accounting segments as JSON |
| outbox:S/P | list | batch id, batch record, then case records (deflated) of one unflushed batch |
| totals | hash | counts over everything, for the books |
| n:A:H | hash | counters of app A in hour H: release, ruleset, language, tags, measure → n |
| hours | zset | A:H by hour |
| nd:A:D | hash | the same for day D, after 14 days |
| days | zset | A:D by day |
| releases:A | zset | release by last seen (ms) |
| first:A | zset | those releases by when they were first seen (ms) |
| makeups:A | zset | release and what it was made of, as JSON, by when that was first told (hour) |
| probes | hash | app and release → what its last probe found, as JSON |
| ids:T:B | set | identity hashes of time slot T in bucket B (small integer sets) |
| g:G | hash | group: app, check, reason, cause, severity, counts by day, sample |
| groups | zset | group by last seen (ms) |
| groups:K | zset | the same of kind K: app:check:reason |
| kinds | set | kinds of groups that occur |
| case:C | hash | deflated record, its row in a list, where it stands, judgement, thumbs, skips |
| cases:D:V | zset | case ids with value V in dimension D, by priority (`since`: by time, ms) |
| facet:D | set | values of dimension D that occur |
| jobs | stream | judge jobs: case id and deflated job; group `judges` |
| outbox:late | list | records of judgements, feedback and their cases, not yet produced |
| judged:D | hash | case id and position → what the judge said of an answer of day D; 90 days |
| raised:D | hash | case id and position → the larger π of a second draw, of day D; 90 days |
| flagged:D | set | case id and position of answers of day D flagged late and without a case |
| grouped:D | set | those that a group's decision took and that judge or feedback may yet open |
| feedback:T | hash | places of the answers of time slot T: where counted, how drawn |
| feedback:T:B | hash | identity hash → position, place, what was decided; bucket B of slot T |
| feedback:read | hash | topic id and partition → next feedback to be read |
| task:C | hash | deflated audit task of answer C, status, due (ms), who labelled or skipped it |
| tasks:S | zset | audit tasks in state S, open ones by when they are due (ms) |
| budget:D | hash | what judging cost on day D: debited, settled, of audits, answers |
| budget:D:open | hash | reservation of day D → what it debited, until it is settled |
| budget:calls | list | when the calls of the last minute were made (ms) |
| factors | hash | sampling factors in force: version, body as JSON, the audits' reserve |
| history:S | list | changes of S (case, task or group and its id) as JSON, the oldest first |
| changes | zset | every change, as S and its number, by time (ms) |
| changes:R | zset | those of reviewer R |
| disagreements | zset | audit tasks that two people labelled differently, by time (ms) |
| claims | set | what reviewers hold: case, task or group and its id |
| outbox:web | list | changes not yet produced |
| lease:L | hash | holder of lease L: token, fence; of a review, reviewer and end too; expires |
| fences | hash | lease → fence of its last holder |
| questions | zset | questions that retrieval did not serve, as JSON, by time (ms) |
| doc:K | hash | chunk texts of corpus K by ref |
| numbers:K | hash | normalised number → ref of a chunk of corpus K that holds it |
| apikeys | hash | id of a key → name, role, apps, hash of its secret, times, as JSON |
| apikeys:used | hash | id of a key → when it was last used (ms) |
"""

from __future__ import annotations

from dataclasses import dataclass

ID_BUCKETS = 32_768
"""Buckets an id slot; up to 512 ids a bucket stay compact integer sets: 16 million ids a slot."""

FEEDBACK_BUCKETS = 16_384
"""As :data:`ID_BUCKETS`: up to 512 answers a bucket stay a compact list."""


@dataclass(frozen=True, slots=True)
class Keys:
    """``namespace`` separates installations that share one Redis."""

    namespace: str = "groundwatch"

    @property
    def prefix(self) -> str:
        return "{" + self.namespace + "}:"

    @property
    def meta(self) -> str:
        return self.prefix + "meta"

    @property
    def checkpoints(self) -> str:
        return self.prefix + "cps"

    @property
    def segments(self) -> str:
        return self.prefix + "segments"

    @property
    def totals(self) -> str:
        return self.prefix + "totals"

    @property
    def hours(self) -> str:
        return self.prefix + "hours"

    @property
    def days(self) -> str:
        return self.prefix + "days"

    @property
    def jobs(self) -> str:
        return self.prefix + "jobs"

    @property
    def late_outbox(self) -> str:
        return self.prefix + "outbox:late"

    @property
    def groups(self) -> str:
        return self.prefix + "groups"

    @property
    def budgets(self) -> str:
        """What the keys of all that was spent begin with."""
        return self.prefix + "budget:"

    @property
    def calls(self) -> str:
        return self.budgets + "calls"

    @property
    def factors(self) -> str:
        return self.prefix + "factors"

    @property
    def fences(self) -> str:
        return self.prefix + "fences"

    def budget(self, day: int) -> str:
        return f"{self.budgets}{day}"

    def open_reservations(self, day: int) -> str:
        return f"{self.budgets}{day}:open"

    def lease(self, name: str) -> str:
        return f"{self.prefix}lease:{name}"

    def source(self, source: str) -> str:
        return f"{self.prefix}source:{source}"

    def checkpoint(self, source: str, partition: int) -> str:
        return f"{self.prefix}cp:{source}/{partition}"

    def outbox(self, source: str, partition: int) -> str:
        return f"{self.prefix}outbox:{source}/{partition}"

    def counters(self, app: str, hour: int) -> str:
        return f"{self.prefix}n:{app}:{hour}"

    def day_counters(self, app: str, day: int) -> str:
        return f"{self.prefix}nd:{app}:{day}"

    def releases(self, app: str) -> str:
        return f"{self.prefix}releases:{app}"

    def makeups(self, app: str) -> str:
        return f"{self.prefix}makeups:{app}"

    @property
    def probes(self) -> str:
        return self.prefix + "probes"

    def first_seen(self, app: str) -> str:
        """Of its releases."""
        return f"{self.prefix}first:{app}"

    def group(self, group: str) -> str:
        return f"{self.prefix}g:{group}"

    def case(self, case_id: str) -> str:
        return f"{self.prefix}case:{case_id}"

    def index(self, dimension: str, value: str) -> str:
        return f"{self.prefix}cases:{dimension}:{value}"

    def facet(self, dimension: str) -> str:
        return f"{self.prefix}facet:{dimension}"

    def judged(self, day: int) -> str:
        return f"{self.prefix}judged:{day}"

    def raised(self, day: int) -> str:
        return f"{self.prefix}raised:{day}"

    @property
    def feedback_read(self) -> str:
        return self.prefix + "feedback:read"

    def feedback_places(self, slot: int) -> str:
        return f"{self.prefix}feedback:{slot}"

    def feedback(self, slot: int, bucket: int) -> str:
        return f"{self.prefix}feedback:{slot}:{bucket}"

    def task(self, task_id: str) -> str:
        return f"{self.prefix}task:{task_id}"

    def tasks(self, state: str) -> str:
        return f"{self.prefix}tasks:{state}"

    def history(self, subject: str) -> str:
        return f"{self.prefix}history:{subject}"

    def changes(self, reviewer: str | None = None) -> str:
        return self.prefix + ("changes" if reviewer is None else f"changes:{reviewer}")

    @property
    def disagreements(self) -> str:
        return self.prefix + "disagreements"

    @property
    def claims(self) -> str:
        return self.prefix + "claims"

    @property
    def review_outbox(self) -> str:
        return self.prefix + "outbox:web"

    @property
    def api_keys(self) -> str:
        return self.prefix + "apikeys"

    @property
    def api_keys_used(self) -> str:
        return self.prefix + "apikeys:used"

    @property
    def questions(self) -> str:
        return self.prefix + "questions"

    def numbers(self, corpus: str) -> str:
        return f"{self.prefix}numbers:{corpus}"

    def documents(self, corpus: str) -> str:
        return f"{self.prefix}doc:{corpus}"
