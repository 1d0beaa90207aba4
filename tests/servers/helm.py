"""Helm (see tools/chart/helm.py), and what a chart renders to, validated as a cluster would."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import yaml

from tools.chart.helm import HelmMissing, helm_program

__all__ = ["Chart", "HelmMissing", "Refused", "faults", "helm"]

KUBERNETES = "1.33"
# A helm that Go built takes itself for one of Kubernetes 1.20.
_KUBE = ("--kube-version", KUBERNETES)
CRDS = Path(__file__).parents[1] / "integration" / "crds"
Object = dict[str, Any]


class Refused(Exception):
    """Helm's words on why it did not render."""


def helm(*arguments: str | Path, values: str = "{}") -> str:
    """Standard output; ``values``: JSON. Raises :class:`Refused`, and :class:`HelmMissing`."""
    done = subprocess.run(
        [helm_program(), *map(str, arguments), "--values", "-"],
        input=values,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        raise Refused(done.stderr + done.stdout)
    return done.stdout


@dataclass(frozen=True)
class Chart:
    """A package, or a folder."""

    path: Path

    def render(
        self, values: Mapping[str, Any], release: str = "rag", namespace: str = "monitoring"
    ) -> list[Object]:
        """The objects, in helm's order. Raises :class:`Refused`."""
        return [dict(item) for item in self._rendered(json.dumps(values), release, namespace)]

    def lint(self, values: Mapping[str, Any]) -> None:
        """Raises :class:`Refused`."""
        helm("lint", self.path, *_KUBE, "--strict", values=json.dumps(values))

    @cache  # noqa: B019  # charts are few and live as long as the tests
    def _rendered(self, values: str, release: str, namespace: str) -> list[Object]:
        target = (release, self.path, "--namespace", namespace)
        text = helm("template", *target, *_KUBE, values=values)
        return [item for item in yaml.load_all(text, yaml.CSafeLoader) if item]


def faults(item: Object) -> str:
    """Why a cluster would refuse it; empty where it would not. No field goes unchecked."""
    crd = CRDS / f"{item['kind'].lower()}.json"
    try:
        if crd.exists():
            jsonschema.validate(item, json.loads(crd.read_text(encoding="utf-8")))
        else:
            kubernetes_validate.validate(item, KUBERNETES, strict=True)
    except jsonschema.ValidationError as error:
        return f"{item['kind']} {item['metadata']['name']}: {error.json_path}: {error.message}"
    return ""
