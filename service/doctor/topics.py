"""The five topics: how each should be, what is wrong with those found, and the commands that mend.

The commands are those of Apache Kafka's own tools.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from service.doctor.advice import Advice

Role = Literal["answers", "dead_letters", "verdicts", "reviews", "feedback"]
AREA = "topics"
DAY_MS = 86_400_000
MIB = 1 << 20
HEADERS = 4_096
"""Bytes that a record's headers and framing may add to an event."""


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """``configs``: what the topic is to be created with. ``rights``: what the service's user needs
    on it. ``without``: what does not work while it is missing."""

    role: Role
    name: str
    partitions: int
    configs: Mapping[str, str]
    rights: tuple[str, ...]
    without: str


@dataclass(frozen=True, slots=True)
class FoundTopic:
    """A topic as the broker describes it. ``configs`` is None where the user may not ask,
    ``rights`` where the broker does not tell. ``leaderless``, ``behind``: partitions without a
    leader, and with a replica that is not in sync."""

    partitions: int
    replication: int
    configs: Mapping[str, str] | None
    rights: frozenset[str] | None
    leaderless: int = 0
    behind: int = 0


@dataclass(frozen=True, slots=True)
class Tools:
    """How the commands reach the cluster: address, replicas, whether they need a login."""

    bootstrap: str = "localhost:9092"
    brokers: int = 3
    secured: bool = False

    @property
    def replication(self) -> int:
        return max(1, min(3, self.brokers))

    def command(self, script: str, *arguments: str) -> str:
        """Without a login of its own the command would be refused: ``client.properties`` has it."""
        config = ("--command-config", "client.properties") if self.secured else ()
        return shlex.join((script, "--bootstrap-server", self.bootstrap, *config, *arguments))


