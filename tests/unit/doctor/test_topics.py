"""What is said of topics as a broker describes them."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from service.doctor.topics import (
    DAY_MS,
    FoundTopic,
    Role,
    Tools,
    create_command,
    examine,
    examine_rights,
    plan,
)

NAMES: dict[Role, str] = {
    "answers": "a", "dead_letters": "d", "verdicts": "v", "reviews": "r", "feedback": "f",
}  # fmt: skip
PLANNED = plan(NAMES)
TOOLS = Tools("kafka-1:9092", 3)
ALL = frozenset({"READ", "WRITE", "DESCRIBE", "DESCRIBE_CONFIGS", "CREATE"})


def as_planned(**changed: FoundTopic | None) -> dict[str, FoundTopic | None]:
    found: dict[str, FoundTopic | None] = {
        topic.name: FoundTopic(
            topic.partitions, 3, {**topic.configs, "min.insync.replicas": "2"}, ALL
        )
        for topic in PLANNED
    }
    return {**found, **changed}


def with_config(name: str, **configs: str) -> dict[str, FoundTopic | None]:
    facts = as_planned()[name]
    assert facts is not None
    assert facts.configs is not None
    dotted = {key.replace("_", "."): value for key, value in configs.items()}
    return as_planned(**{name: replace(facts, configs={**facts.configs, **dotted})})


def statuses(found: dict[str, FoundTopic | None], **limits: int) -> list[tuple[str, str]]:
    said = examine(PLANNED, found, TOOLS, **limits)
    return [(line.status, line.said) for line in said if line.status != "ok"]


def test_topics_as_planned_are_fine() -> None:
    said = list(examine(PLANNED, as_planned(), TOOLS))
    assert [line.status for line in said] == ["ok"] * 5
    assert "retention unlimited" in said[3].said


def test_a_missing_topic_comes_with_the_command_that_makes_it() -> None:
    found = as_planned(v=None, f=None)
    said = [line for line in examine(PLANNED, found, TOOLS) if line.status != "ok"]
    assert [line.status for line in said] == ["fail", "warn"]
    words = shlex.split(said[0].mend)
    assert words[:5] == [
        "kafka-topics.sh", "--bootstrap-server", "kafka-1:9092", "--create", "--topic"
    ]  # fmt: skip
    assert words[words.index("--replication-factor") + 1] == "3"
    assert f"retention.ms={400 * DAY_MS}" in words
    assert "min.insync.replicas=2" in words


def test_one_broker_gets_one_replica_and_a_login_is_asked_for() -> None:
    command = create_command(PLANNED[0], Tools("b:1", brokers=1, secured=True))
    assert "--replication-factor 1" in command
    assert "--command-config client.properties" in command
    assert "min.insync" not in command


@pytest.mark.parametrize(
    ("name", "configs", "status", "words"),
    [
        ("v", {"cleanup_policy": "compact"}, "fail", "is compacted"),
        ("r", {"cleanup_policy": "compact,delete"}, "fail", "is compacted"),
        ("a", {"cleanup_policy": "compact"}, "warn", "is compacted"),
        ("r", {"retention_ms": str(DAY_MS)}, "fail", "forgets people's labels"),
        ("r", {"retention_bytes": "1000"}, "fail", "forgets people's labels"),
        ("v", {"retention_ms": str(30 * DAY_MS)}, "warn", "30 days, 400 are advised"),
        ("v", {"retention_bytes": "1000"}, "warn", "bound of bytes"),
        ("a", {"max_message_bytes": "1000"}, "warn", "never arrive"),
        ("d", {"max_message_bytes": "2000000"}, "warn", "larger dead letters are cut"),
        ("v", {"max_message_bytes": "100000"}, "warn", "are reduced"),
        ("a", {"min_insync_replicas": "1"}, "warn", "one broker alone"),
    ],
)
def test_a_wrong_configuration_is_told_with_its_mend(
    name: str, configs: dict[str, str], status: str, words: str
) -> None:
    found = with_config(name, **configs)
    said = [line for line in examine(PLANNED, found, TOOLS) if line.status != "ok"]
    assert [(line.status, line.said.partition(":")[0]) for line in said] == [(status, name)]
    assert words in said[0].said
    assert shlex.split(said[0].mend)[-2] == "--add-config"


def test_unlimited_retention_is_never_too_short() -> None:
    assert statuses(with_config("a", retention_ms="-1")) == []


def test_larger_events_need_larger_topics() -> None:
    assert statuses(as_planned(), max_event_bytes=1 << 20) == []
    assert [s for s, _ in statuses(as_planned(), max_event_bytes=4 << 20)] == ["warn"]
    larger = plan(NAMES, 4 << 20)
    assert int(larger[0].configs["max.message.bytes"]) > 4 << 20


def test_replicas() -> None:
    facts = as_planned()["a"]
    assert facts is not None
    one = statuses(as_planned(a=replace(facts, replication=1)))
    assert [s for s, _ in one] == ["warn"]
    assert [s for s, _ in statuses(as_planned(a=replace(facts, leaderless=1)))] == ["fail"]
    assert [s for s, _ in statuses(as_planned(a=replace(facts, behind=1)))] == ["warn"]


def rights(
    found: dict[str, FoundTopic | None], group: frozenset[str] | None = ALL
) -> list[tuple[str, str, str]]:
    said = examine_rights(PLANNED, found, {"g": group}, "gw", TOOLS)
    return [(line.status, line.said, line.mend) for line in said]


def test_all_rights() -> None:
    assert [status for status, _, _ in rights(as_planned())] == ["ok"]


def test_a_missing_right_is_named_with_the_command_that_gives_it() -> None:
    facts = as_planned()["v"]
    assert facts is not None
    found = as_planned(v=replace(facts, rights=frozenset({"DESCRIBE", "READ"})))
    ((status, said, mend),) = rights(found)
    assert status == "fail"
    assert said == "topic v: no right to Write"
    assert shlex.split(mend)[-7:] == [
        "--add", "--allow-principal", "User:gw", "--operation", "Write", "--topic", "v"
    ]  # fmt: skip


def test_the_group_s_rights() -> None:
    assert [status for status, _, _ in rights(as_planned(), frozenset())] == ["fail"]
    ((status, said, _),) = rights(as_planned(), None)
    assert status == "warn"
    assert "group g" in said


def test_a_topic_that_may_not_be_described() -> None:
    found = as_planned(a=FoundTopic(0, 0, None, frozenset()))
    assert any(status == "fail" for status, _, _ in rights(found))
