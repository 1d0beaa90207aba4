"""The free checks: pure functions of one answer event and its app's policy.

:data:`CHECKS` names them in the order in which they own spans of the answer; :func:`run_checks`
runs them all, :func:`run_together` those of a few answers.
"""

from __future__ import annotations

from service.checks import citations
from service.checks.citations import CitationReading
from service.checks.running import (
    CHECKS,
    REASONS,
    TOGETHER,
    Lap,
    run_checks,
    run_together,
    where,
)
from service.events import AnswerEvent
from service.policy import CitationPolicy

__all__ = [
    "CHECKS",
    "REASONS",
    "TOGETHER",
    "Lap",
    "read_citations",
    "run_checks",
    "run_together",
    "where",
]


def read_citations(event: AnswerEvent, policy: CitationPolicy) -> CitationReading:
    """What :func:`service.checks.citations.read` finds, before any text has been looked up."""
    return citations.read(event, policy)
