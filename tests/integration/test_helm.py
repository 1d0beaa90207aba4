"""The packaged chart: what it renders to, what a cluster and groundwatch itself make of that."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import time
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis
import yaml
from typer.testing import CliRunner

from service import alive
from service.access.roles import Grant, Role
from service.access.rules import AccessRules
from service.bootstrap import caps, check_redis
from service.checks import CHECKS
from service.cli import app
from service.cli.serving import check_door
from service.settings import Settings, load_settings, parse_policy
from service.store import Store, connect
from tests.integration.chart_values import EVERYTHING, INSTALLATIONS, POLICY, SMALL, Values
from tests.integration.rendered import (
    Object,
    component,
    environment,
    labels_of_pods,
    matches,
    of_kind,
    ours,
    pods,
)
from tests.servers import unavailable
from tests.servers.helm import Chart, HelmMissing, Refused, faults
from tests.servers.redis import RedisMissing, redis_binary
from tools.chart.package import package
from tools.kafka.broker import free_port

pytestmark = pytest.mark.timeout(900)  # Go builds helm, the first time

ROOT = Path(__file__).parents[2]
LABEL_LENGTH = 63
each_installation = pytest.mark.parametrize("name", INSTALLATIONS)


@pytest.fixture(scope="session")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Chart:
    try:
        return Chart(package(tmp_path_factory.mktemp("chart")))
    except HelmMissing as error:
        unavailable(str(error))


@pytest.fixture
def everything(chart: Chart) -> list[Object]:
    return chart.render(EVERYTHING)


def merged(values: Values, **more: Any) -> Values:
    """``values`` with these in place of, or inside of, its own."""
    made = copy.deepcopy(values)
    for name, value in more.items():
        mine = made.get(name)
        made[name] = {**mine, **value} if isinstance(mine, dict) else value
    return made


# What a cluster makes of it.


@each_installation
def test_helm_finds_no_fault(chart: Chart, name: str) -> None:
    chart.lint(INSTALLATIONS[name])


@each_installation
def test_a_cluster_takes_every_object(chart: Chart, name: str) -> None:
    assert [found for item in chart.render(INSTALLATIONS[name]) if (found := faults(item))] == []


def test_a_field_that_no_cluster_knows_is_a_fault(everything: list[Object]) -> None:
    for kind in {item["kind"] for item in everything}:
        item = of_kind(everything, kind)[0]
        assert faults({**item, "unknown": 1}), kind
        assert faults({**item, "metadata": {**item["metadata"], "label": {}}}), kind


@each_installation
@pytest.mark.parametrize("release", ["rag", "r" * 53], ids=["short", "longest"])
def test_names_and_labels_fit_and_are_unique(chart: Chart, name: str, release: str) -> None:
    objects = chart.render(INSTALLATIONS[name], release)
    named = [(item["kind"], item["metadata"]["name"]) for item in objects]
    assert len(named) == len(set(named))
    # Kubernetes makes labels of a StatefulSet's name and a hash.
    assert max(len(name) for _, name in named) <= 52
    texts = re.findall(
        r": \"?([^\n\"]*)", yaml.safe_dump([i["metadata"]["labels"] for i in objects])
    )
    assert max(map(len, texts)) <= LABEL_LENGTH


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("blue", "green"),
        ("groundwatch", "a"),
        ("a", "a-groundwatch"),
        ("a", "a-groundwatch-web"),
        pytest.param(f"{'r' * 52}a", f"{'r' * 52}b", id="longest"),
    ],
)
def test_two_releases_in_a_namespace_leave_each_other_alone(
    chart: Chart, one: str, other: str
) -> None:
    values = merged(EVERYTHING, redis={"enabled": True})
    del values["existingSecret"]["env"]["redis_url"]
    mine, theirs = chart.render(values, one), chart.render(values, other)

    def names(objects: list[Object]) -> set[tuple[str, str]]:
        return {(item["kind"], item["metadata"]["name"]) for item in objects}

    assert not names(mine) & names(theirs)
    for selector in selectors(mine):
        assert any(matches(selector, labels) for labels in labels_of_pods(mine)), selector
        assert not any(matches(selector, labels) for labels in labels_of_pods(theirs)), selector


def selectors(objects: list[Object]) -> list[dict[str, str]]:
    """All by which an object finds pods."""
    found = [item["spec"]["selector"] for item in of_kind(objects, "Service")]
    found += [
        item["spec"]["selector"]["matchLabels"]
        for item in of_kind(objects, "Deployment", "StatefulSet", "PodDisruptionBudget")
    ]
    found += [
        item["spec"]["podSelector"]["matchLabels"] for item in of_kind(objects, "NetworkPolicy")
    ]
    return found


# What groundwatch makes of it.


@each_installation
def test_groundwatch_takes_the_settings(chart: Chart, name: str) -> None:
    objects = chart.render(INSTALLATIONS[name])
    for part, pod in pods(objects).items():
        if part == "redis":
            continue
        container = ours(pod)
        settings = load_settings(environment(objects, container))
        assert not settings.embedded
        assert settings.redis_url != "memory://"
        if part == "doctor":
            continue
        (port,) = container["ports"]
        if part == "web":
            assert ip_address(settings.host).is_unspecified
            assert settings.port == port["containerPort"]
        else:
            assert ip_address(settings.metrics_host).is_unspecified
            assert settings.metrics_port == port["containerPort"]


def test_every_value_arrives_as_it_was_given(everything: list[Object]) -> None:
    settings = load_settings(environment(everything, ours(pods(everything)["consumer"])))
    assert settings.kafka_bootstrap == EVERYTHING["config"]["kafka_bootstrap"]
    assert settings.max_event_bytes == 1_048_576
    assert settings.documents_cache_bytes == 134_217_728
    assert settings.grace_s == 12.5
    assert settings.answers_transactional is True
    assert settings.judge_temperature is None
    assert settings.judge_seed == Settings().judge_seed
    assert settings.redis_url.startswith("rediss://")
    assert settings.judge_api_key is not None
    assert settings.judge_api_key.get_secret_value() == "a-key"


def test_groundwatch_takes_the_policy(everything: list[Object]) -> None:
    text = component(everything, "ConfigMap", "policy")["data"]["policy.yaml"]
    policy = parse_policy(yaml.safe_load(text), "the chart's")
    assert policy == parse_policy(POLICY, "the values'")
    assert policy.of("support").sampling.audit_per_day == 1_000_000
    pod = pods(everything)["consumer"]
    path = load_settings(environment(everything, ours(pod))).policy
    (mount,) = (m for m in ours(pod)["volumeMounts"] if m["name"] == "groundwatch-policy")
    # A whole folder: a file of its own (subPath) would never change in a running pod.
    assert str(path) == f"{mount['mountPath']}/policy.yaml"
    assert "subPath" not in mount


@pytest.mark.parametrize("name", ["everything", "small"])
def test_every_command_exists_with_its_options(chart: Chart, name: str) -> None:
    for part, pod in pods(chart.render(INSTALLATIONS[name])).items():
        done = CliRunner().invoke(app, [*ours(pod)["args"], "--help"])
        assert done.exit_code == 0, (part, done.output)


def test_secrets_stay_where_they_are(chart: Chart) -> None:
    for values in INSTALLATIONS.values():
        assert of_kind(chart.render(values), "Secret") == []


# The pods.


@each_installation
def test_pods_are_confined(chart: Chart, name: str) -> None:
    for pod in pods(chart.render(INSTALLATIONS[name])).values():
        assert pod["enableServiceLinks"] is False
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        container = pod["containers"][0]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounts = {mount["name"] for mount in container["volumeMounts"]}
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        assert mounts - {"data"} <= volumes


def test_openshift_chooses_the_user(chart: Chart) -> None:
    pod = pods(chart.render(INSTALLATIONS["openshift"]))["consumer"]
    assert set(pod["securityContext"]) == {"runAsNonRoot", "seccompProfile"}
    assert pod["serviceAccountName"] == "mine"


@pytest.mark.parametrize("part", ["consumer", "judge", "web"])
def test_probes_ask_what_the_endpoints_promise(everything: list[Object], part: str) -> None:
    container = ours(pods(everything)[part])
    (port,) = container["ports"]
    paths = {
        probe: container[probe]["httpGet"]["path"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert paths == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    assert {container[probe]["httpGet"]["port"] for probe in paths} == {port["name"]}


@pytest.mark.parametrize("part", ["consumer", "web"])
def test_the_processes_answer_their_probes(
    chart: Chart, part: str, redis_url: str, tmp_path: Path
) -> None:
    objects = chart.render(merged(SMALL, policy=POLICY))
    container, port, policy = ours(pods(objects)[part]), free_port(), tmp_path / "policy.yaml"
    policy.write_text(component(objects, "ConfigMap", "policy")["data"]["policy.yaml"])
    access = tmp_path / "access.yaml"
    access.write_text(component(objects, "ConfigMap", "access")["data"]["access.yaml"])
    made = environment(objects, container) | {
        # This machine's, and a Kafka that is away: no reason to restart anything.
        **{f"GROUNDWATCH_{name}": "127.0.0.1" for name in ("HOST", "METRICS_HOST")},
        **{f"GROUNDWATCH_{name}": str(port) for name in ("PORT", "METRICS_PORT")},
        "GROUNDWATCH_KAFKA_BOOTSTRAP": f"127.0.0.1:{free_port()}",
        "GROUNDWATCH_REDIS_URL": redis_url,
        "GROUNDWATCH_REDIS_NAMESPACE": f"chart-{port}",
        "GROUNDWATCH_POLICY": str(policy),
        "GROUNDWATCH_ACCESS": str(access),
    }
    if part == "web":  # which would not start without Kafka
        del made["GROUNDWATCH_KAFKA_BOOTSTRAP"]
        made["GROUNDWATCH_REDIS_URL"] = "memory://"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", *container["args"]],
            env={**os.environ, **made},
            cwd=tmp_path,
            stdout=log,
            stderr=log,
        )
    try:
        paths = {
            probe: f"http://127.0.0.1:{port}{container[probe]['httpGet']['path']}"
            for probe in ("startupProbe", "livenessProbe", "readinessProbe")
        }
        until_up(paths["startupProbe"], process, tmp_path / "log")
        assert httpx.get(paths["livenessProbe"], timeout=20).status_code == 200
        ready = httpx.get(paths["readinessProbe"], timeout=20)
        assert "redis" in ready.json()["checks"]
        if part == "web":
            asked = httpx.get(f"http://127.0.0.1:{port}/v1/cases", timeout=20)
            assert asked.status_code == 401
            assert httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=20).status_code == 200
        if part == "consumer":
            assert ready.status_code == 503
            assert ready.json()["checks"]["kafka"]["ok"] is False
    finally:
        process.kill()
        process.wait(60)


def until_up(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 60
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        try:
            assert httpx.get(address, timeout=20).status_code == 200
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return


@pytest.mark.parametrize(("grace_s", "seconds"), [(None, 60), (12.5, 46), (40, 100)])
def test_a_pod_is_given_time_to_drain_and_commit(
    chart: Chart, grace_s: float | None, seconds: int
) -> None:
    config = {} if grace_s is None else {"grace_s": grace_s}
    pod = pods(chart.render(merged(SMALL, config=config)))["consumer"]
    grace = Settings().grace_s if grace_s is None else grace_s
    # Answers, then feedback; then the clients are closed.
    assert pod["terminationGracePeriodSeconds"] == seconds >= 2 * grace + 17


def test_pods_start_anew_for_settings_and_not_for_a_policy(chart: Chart) -> None:
    def checksum(values: Values) -> str:
        deployment = component(chart.render(values), "Deployment", "consumer")
        found: str = deployment["spec"]["template"]["metadata"]["annotations"]["checksum/settings"]
        return found

    before = checksum(SMALL)
    assert checksum(merged(SMALL, config={"max_cases": 7})) != before
    assert checksum(merged(SMALL, policy=POLICY)) == before


def test_hooks_reach_the_pods(everything: list[Object]) -> None:
    consumer, web = pods(everything)["consumer"], pods(everything)["web"]
    assert consumer["nodeSelector"] == {"pool": "monitoring"}
    assert "nodeSelector" not in web
    for pod in (consumer, web):
        assert pod["tolerations"] == EVERYTHING["tolerations"]
        assert pod["affinity"] == EVERYTHING["affinity"]
        assert pod["priorityClassName"] == "high"
        assert pod["imagePullSecrets"] == [{"name": "registry"}]
        assert pod["containers"][1]["name"] == "beside"
        assert {"name": "more", "emptyDir": {}} in pod["volumes"]
        assert {"name": "more", "mountPath": "/more"} in ours(pod)["volumeMounts"]
        assert {"name": "TZ", "value": "UTC"} in ours(pod)["env"]
        assert {"secretRef": {"name": "more", "optional": True}} in ours(pod)["envFrom"]
    assert {"name": "MALLOC_ARENA_MAX", "value": "2"} in ours(consumer)["env"]
    assert ours(consumer)["args"] == ["consume", "--from", "latest", "--metrics-port", "9464"]
    template = component(everything, "Deployment", "consumer")["spec"]["template"]["metadata"]
    assert template["annotations"]["example.com/of"] == "consumers"
    assert template["labels"]["example.com/team"] == "search"
    assert all(item["metadata"]["labels"]["example.com/owner"] == "search" for item in everything)
    (volume,) = (v for v in web["volumes"] if v["name"] == "groundwatch-secret-kafka-ca")
    assert volume["secret"] == {"secretName": "acme-cluster-ca"}


def test_a_digest_pins_the_image(chart: Chart) -> None:
    pod = pods(chart.render(INSTALLATIONS["pinned-and-bare"]))["web"]
    assert ours(pod)["image"] == f"groundwatch@sha256:{'a' * 64}"
    assert "topologySpreadConstraints" not in pod


def test_pods_are_spread_with_their_own_kind(everything: list[Object]) -> None:
    for part in ("consumer", "judge", "web"):
        pod, keys = pods(everything)[part], set()
        for constraint in pod["topologySpreadConstraints"]:
            keys.add(constraint["topologyKey"])
            labels = constraint["labelSelector"]["matchLabels"]
            assert labels["app.kubernetes.io/component"] == part
        assert keys == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}


def test_the_first_values_of_the_docs_are_taken(chart: Chart) -> None:
    page = (ROOT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
    (values, *_) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    objects = chart.render(yaml.safe_load(values))
    assert [found for item in objects if (found := faults(item))] == []
    settings = load_settings(environment(objects, ours(pods(objects)["consumer"])))
    assert settings.kafka_sasl_mechanism == "SCRAM-SHA-512"


# Beside an app.


APP = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  selector: {matchLabels: {app: app}}
  template:
    metadata:
      labels: {app: app}
      annotations:
        checksum/settings: {{ include "groundwatch.checksum" .Subcharts.groundwatch }}
    spec:
      enableServiceLinks: false
      initContainers:
        {{- include "groundwatch.sidecar" .Subcharts.groundwatch | nindent 8 }}
      containers: [{name: app, image: "app:1", command: [app]}]
      volumes:
        {{- include "groundwatch.volumes" .Subcharts.groundwatch | nindent 8 }}
"""


