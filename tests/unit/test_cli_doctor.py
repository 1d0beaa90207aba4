"""``groundwatch doctor`` without any server."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from service import cli
from service.settings import parse_policy

DEMO = Path(__file__).parents[2] / "service" / "demo" / "events.jsonl"


@pytest.fixture
def invoke(monkeypatch):
    for name in [name for name in os.environ if name.startswith("GROUNDWATCH_")]:
        monkeypatch.delenv(name)
    return lambda *arguments, **more: CliRunner().invoke(cli.app, ["doctor", *arguments], **more)


def test_embedded_it_says_so_and_is_healthy(invoke) -> None:
    result = invoke()
    assert result.exit_code == 0
    assert "embedded: no Kafka is configured" in result.output
    assert "no policy file" in result.output


def test_a_sample_gives_a_policy_that_can_be_used(invoke, tmp_path) -> None:
    path = tmp_path / "policy.yaml"
    result = invoke(str(DEMO), "--policy-out", str(path))
    assert result.exit_code == 0, result.output
    parse_policy(yaml.safe_load(path.read_text()), "proposed")
    again = invoke(str(DEMO), env={"GROUNDWATCH_POLICY": str(path)})
    assert "policy: 2 apps" in again.output
    assert "that the policy does not list" not in again.output


def test_json_is_one_object(invoke) -> None:
    told = json.loads(invoke(str(DEMO), "--format", "json").stdout)
    assert told["healthy"] is True
    assert {line["status"] for line in told["advice"]} <= {"ok", "warn"}
    assert told["sample"]["apps"]["docs-search"]["answers"] == 37
    assert parse_policy(yaml.safe_load(told["policy"]), "proposed").apps


def test_a_broken_policy_fails(invoke, tmp_path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("apps: {a: {citations: {base: 7}}}")
    result = invoke(env={"GROUNDWATCH_POLICY": str(path)})
    assert result.exit_code == 1
    assert "apps.a.citations.base" in result.output


def test_a_sample_that_cannot_be_read_fails(invoke) -> None:
    assert invoke("-", input='{"resourceSpans": []}\n').exit_code == 1


def test_a_redis_that_is_away_fails(invoke) -> None:
    result = invoke(env={"GROUNDWATCH_REDIS_URL": "unix:///nonexistent/redis.sock"})
    assert result.exit_code == 1
    assert "Redis is away" in result.output


def test_names_of_a_sample_do_not_steer_the_terminal(invoke) -> None:
    event = {"event_id": "e", "app": "\x1b]0;x\x07", "query": "?", "retrieved": [], "answer": "x"}
    result = invoke("-", input=json.dumps(event) + "\n")
    assert "\x1b" not in result.output
    assert "\x07" not in result.output


def test_a_tls_file_that_cannot_be_used_is_a_line(invoke, tmp_path) -> None:
    missing = str(tmp_path / "no-ca.pem")
    environment = {
        "GROUNDWATCH_REDIS_URL": "rediss://h:1/0", "GROUNDWATCH_REDIS_SSL_CAFILE": missing
    }  # fmt: skip
    result = invoke(env=environment)
    assert result.exit_code == 1
    assert "fail" in result.output
    assert "no policy file" in result.output, "the rest is examined all the same"
