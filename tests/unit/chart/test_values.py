"""The chart's values: documented, closed, used, and of this version. No helm is needed here."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from service.settings import SECRETS, Settings
from tools.chart.package import closed
from tools.chart.values import CHART, README, Value, values, with_table

TEXT = (CHART / "values.yaml").read_text(encoding="utf-8")
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
ROOT = CHART.parents[1]


def test_the_readme_has_the_table_of_these_values() -> None:
    readme = README.read_text(encoding="utf-8")
    assert with_table(readme, TEXT) == readme, "run `make chart`"
    assert "| `consumer.replicas` | `2` |" in readme


def test_a_value_is_documented_by_the_comment_above_it() -> None:
    text = (
        "# Of the file.\n\n# How\n# many\na: 1\nb:\n  c: x\n  # Why\n  d: {e: [1]}\n"
        "# All\nf:\n  g: 1\n"
    )
    assert values(text) == [
        Value("a", "1", "How many"),
        Value("b.c", '"x"', ""),
        Value("b.d", '{"e": [1]}', "Why"),
        Value("f", '{"g": 1}', "All"),
    ]


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)


def test_the_schema_is_closed_but_for_what_kubernetes_validates() -> None:
    is_open = [found for found in objects(SCHEMA) if "additionalProperties" not in found]
    assert is_open == [SCHEMA["$defs"]["kubernetes"]]
    assert all(found.get("additionalProperties") is not True for found in objects(SCHEMA))


def keys(data: Any, schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The paths of all values that the schema names one by one."""
    for name, part in schema.get("properties", {}).items():
        if "$ref" not in part:
            yield prefix + name
            yield from keys((data or {}).get(name), part, f"{prefix}{name}.")
        else:
            yield prefix + name


def given(data: dict[str, Any], schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in data.items():
        yield prefix + name
        part = schema["properties"][name]
        if isinstance(value, dict) and "properties" in part:
            yield from given(value, part, f"{prefix}{name}.")


def test_schema_and_defaults_name_the_same_values() -> None:
    defaults = yaml.safe_load(TEXT)
    assert set(given(defaults, SCHEMA)) == set(keys(defaults, SCHEMA))


def test_every_value_is_used() -> None:
    templates = "\n".join(
        path.read_text(encoding="utf-8") for path in (CHART / "templates").glob("*.*")
    )
    for name in set(SCHEMA["properties"]) - {"enabled", "global"}:
        assert re.search(rf"[Vv]alues\.{name}\b", templates), name


def test_the_package_knows_the_settings_by_name() -> None:
    schema = closed(json.loads(json.dumps(SCHEMA)))["properties"]
    plain = set(schema["config"]["propertyNames"]["enum"])
    from_secret = set(schema["existingSecret"]["properties"]["env"]["propertyNames"]["enum"])
    assert from_secret - plain == set(SECRETS) - {"redis_url"}
    assert plain - from_secret == {f"{name}_file" for name in SECRETS}
    by_the_chart = {
        "policy", "host", "port", "metrics_host", "metrics_port", "data_dir", "auth", "access",
        "trusted_proxies", "public_url", "proxy_user_header", "proxy_email_header",
        "proxy_groups_header", "metrics_open",
    }  # fmt: skip
    assert set(Settings.model_fields) - from_secret == by_the_chart


@pytest.mark.parametrize("key", ["version", "appVersion"])
def test_the_version_is_the_product_s(key: str) -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert chart[key] == project["version"]


def test_the_chart_names_no_place_to_fetch_from() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert "dependencies" not in chart
    defaults = yaml.safe_load(TEXT)
    for image in (defaults["image"], defaults["redis"]["image"]):
        assert "." not in image["repository"]
