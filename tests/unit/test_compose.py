"""compose.yaml fits the rest of the project, as far as reading it can show."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import typer.main
import yaml

from service.cli import app
from service.doctor.topics import plan
from service.settings import Settings, load_policy, load_settings
from tests.servers.compose import OURS, environment, mounts, services, topics

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "dashboards" / "compose"
WITH_JUDGE = {
    "GROUNDWATCH_JUDGE_BASE_URL": "http://host.docker.internal:11434/v1",
    "GROUNDWATCH_JUDGE_MODEL": "some-model",
}
every = pytest.mark.parametrize("name", services())
ours = pytest.mark.parametrize("name", OURS)


def settings_of(name: str, shell: dict[str, str] | None = None) -> Settings:
    return load_settings(environment(name, shell))


def test_every_file_that_is_mounted_is_there() -> None:
    named = [source for name in services() for source in mounts(name).values()]
    files = [source for source in named if source.startswith("./")]
    assert len(files) > 5
    assert [source for source in files if not (ROOT / source).exists()] == []
    volumes = yaml.safe_load((ROOT / "compose.yaml").read_text())["volumes"]
    assert set(named) - set(files) == set(volumes)


@every
def test_its_image_is_of_one_version(name: str) -> None:
    assert re.fullmatch(r"[\w/]+:v?\d+\.\d+\.\d+", services()[name]["image"])


@ours
def test_ours_is_of_this_version(name: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert services()[name]["image"] == f"groundwatch:{version}"
    assert services()[name]["build"] == "."


@every
def test_its_ports_are_on_the_loopback_alone(name: str) -> None:
    published = services()[name].get("ports", [])
    assert [port for port in published if not re.fullmatch(r"127\.0\.0\.1:(\d+):\1", port)] == []


def test_no_two_publish_one_port() -> None:
    published = [port for name in services() for port in services()[name].get("ports", ())]
    assert len(published) == len(set(published)) > 4


@every
def test_it_is_known_when_it_is_well(name: str) -> None:
    """Ours by the image's own check; the one-shot by its end."""
    service = services()[name]
    assert ("healthcheck" in service) == (name not in (*OURS, "topics"))


@every
def test_it_waits_for_what_can_come_true(name: str) -> None:
    for other, wish in services()[name].get("depends_on", {}).items():
        checked = "healthcheck" in services()[other]
        assert wish["condition"] == (
            "service_healthy" if checked else "service_completed_successfully"
        )


@ours
def test_its_command_is_one_of_groundwatch(name: str) -> None:
    command = typer.main.get_command(app)
    subcommand, *arguments = services()[name]["command"]
    found = command.commands[subcommand]  # type: ignore[attr-defined]
    assert found.make_context(subcommand, arguments) is not None


@ours
def test_its_settings_are_valid(name: str) -> None:
    settings = settings_of(name)
    assert not settings.embedded
    assert not settings.judging
    assert settings_of(name, WITH_JUDGE).judging
    assert settings_of(name) == settings_of("serve")


@ours
def test_its_policy_is_valid(name: str) -> None:
    policy = mounts(name)[str(settings_of(name).policy)]
    assert load_policy(ROOT / policy).apps


@ours
def test_it_may_not_do_more_than_it_needs(name: str) -> None:
    service = services()[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    grace = int(service["stop_grace_period"].removesuffix("s"))
    assert grace > settings_of(name).grace_s + 5


def test_it_reaches_the_servers_where_they_listen() -> None:
    settings = settings_of("serve")
    listeners = environment("kafka")["KAFKA_ADVERTISED_LISTENERS"].split(",")
    assert f"PLAINTEXT://{settings.kafka_bootstrap}" in listeners
    assert settings.redis_url == "redis://redis:6379/0"
    assert services()["serve"]["ports"] == [f"127.0.0.1:{settings.port}:{settings.port}"]
    host = services()["kafka"]["ports"][0].rpartition(":")[0]
    assert f"HOST://{host}" in listeners


def test_the_topics_are_those_that_the_doctor_wants() -> None:
    settings = settings_of("consume")
    wanted = plan(
        {
            "answers": settings.topic_answers,
            "dead_letters": settings.topic_dead_letters,
            "verdicts": settings.topic_verdicts,
            "reviews": settings.topic_reviews,
            "feedback": settings.topic_feedback,
        },
        settings.max_event_bytes,
    )
    assert topics() == {topic.name: (topic.partitions, topic.configs) for topic in wanted}


def test_prometheus_scrapes_every_process() -> None:
    config = yaml.safe_load((COMPOSE / "prometheus.yaml").read_text())
    [job] = config["scrape_configs"]
    found = {name: one["port"] for one in job["dns_sd_configs"] for name in one["names"]}
    settings = settings_of("serve")
    assert found == {
        "serve": settings.port,
        "consume": settings.metrics_port,
        "judge": settings.metrics_port,
    }


def test_prometheus_loads_our_rules_and_tells_the_alertmanager() -> None:
    config = yaml.safe_load((COMPOSE / "prometheus.yaml").read_text())
    [pattern] = config["rule_files"]
    folder = mounts("prometheus")[str(Path(pattern).parent)]
    assert len(list((ROOT / folder).glob(Path(pattern).name))) > 4
    [manager] = config["alerting"]["alertmanagers"]
    [target] = manager["static_configs"][0]["targets"]
    assert services()["alertmanager"]["ports"] == [f"127.0.0.1:9093:{target.rpartition(':')[2]}"]


def test_the_alertmanager_routes_as_the_example_does() -> None:
    example = yaml.safe_load((ROOT / "dashboards/prometheus/alertmanager.example.yaml").read_text())
    config = yaml.safe_load((COMPOSE / "alertmanager.yaml").read_text())
    receivers = [{"name": receiver["name"]} for receiver in example["receivers"]]
    assert config == {**example, "receivers": receivers}


def test_grafana_finds_its_dashboards_and_its_prometheus() -> None:
    [provider] = yaml.safe_load((COMPOSE / "dashboards.yaml").read_text())["providers"]
    assert mounts("grafana")[provider["options"]["path"]] == "./dashboards/grafana"
    [source] = yaml.safe_load((COMPOSE / "datasources.yaml").read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert services()["prometheus"]["ports"] == ["127.0.0.1:9090:9090"]
    for kind in ("datasources", "dashboards"):
        provisioned = f"/etc/grafana/provisioning/{kind}/groundwatch.yaml"
        assert mounts("grafana")[provisioned] == f"./dashboards/compose/{kind}.yaml"
