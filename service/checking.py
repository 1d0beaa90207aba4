"""``groundwatch check``: one line of JSON in, one verdict out. No store, no network.

A line is a bare answer event, or an object with an ``event`` whose own ``id`` stands in for a
missing ``event_id``.
"""

from __future__ import annotations

from typing import Any

import orjson

from service.checks import run_checks
from service.checks.model import CheckInput, CheckResult, reasons_of
from service.events import AnswerEvent, EventLimits, Rejection, RejectReason, parse_event
from service.mapping import parse_mapped
from service.policy import AppPolicy, Policy


def check_line(line: str, policy: Policy) -> dict[str, Any]:
    """``{"event_id", "checks": {name: outcome}, "findings": [...]}`` for one line; also
    ``"not_evaluated": {name: reason}`` where a check was not evaluated.

    A line that is no answer event gives ``{"event_id": None, "error": {"reason", "field",
    "message"}}`` instead; ``reason`` is a :class:`service.events.RejectReason`. Never raises for
    any input, and no text of a refused line stands in the error.
    """
    event = read_event(line, policy)
    if isinstance(event, Rejection):
        error = {"reason": event.reason.value, "field": event.field, "message": event.message}
        return {"event_id": None, "error": error}
    results = check_event(event, policy.of(event.app))
    verdict = {
        "event_id": event.event_id,
        "checks": {name: result.outcome.value for name, result in results.items()},
        "findings": [
            {
                "check": finding.check,
                "reason": finding.reason,
                "surface": finding.surface,
                "start": finding.start,
                "end": finding.end,
                "detail": finding.detail,
                "severity": finding.severity.value,
            }
            for result in results.values()
            for finding in result.findings
        ],
    }
    reasons = reasons_of(results)
    return verdict | {"not_evaluated": reasons} if reasons else verdict


def check_event(event: AnswerEvent, policy: AppPolicy) -> dict[str, CheckResult]:
    """Every check of one event, with the chunk texts that it carries itself."""
    texts = tuple(chunk.text for chunk in event.retrieved)
    return run_checks(CheckInput(event, texts, policy))


def read_event(line: str, policy: Policy) -> AnswerEvent | Rejection:
    """The event of one line, by the policy's mappings too, or why it is not taken."""
    _, event = read_line(line)
    if isinstance(event, Rejection):
        event = parse_mapped(line.encode("utf-8", "replace"), event, policy, EventLimits())
    if isinstance(event, AnswerEvent) and not policy.admits(event.app):
        return Rejection(RejectReason.UNKNOWN_APP, "the policy does not list this app", "app")
    return event


def read_line(line: str) -> tuple[dict[str, Any], AnswerEvent | Rejection]:
    """The object of a line (empty when it is none), and the event in it or why there is none."""
    try:
        found = orjson.loads(line)
    except ValueError:
        return {}, Rejection(RejectReason.INVALID_JSON, "not valid JSON")
    if not isinstance(found, dict):
        return {}, Rejection(RejectReason.SCHEMA, "the line must be an object")
    event = found.get("event", found)
    if isinstance(event, dict) and event is not found and "event_id" not in event and "id" in found:
        event = {**event, "event_id": found["id"]}
    try:
        raw = orjson.dumps(event)
    except TypeError:  # it reads four times as deep as it writes
        return found, Rejection(RejectReason.INVALID_JSON, "nested too deeply")
    return found, parse_event(raw)
