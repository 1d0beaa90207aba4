"""Which app an event is for: asked of events whose sender may send for some apps alone."""

from __future__ import annotations

from service.events import Rejection, parse_event
from service.feedback import parse_feedback
from service.mapping import parse_mapped
from service.pipeline import Terms


def app_of_answer(raw: bytes, terms: Terms) -> str | None:
    """As it will be counted; None for what is no answer event."""
    event = parse_event(raw, terms.limits, terms.default_app)
    if isinstance(event, Rejection):
        event = parse_mapped(raw, event, terms.policy, terms.limits, terms.default_app)
    return None if isinstance(event, Rejection) else terms.policy.label(event.app)


def app_of_feedback(raw: bytes, terms: Terms) -> str | None:
    """As :func:`app_of_answer`."""
    event = parse_feedback(raw, terms.default_app)
    return None if isinstance(event, Rejection) else terms.policy.label(event.app)