def plan(names: Mapping[Role, str], max_event_bytes: int = MIB) -> tuple[TopicPlan, ...]:
    """How each topic should be. A dead letter carries a refused record and its headers, so its
    topic takes more than that of the answers."""
    largest = max(2 * MIB, max_event_bytes + HEADERS)
    return (
        TopicPlan(
            "answers",
            names["answers"],
            4,
            {"retention.ms": str(7 * DAY_MS), "max.message.bytes": str(largest)},
            ("DESCRIBE", "DESCRIBE_CONFIGS", "READ", "WRITE"),
            "there is nothing to check",
        ),
        TopicPlan(
            "dead_letters",
            names["dead_letters"],
            1,
            {"retention.ms": str(30 * DAY_MS), "max.message.bytes": str(2 * largest)},
            ("DESCRIBE", "READ", "WRITE"),
            "the first record that cannot be read stops its partition",
        ),
        TopicPlan(
            "verdicts",
            names["verdicts"],
            4,
            {
                "retention.ms": str(400 * DAY_MS),
                "max.message.bytes": str(4 * MIB),
                "cleanup.policy": "delete",
            },
            ("DESCRIBE", "READ", "WRITE"),
            "checking stops after the first batch",
        ),
        # What people decided is never thrown away.
        TopicPlan(
            "reviews",
            names["reviews"],
            1,
            {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete"},
            ("DESCRIBE", "READ", "WRITE"),
            "people's labels live in Redis alone",
        ),
        TopicPlan(
            "feedback",
            names["feedback"],
            4,
            {"retention.ms": str(30 * DAY_MS)},
            ("DESCRIBE", "READ", "WRITE"),
            "users' feedback is not taken",
        ),
    )


def create_command(topic: TopicPlan, tools: Tools) -> str:
    """The line that creates the topic as planned."""
    configs = dict(topic.configs)
    if tools.replication >= 3:
        configs["min.insync.replicas"] = "2"
    pairs = [part for name, value in configs.items() for part in ("--config", f"{name}={value}")]
    return tools.command(
        "kafka-topics.sh", "--create", "--topic", topic.name,
        "--partitions", str(topic.partitions),
        "--replication-factor", str(tools.replication), *pairs,
    )  # fmt: skip


def examine(
    topics: Sequence[TopicPlan],
    found: Mapping[str, FoundTopic | None],
    tools: Tools,
    max_event_bytes: int = MIB,
    max_case_bytes: int = 200_000,
) -> Iterator[Advice]:
    """``found``: by name; None for a topic that does not exist."""
    for topic in topics:
        facts = found.get(topic.name)
        if facts is None:
            yield Advice(
                "warn" if topic.role == "feedback" else "fail",
                AREA,
                f"{topic.name} does not exist: {topic.without}",
                create_command(topic, tools),
            )
            continue
        faults = list(_Examined(topic, facts, tools).faults(found, topics, max_event_bytes,
                                                            max_case_bytes))  # fmt: skip
        yield from faults
        if not faults:
            yield Advice("ok", AREA, f"{topic.name}: {_described(facts)}")


def _described(facts: FoundTopic) -> str:
    said = f"{facts.partitions} partitions, replication {facts.replication}"
    if facts.configs is None:
        return said + "; its configuration may not be asked (no right DescribeConfigs)"
    kept = _retention_ms(facts.configs)
    days = "unlimited" if kept < 0 else f"{kept / DAY_MS:g} days"
    return f"{said}, retention {days}, {_largest(facts.configs)} bytes a record"


@dataclass(frozen=True, slots=True)
class _Examined:
    topic: TopicPlan
    facts: FoundTopic
    tools: Tools

    def faults(
        self,
        found: Mapping[str, FoundTopic | None],
        topics: Sequence[TopicPlan],
        max_event_bytes: int,
        max_case_bytes: int,
    ) -> Iterator[Advice]:
        yield from self._replicas()
        if self.facts.configs is not None:
            yield from self._cleanup(self.facts.configs)
            yield from self._retention(self.facts.configs)
            yield from self._insync(self.facts.configs)
            least = self._least_bytes(found, topics, max_event_bytes, max_case_bytes)
            yield from self._size(self.facts.configs, *least)

    def _replicas(self) -> Iterator[Advice]:
        facts = self.facts
        if facts.leaderless:
            yield self._say(
                "fail",
                f"{facts.leaderless} of {facts.partitions} partitions have no leader",
                "start the brokers that hold them",
            )
        if facts.behind:
            yield self._say(
                "warn",
                f"{facts.behind} of {facts.partitions} partitions have a replica out of sync",
                "look at the brokers' logs; until it is back, one broker less may fail",
            )
        if facts.replication < self.tools.replication:
            yield self._say(
                "warn",
                f"replication {facts.replication} with {self.tools.brokers} brokers: "
                "a disk that dies takes records along",
                f"kafka-reassign-partitions.sh, to replication {self.tools.replication}",
            )

    def _cleanup(self, configs: Mapping[str, str]) -> Iterator[Advice]:
        if "compact" not in configs.get("cleanup.policy", "delete"):
            return
        mend = self._alter({"cleanup.policy": "delete"})
        if self.topic.role in ("verdicts", "reviews"):
            said = "is compacted: a later record would delete the verdict or label before it"
            yield self._say("fail", said, mend)
        elif self.topic.role == "answers":
            said = "is compacted: an answer is dropped unread when another has its key"
            yield self._say("warn", said, mend)

    def _retention(self, configs: Mapping[str, str]) -> Iterator[Advice]:
        wanted, kept = _retention_ms(self.topic.configs), _retention_ms(configs)
        by_size = configs.get("retention.bytes", "-1") != "-1"
        if self.topic.role == "reviews":
            if kept >= 0 or by_size:
                yield self._say(
                    "fail",
                    "forgets people's labels after a while: they stand nowhere else for good",
                    self._alter({"retention.ms": "-1", "retention.bytes": "-1"}),
                )
            return
        if 0 <= kept < wanted:
            yield self._say(
                "warn",
                f"keeps records {kept / DAY_MS:g} days, {wanted // DAY_MS} are advised: "
                + _SHORT[self.topic.role],
                self._alter({"retention.ms": str(wanted)}),
            )
        if by_size and self.topic.role in ("answers", "verdicts"):
            yield self._say(
                "warn",
                "has a bound of bytes (retention.bytes), which may cut its days short",
                self._alter({"retention.bytes": "-1"}),
            )

    def _insync(self, configs: Mapping[str, str]) -> Iterator[Advice]:
        if self.facts.replication >= 3 and configs.get("min.insync.replicas", "1") == "1":
            yield self._say(
                "warn",
                "min.insync.replicas is 1: a record may be acknowledged that one broker alone has",
                self._alter({"min.insync.replicas": "2"}),
            )

    def _least_bytes(
        self,
        found: Mapping[str, FoundTopic | None],
        topics: Sequence[TopicPlan],
        max_event_bytes: int,
        max_case_bytes: int,
    ) -> tuple[int, str]:
        """What the topic must take, and what happens to a larger record."""
        if self.topic.role == "answers":
            return max_event_bytes + HEADERS, (
                f"an event may have {max_event_bytes} bytes (GROUNDWATCH_MAX_EVENT_BYTES); the "
                "application's larger ones never arrive"
            )
        if self.topic.role == "dead_letters":
            answers = found.get(next(t.name for t in topics if t.role == "answers"))
            largest = MIB if answers is None or answers.configs is None else _largest(
                answers.configs
            )  # fmt: skip
            return largest + HEADERS, (
                "the topic of the answers takes as much; larger dead letters are cut"
            )
        if self.topic.role == "verdicts":
            return max_case_bytes + HEADERS, (
                f"a case may have {max_case_bytes} bytes (GROUNDWATCH_MAX_CASE_BYTES); larger ones "
                "are reduced"
            )
        return 0, ""

    def _size(self, configs: Mapping[str, str], least: int, why: str) -> Iterator[Advice]:
        if _largest(configs) < least:
            yield self._say(
                "warn",
                f"takes {_largest(configs)} bytes a record: {why}",
                self._alter(
                    {
                        "max.message.bytes": str(
                            max(least, int(self.topic.configs.get("max.message.bytes", least)))
                        )
                    }
                ),
            )

    def _alter(self, configs: Mapping[str, str]) -> str:
        pairs = ",".join(f"{name}={value}" for name, value in configs.items())
        return self.tools.command(
            "kafka-configs.sh", "--alter", "--entity-type", "topics",
            "--entity-name", self.topic.name, "--add-config", pairs,
        )  # fmt: skip

    def _say(self, status: Literal["warn", "fail"], said: str, mend: str) -> Advice:
        return Advice(status, AREA, f"{self.topic.name}: {said}", mend)


_SHORT: Mapping[Role, str] = {
    "answers": "an outage that lasts longer loses answers",
    "dead_letters": "what was refused is gone before it can be mended and sent again",
    "verdicts": "`groundwatch rebuild` reaches back no further",
    "feedback": "an outage that lasts longer loses feedback",
}


def _retention_ms(configs: Mapping[str, str]) -> int:
    return int(configs.get("retention.ms", 7 * DAY_MS))


def _largest(configs: Mapping[str, str]) -> int:
    return int(configs.get("max.message.bytes", MIB))


def examine_rights(
    topics: Sequence[TopicPlan],
    found: Mapping[str, FoundTopic | None],
    groups: Mapping[str, frozenset[str] | None],
    user: str,
    tools: Tools,
) -> Iterator[Advice]:
    """What the user may do, as the broker tells it, with topics and with each of ``groups``. Empty
    rights are no rights; None where the broker does not tell."""
    untold: list[str] = []
    faults: list[Advice] = []
    for topic in topics:
        facts = found.get(topic.name)
        if facts is not None and facts.rights is None:
            untold.append(topic.name)
        elif facts is not None and facts.rights is not None:
            lacking = [right for right in topic.rights if right not in facts.rights]
            faults += _lacking("topic", topic.name, lacking, user, tools)
    for group, rights in groups.items():
        if rights is None:
            untold.append(f"group {group}")
        else:
            faults += _lacking("group", group, sorted({"DESCRIBE", "READ"} - rights), user, tools)
    yield from faults
    if untold:
        yield Advice(
            "warn",
            "access",
            f"the broker does not tell this user's rights on {', '.join(untold)} (of a group, not "
            "before a first member has joined it)",
            tools.command("kafka-acls.sh", "--list") + ", by a user who may",
        )
    elif not faults:
        yield Advice("ok", "access", "this user may read and write what the service needs")


def _lacking(
    kind: str, name: str, rights: Sequence[str], user: str, tools: Tools
) -> Iterator[Advice]:
    if not rights:
        return
    operations = [part for right in rights for part in ("--operation", _operation(right))]
    yield Advice(
        "fail",
        "access",
        f"{kind} {name}: no right to {', '.join(map(_operation, rights))}",
        tools.command(
            "kafka-acls.sh", "--add", "--allow-principal", f"User:{user}",
            *operations, f"--{kind}", name,
        ),
    )  # fmt: skip


def _operation(right: str) -> str:
    return "".join(part.capitalize() for part in right.split("_"))
