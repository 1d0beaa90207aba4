"""``groundwatch doctor`` on a real broker and a real Redis: what it says is so, and its commands
mend it."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from pathlib import Path
from typing import Any

import pytest
import redis as redis_client

from consumers.kafka.inspection import Inspection
from service.store import connect
from service.store.inspection import inspect
from tests.servers import commands

Told = dict[str, Any]


@pytest.fixture
def environment(kafka_bootstrap: str, redis_url: str, redis, tmp_path: Path) -> dict[str, str]:
    name = uuid.uuid4().hex[:8]
    policy = tmp_path / "policy.yaml"
    policy.write_text("apps: {support: {}}\n")
    return {
        "GROUNDWATCH_KAFKA_BOOTSTRAP": kafka_bootstrap,
        "GROUNDWATCH_REDIS_URL": redis_url,
        "GROUNDWATCH_POLICY": str(policy),
        "GROUNDWATCH_GROUP": f"group-{name}",
        "GROUNDWATCH_TOPIC_ANSWERS": f"{name}.answers",
        "GROUNDWATCH_TOPIC_DEAD_LETTERS": f"{name}.dead-letter",
        "GROUNDWATCH_TOPIC_VERDICTS": f"{name}.verdicts",
        "GROUNDWATCH_TOPIC_REVIEWS": f"{name}.reviews",
        "GROUNDWATCH_TOPIC_FEEDBACK": f"{name}.feedback",
    }


def doctor(environment: dict[str, str]) -> tuple[int, Told]:
    done = commands.run(["doctor", "--format", "json"], {**os.environ, **environment})
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def lines(told: Told, area: str) -> list[tuple[str, str, str]]:
    return [
        (line["status"], line["said"], line["mend"])
        for line in told["advice"]
        if line["area"] == area
    ]


def test_it_says_what_is_missing_and_is_content_once_that_is_there(
    environment, topic_facts
) -> None:
    code, told = doctor(environment)
    assert code == 1
    assert not told["healthy"]
    topics = lines(told, "topics")
    assert [status for status, _, _ in topics] == ["fail"] * 4 + ["warn"]
    # The options of the printed commands, read as Kafka's tool reads them, and carried out.
    for _, _, command in topics:
        words = command.split()
        assert words[:2] == ["kafka-topics.sh", "--bootstrap-server"]
        assert words[3] == "--create"
        options = dict(zip(words[4:10:2], words[5:10:2], strict=True))
        configs = dict(word.split("=", 1) for word in words[11::2])
        assert set(words[10::2]) == {"--config"}
        topic_facts.create_topic(
            options["--topic"],
            int(options["--partitions"]),
            configs,
            int(options["--replication-factor"]),
        )
    code, told = doctor(environment)
    assert code == 0, told
    assert [status for status, _, _ in lines(told, "topics")] == ["ok"] * 5
    assert [status for status, _, _ in lines(told, "policy")] == ["ok"]
    clocks = lines(told, "clock")
    assert [(status, said.split()[0]) for status, said, _ in clocks] == [
        ("ok", "Kafka"), ("ok", "Redis")
    ]  # fmt: skip
    assert ("ok", "noeviction, append-only file on", "") in lines(told, "redis")


def test_a_broker_that_is_away_is_one_line_and_redis_is_examined_all_the_same(environment) -> None:
    environment["GROUNDWATCH_KAFKA_BOOTSTRAP"] = "127.0.0.1:1"
    code, told = doctor(environment)
    assert code == 1
    ((status, said, _),) = lines(told, "kafka")
    assert status == "fail"
    assert "127.0.0.1:1" in said
    assert lines(told, "redis")


def test_rights_on_topics_and_on_the_group(kafka_options, make_topic, join, group: str) -> None:
    topic = make_topic()
    with contextlib.closing(Inspection(kafka_options)) as inspection:
        found = inspection.topics([topic, "no-such-topic"])
        assert found["no-such-topic"] is None
        facts = found[topic]
        assert facts is not None
        assert facts.rights is not None
        assert {"READ", "WRITE", "DESCRIBE"} <= facts.rights
        assert facts.configs is not None
        assert facts.configs["cleanup.policy"] == "delete"
        assert inspection.brokers() == 1
        assert inspection.group_rights(group) is None, "nobody knows this group yet"
        join(topic).poll(3000)
        rights = inspection.group_rights(group)
        assert rights is not None
        assert {"READ", "DESCRIBE"} <= rights


def test_a_redis_user_with_too_few_commands_is_told_which(redis_url: str, redis) -> None:
    redis.execute_command(
        "ACL", "SETUSER", "narrow", "on", ">secret", "~*", "+@all", "-zadd", "-hincrby", "-info"
    )
    try:
        url = redis_url.replace("redis://", "redis://narrow:secret@")
        connection = connect(url)
        facts = inspect(connection)
        connection.client.close()
    finally:
        redis.execute_command("ACL", "DELUSER", "narrow")
    assert facts.user == "narrow"
    assert set(facts.refused or ()) == {"hincrby", "zadd"}
    assert facts.policy is None, "a user who may not run INFO"


def test_an_evicting_redis_fails(redis_url: str, redis: redis_client.Redis) -> None:
    redis.config_set("maxmemory-policy", "allkeys-lru")
    try:
        connection = connect(redis_url)
        assert inspect(connection).policy == "allkeys-lru"
        connection.client.close()
    finally:
        redis.config_set("maxmemory-policy", "noeviction")