@pytest.fixture
def app_chart(chart: Chart, tmp_path: Path) -> Chart:
    """An app's own chart with this one inside, as docs/kubernetes.md says."""
    for folder in ("templates", "charts"):
        (tmp_path / folder).mkdir()
    (tmp_path / "Chart.yaml").write_text("{apiVersion: v2, name: app, version: 1.0.0}")
    (tmp_path / "templates" / "app.yaml").write_text(APP)
    shutil.copy(chart.path, tmp_path / "charts")
    return Chart(tmp_path)


def beside(values: Values, process: str) -> Values:
    off = {"enabled": False}
    return {"groundwatch": {**values, "consumer": off, "sidecar": {"process": process}}}


@pytest.mark.parametrize("process", ["serve", "consume"])
@pytest.mark.parametrize("name", ["small", "openshift", "addresses-from-a-secret"])
def test_a_sidecar_never_holds_up_its_app(app_chart: Chart, name: str, process: str) -> None:
    objects = app_chart.render(beside(INSTALLATIONS[name], process))
    assert [found for item in objects if (found := faults(item))] == []
    (app_deployment,) = (
        item for item in of_kind(objects, "Deployment") if item["metadata"]["name"] == "app"
    )
    pod = app_deployment["spec"]["template"]["spec"]
    (sidecar,) = pod["initContainers"]
    assert sidecar["restartPolicy"] == "Always"
    assert sidecar["args"][0] == process
    # Unready, it would make the pod unready; not started, it would hold up the app's start.
    assert not {"startupProbe", "readinessProbe"} & set(sidecar)
    assert sidecar["securityContext"]["runAsNonRoot"] is True
    assert sidecar["securityContext"]["readOnlyRootFilesystem"] is True
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in sidecar["volumeMounts"]} == volumes
    settings = load_settings(environment(objects, sidecar))
    assert settings.host == "127.0.0.1"
    assert ip_address(settings.metrics_host).is_unspecified
    if process == "serve":
        # The kubelet does not reach a loopback: the image's own health check does.
        command = ["python", "-m", alive.__name__, str(settings.port)]
        assert sidecar["livenessProbe"]["exec"]["command"] == command
    else:
        assert sidecar["livenessProbe"]["httpGet"]["path"] == "/healthz"
        assert sidecar["ports"][0]["containerPort"] == settings.metrics_port


