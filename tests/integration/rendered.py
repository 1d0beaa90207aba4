"""What the chart renders to, taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.integration.chart_values import SECRETS

Object = dict[str, Any]
WORKLOADS = ("Deployment", "StatefulSet")


def of_kind(objects: Iterable[Object], *kinds: str) -> list[Object]:
    return [item for item in objects if item["kind"] in kinds]


def component(objects: Iterable[Object], kind: str, name: str) -> Object:
    """The one object of this kind and component."""
    (found,) = (
        item
        for item in of_kind(objects, kind)
        if item["metadata"]["labels"]["app.kubernetes.io/component"] == name
    )
    return found


def pods(objects: Iterable[Object]) -> dict[str, Object]:
    """The pods' spec of each component, that of `helm test` among them."""
    templates = [
        item if item["kind"] == "Pod" else item["spec"]["template"]
        for item in of_kind(objects, "Pod", *WORKLOADS)
    ]
    return {
        item["metadata"]["labels"]["app.kubernetes.io/component"]: item["spec"]
        for item in templates
    }


def ours(pod: Object) -> Object:
    """The container of groundwatch."""
    return next(
        item
        for item in [*pod.get("initContainers", []), *pod["containers"]]
        if item["command"] == ["groundwatch"]
    )


def environment(objects: list[Object], container: Object) -> dict[str, str]:
    """As the kubelet would make it; an ``optional`` Secret is absent, the others hold SECRETS."""
    maps = {item["metadata"]["name"]: item["data"] for item in of_kind(objects, "ConfigMap")}
    made: dict[str, str] = {}
    for source in container["envFrom"]:
        if "configMapRef" in source:
            made |= maps[source["configMapRef"]["name"]]
    for item in container["env"]:
        key = item.get("valueFrom", {}).get("secretKeyRef", {}).get("key")
        made[item["name"]] = item["value"] if key is None else SECRETS[key]
    return made


def matches(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return selector.items() <= labels.items()


def labels_of_pods(objects: Iterable[Object]) -> list[dict[str, str]]:
    return [item["spec"]["template"]["metadata"]["labels"] for item in of_kind(objects, *WORKLOADS)]
