"""The bundled demo: an invented product's help pages and two days of answers about them.

Nimmerwerk, its prices and its customers are made up. The truth about each answer stands in its
tag ``demo`` (``right``, ``invented-ref``, ``wrong-unit`` …), so that what the checks find can be
compared with what is known.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, TypedDict

import orjson
import yaml

from service.sampling import STRATA

SAMPLING_SECRET = "nimmerwerk"  # noqa: S105 (it protects nothing: everybody is to see the same)


class KnowledgeChunk(TypedDict):
    """One line of the knowledge base; ``language`` is ``de`` or ``en``."""

    ref: str
    text: str
    title: str
    url: str
    language: str


def load_events() -> list[bytes]:
    """The raw records in order of arrival, one JSON object each; two of them are to be rejected."""
    return _lines("events.jsonl")


def load_knowledge_base() -> list[KnowledgeChunk]:
    """Every chunk of the help pages: the texts that some events carry only by ``ref``."""
    return [orjson.loads(line) for line in _lines("knowledge_base.jsonl")]


def policy_text() -> str:
    """The demo's policy file (YAML)."""
    return files(__name__).joinpath("policy.yaml").read_text(encoding="utf-8")


def policy(judged: bool = False) -> dict[str, Any]:
    """The demo's policy as plain data. ``judged``: every answer is drawn for the judge."""
    data: dict[str, Any] = yaml.safe_load(policy_text())
    if judged:
        for app in data["apps"].values():
            app["sampling"] |= dict.fromkeys(STRATA, 1.0)
    return data


def _lines(name: str) -> list[bytes]:
    return files(__name__).joinpath(name).read_bytes().splitlines()