def test_the_snippet_of_the_docs_is_what_the_chart_writes(app_chart: Chart) -> None:
    page = (ROOT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
    snippets = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    (snippet,) = (found["spec"] for found in snippets if "spec" in found)
    objects = app_chart.render(beside(SMALL, "serve"), release="rag")
    (rendered,) = (
        item["spec"]["template"]["spec"]
        for item in of_kind(objects, "Deployment")
        if item["metadata"]["name"] == "app"
    )
    for key in ("enableServiceLinks", "initContainers", "volumes"):
        assert snippet[key] == rendered[key]


def test_helm_test_asks_the_doctor(chart: Chart) -> None:
    objects = chart.render(SMALL)
    pod = component(objects, "Pod", "doctor")
    assert pod["metadata"]["annotations"]["helm.sh/hook"] == "test"
    assert pod["spec"]["restartPolicy"] == "Never"
    assert pod["spec"]["containers"][0]["args"] == ["doctor"]
    consumer = ours(pods(objects)["consumer"])
    assert environment(objects, pod["spec"]["containers"][0]) == environment(objects, consumer)


# How many.


def test_no_more_consumers_than_partitions(chart: Chart) -> None:
    capped = chart.render(INSTALLATIONS["more-consumers-than-partitions"])
    assert component(capped, "Deployment", "consumer")["spec"]["replicas"] == 3
    assert component(chart.render(SMALL), "Deployment", "consumer")["spec"]["replicas"] == 2


def test_keda_scales_by_the_lag_of_the_consumers_group(chart: Chart) -> None:
    for name, values in [("scaled", 6), ("everything", 12)]:
        objects = chart.render(INSTALLATIONS[name])
        scaled = component(objects, "ScaledObject", "consumer")["spec"]
        deployment = component(objects, "Deployment", "consumer")
        # Else each upgrade would set what KEDA has scaled.
        assert "replicas" not in deployment["spec"]
        assert scaled["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
        assert scaled["minReplicaCount"] == 1
        assert scaled["maxReplicaCount"] == values
        settings = load_settings(environment(objects, ours(pods(objects)["consumer"])))
        trigger = scaled["triggers"][0]["metadata"]
        assert trigger["bootstrapServers"] == settings.kafka_bootstrap
        assert trigger["consumerGroup"] == settings.group
        assert trigger["topic"] == settings.topic_answers
        args = ours(pods(objects)["consumer"])["args"]
        assert trigger["offsetResetPolicy"] == args[args.index("--from") + 1]
    assert trigger["sasl"] == "scram_sha512"
    assert scaled["triggers"][0]["authenticationRef"] == {"name": "kafka"}


def test_drains_wait_for_ready_pods_alone(chart: Chart) -> None:
    objects = chart.render(INSTALLATIONS["judging"])
    budgets = of_kind(objects, "PodDisruptionBudget")
    parts = {item["metadata"]["labels"]["app.kubernetes.io/component"] for item in budgets}
    assert parts == {"consumer", "judge", "web"}
    for budget in budgets:
        assert budget["spec"]["maxUnavailable"] == 1
        assert budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
    bare = of_kind(chart.render(INSTALLATIONS["pinned-and-bare"]), "PodDisruptionBudget")
    assert [item["spec"]["maxUnavailable"] for item in bare] == ["50%"]


# What watches it.


def test_prometheus_scrapes_every_process_once(everything: list[Object]) -> None:
    monitor = component(everything, "ServiceMonitor", "metrics")["spec"]
    scraped: list[str] = []
    for service in of_kind(everything, "Service"):
        if not matches(monitor["selector"]["matchLabels"], service["metadata"]["labels"]):
            continue
        for labels in labels_of_pods(everything):
            if matches(service["spec"]["selector"], labels):
                ports = {port["name"] for port in service["spec"]["ports"]}
                times = sum(endpoint["port"] in ports for endpoint in monitor["endpoints"])
                scraped += [labels["app.kubernetes.io/component"]] * times
    assert sorted(scraped) == ["consumer", "judge", "web"]
    assert all("authorization" in endpoint for endpoint in monitor["endpoints"])
    for item in of_kind(everything, "ServiceMonitor", "PrometheusRule"):
        assert item["metadata"]["labels"]["release"] == "prometheus"


def test_services_lead_to_a_port_of_their_pods(everything: list[Object]) -> None:
    for service in of_kind(everything, "Service"):
        pod = pods(everything)[service["metadata"]["labels"]["app.kubernetes.io/component"]]
        names = {port["name"] for port in ours(pod)["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= names


def test_rules_are_those_of_the_dashboards_folder(chart: Chart, everything: list[Object]) -> None:
    def groups(objects: list[Object]) -> list[Any]:
        rules = of_kind(objects, "PrometheusRule")
        return sorted((r["spec"]["groups"] for r in rules), key=lambda found: found[0]["name"])

    shipped = [
        yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
        for path in ROOT.glob("dashboards/prometheus/*.rules.yaml")
    ]
    untouched = groups(chart.render(merged(SMALL, prometheusRule={"enabled": True})))
    assert untouched == sorted(shipped, key=lambda found: found[0]["name"])
    text = json.dumps(groups(everything))
    assert "groundwatch.example.com" not in text
    assert "https://wiki.acme.example/runbooks#groundwatchabsent" in text
    assert "https://groundwatch.acme.example/incident?app={{" in text


def test_dashboards_are_those_of_the_dashboards_folder(
    chart: Chart, everything: list[Object]
) -> None:
    def boards(objects: list[Object]) -> dict[str, Any]:
        return {
            file: json.loads(text)
            for item in of_kind(objects, "ConfigMap")
            for file, text in item["data"].items()
            if file.endswith(".json")
        }

    shipped = {
        f"groundwatch-{path.name}": json.loads(path.read_text(encoding="utf-8"))
        for path in ROOT.glob("dashboards/grafana/*.json")
    }
    assert len(shipped) == 4
    assert boards(chart.render(merged(SMALL, dashboards={"enabled": True}))) == shipped
    assert "groundwatch.example.com" not in json.dumps(boards(everything))
    for item in of_kind(everything, "ConfigMap"):
        if any(file.endswith(".json") for file in item["data"]):
            assert item["metadata"]["labels"]["grafana_dashboard"] == "1"
            assert item["metadata"]["annotations"] == {"grafana_folder": "groundwatch"}
            # What kubectl apply writes into an annotation; etcd itself takes 1 MiB.
            assert len(json.dumps(item)) < 262_144


# The network.


def test_the_network_is_open_where_it_has_to_be(everything: list[Object]) -> None:
    def out(part: str) -> set[int]:
        policy = component(everything, "NetworkPolicy", part)["spec"]
        assert policy["policyTypes"] == ["Ingress", "Egress"]
        return {port["port"] for rule in policy["egress"] for port in rule["ports"]}

    assert out("consumer") == out("web") == {53, 9093, 6380, 4318}
    assert out("judge") == {53, 9093, 6380, 4318, 8443}
    values = EVERYTHING["networkPolicy"]
    for part, ways in {
        "consumer": [(9464, values["metricsFrom"])],
        "judge": [(9464, values["metricsFrom"])],
        "web": [(8321, values["metricsFrom"]), (8321, values["webFrom"])],
    }.items():
        rules = component(everything, "NetworkPolicy", part)["spec"]["ingress"]
        assert [(rule["ports"][0]["port"], rule["from"]) for rule in rules] == ways


def test_only_this_release_reaches_its_redis(chart: Chart) -> None:
    objects = chart.render(INSTALLATIONS["trial-that-forgets"])
    policy = component(objects, "NetworkPolicy", "redis")["spec"]
    (peer,) = policy["ingress"][0]["from"]
    assert peer["podSelector"]["matchLabels"]["app.kubernetes.io/instance"] == "rag"
    consumer = component(objects, "NetworkPolicy", "consumer")["spec"]
    to_redis = [rule for rule in consumer["egress"] if rule["ports"] == [{"port": 6379}]]
    labels = component(objects, "StatefulSet", "redis")["spec"]["template"]["metadata"]["labels"]
    assert matches(to_redis[0]["to"][0]["podSelector"]["matchLabels"], labels)


def test_the_pages_alone_ask_who_comes_in(chart: Chart, everything: list[Object]) -> None:
    web = load_settings(environment(everything, ours(pods(everything)["web"])))
    assert (web.auth, web.metrics_open) == ("required", False)
    assert web.trusted_proxies == "10.3.0.0/16,fd00::/8"
    assert web.public_url == "https://groundwatch.acme.example"
    assert (web.proxy_email_header, web.proxy_groups_header) == (
        "X-Forwarded-Email", "X-Auth-Request-Groups"
    )  # fmt: skip
    text = component(everything, "ConfigMap", "access")["data"]["access.yaml"]
    rules = AccessRules.model_validate(yaml.safe_load(text))
    assert rules.person([], ["search"]) == (Role.REVIEWER, Grant.of(["support"]))
    consumer = load_settings(environment(everything, ours(pods(everything)["consumer"])))
    assert (consumer.auth, consumer.access) == ("loopback", None)
    secret = chart.render(INSTALLATIONS["access-from-a-secret"])
    volumes = {item["name"]: item for item in pods(secret)["web"]["volumes"]}
    assert volumes["groundwatch-access"]["secret"] == {"secretName": "our-access"}
    check_door(web)
    for name in INSTALLATIONS:
        objects = chart.render(INSTALLATIONS[name])
        if "web" in pods(objects):
            check_door(load_settings(environment(objects, ours(pods(objects)["web"]))))


def test_ingress_leads_to_the_pages(everything: list[Object]) -> None:
    ingress = component(everything, "Ingress", "web")["spec"]
    backend = ingress["rules"][0]["http"]["paths"][0]["backend"]["service"]
    service = component(everything, "Service", "web")
    assert backend["name"] == service["metadata"]["name"]
    assert backend["port"]["name"] == service["spec"]["ports"][0]["name"]
    assert ingress["tls"] == EVERYTHING["ingress"]["tls"]


# The Redis for trying out.


@pytest.mark.parametrize("name", ["trial", "trial-that-forgets"])
def test_groundwatch_takes_the_redis_of_the_chart(
    chart: Chart, name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    objects = chart.render(INSTALLATIONS[name])
    container = pods(objects)["redis"]["containers"][0]
    arguments = [str(tmp_path) if item == "/data" else item for item in container["args"]]
    try:
        program = redis_binary()
    except RedisMissing as error:
        unavailable(str(error))
    port = free_port()
    settings = load_settings(environment(objects, ours(pods(objects)["consumer"])))
    service = component(objects, "Service", "redis")["metadata"]["name"]
    assert settings.redis_url == f"redis://{service}:6379/0"
    server = subprocess.Popen(
        [program, *arguments, "--port", str(port), "--bind", "127.0.0.1"],
        stdout=subprocess.DEVNULL,
    )
    try:
        with redis.Redis(port=port) as client:
            wait_for(client)
            info = client.info()
        assert info["aof_enabled"] == 1
        assert info["maxmemory"] in {256 << 20, 1 << 30}
        connection = connect(f"redis://127.0.0.1:{port}/0", "chart")
        check_redis(Store.over(connection, caps(settings), CHECKS))
        connection.client.close()
    finally:
        server.terminate()
        server.wait(20)


def wait_for(client: redis.Redis) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            client.ping()
        except redis.ConnectionError:
            assert time.monotonic() < end
            time.sleep(0.05)
        else:
            return


# What is refused.


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"replicas": 3}, "replicas"),
        ({"consumer": {"replica": 3}}, "replica"),
        ({"consumer": {"replicas": 0}}, "replicas"),
        ({"consumer": {"pdb": {"minAvailable": 1}}}, "minAvailable"),
        ({"web": {"resources": {"limit": {}}}}, "limit"),
        ({"image": {"digest": "latest"}}, "digest"),
        ({"config": {"kafka_bootstraps": "kafka:9092"}}, "kafka_bootstraps"),
        ({"config": {"port": 80}}, "port"),
        ({"config": {"auth": "anyone-may-do-anything"}}, "auth"),
        ({"auth": {"mode": "off"}}, "mode"),
        ({"auth": {"trustedProxies": ["proxy"]}}, "trustedProxies"),
        ({"config": {"judge_api_key": "sk-1"}}, "judge_api_key"),
        ({"config": {"judge_model_file": "/model"}}, "judge_model_file"),
        ({"config": {"max_cases": [1]}}, "max_cases"),
        ({"existingSecret": {"name": "s", "env": {"judge_key": "k"}}}, "judge_key"),
        ({"links": {"groundwatch": 'https://a"b'}}, "groundwatch"),
        ({"networkPolicy": {"kafka": {"ports": []}}}, "ports"),
        ({"sidecar": {"process": "judge"}}, "process"),
    ],
)
def test_the_schema_refuses(chart: Chart, wrong: Values, named: str) -> None:
    with pytest.raises(Refused, match="values don't meet the specification") as refused:
        chart.render(merged(SMALL, **wrong))
    assert named in str(refused.value)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "set config.kafka_bootstrap"),
        (merged(SMALL, config={"kafka_bootstrap": None}), "set config.kafka_bootstrap"),
        ({"config": {"kafka_bootstrap": "kafka:9092"}}, "set config.redis_url"),
        (merged(SMALL, redis={"enabled": True}), "which Redis is meant"),
        (
            merged(SMALL, existingSecret={"env": {"judge_api_key": "key"}}),
            "needs existingSecret.name",
        ),
        (
            merged(SMALL, existingSecret={"name": "s", "env": {"redis_url": "url"}}),
            "redis_url is given twice",
        ),
        (merged(SMALL, judge={"enabled": True}), "judge.enabled needs"),
        (merged(SMALL, policy=POLICY, existingPolicy="mine"), "which one is meant"),
        (
            merged(SMALL, auth={"access": {"people": []}, "existingSecret": "mine"}),
            "which one is meant",
        ),
        (merged(SMALL, auth={"trustedProxies": ["10.0.0.1"]}), "needs auth.publicUrl"),
        (
            merged(
                SMALL,
                auth={"mode": "anyone-may-do-anything", "trustedProxies": ["10.0.0.1"]},
            ),
            "needs auth.mode required",
        ),
        (merged(SMALL, keda={"enabled": True}), "keda.enabled needs partitions"),
        (
            merged(
                SMALL,
                partitions=3,
                keda={"enabled": True},
                consumer={"from": "2026-11-30T08:00:00Z"},
            ),
            "earliest or latest",
        ),
        (merged(SMALL, ingress={"enabled": True}), "ingress.hosts"),
        (merged(SMALL, consumer={"terminationGracePeriodSeconds": 30}), "is too short"),
    ],
)
def test_what_cannot_work_is_refused_with_a_reason(chart: Chart, values: Values, said: str) -> None:
    with pytest.raises(Refused, match=re.escape(said)):
        chart.render(values)
