"""The chart as it is shipped: ``python -m tools.chart DIRECTORY``.

The package holds what the links under ``files/`` lead to, the dashboards and the rules, and its
schema knows the names of the settings: a misspelt one is refused by ``helm install``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from service.settings import SECRETS, Settings
from tools.chart import values
from tools.chart.helm import HelmMissing, helm_program


def package(directory: Path) -> Path:
    """Writes ``groundwatch-VERSION.tgz`` into ``directory``. Raises :class:`HelmMissing`."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        chart = Path(scratch) / values.CHART.name
        shutil.copytree(values.CHART, chart)
        schema = chart / "values.schema.json"
        schema.write_text(json.dumps(closed(json.loads(schema.read_text(encoding="utf-8")))))
        done = subprocess.run(
            [helm_program(), "package", str(chart), "--destination", scratch],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 0:
            raise ValueError(f"helm package: {done.stderr}")
        (packed,) = Path(scratch).glob("*.tgz")
        return Path(shutil.copy(packed, directory))


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, which then allows settings by name. Secret ones come from a Secret or a file;
    ``redis_url`` alone may stand in plain view, since the password has a setting of its own."""
    config, secret = schema["properties"]["config"], schema["properties"]["existingSecret"]
    by_the_chart = config["propertyNames"]["not"]["enum"]
    names = [name for name in Settings.model_fields if name not in by_the_chart]
    plain = [name for name in names if name not in SECRETS or name == "redis_url"]
    secret["properties"]["env"]["propertyNames"] = {"enum": names}
    config["propertyNames"] = {"enum": [*plain, *(f"{name}_file" for name in SECRETS)]}
    return schema


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.chart", description=__doc__)
    parser.add_argument("directory", type=Path)
    directory = parser.parse_args().directory
    values.write()
    try:
        print(package(directory))
    except HelmMissing as error:
        print(error)
        return 1
    return 0
