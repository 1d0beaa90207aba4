"""Histories as a desk writes them."""

from __future__ import annotations

from typing import Any

from service.review.labels import Action, AnswerCall, Change, Label

SKIP = Label(skipped=True)
WRONG = Label(answer=AnswerCall.WRONG)
CORRECT = Label(answer=AnswerCall.CORRECT)
CONTEXT = {
    "app": "support", "event_id": "e-1", "position": ["answers", 0, 17], "stratum": "flagged",
    "pi": 0.2, "pi_audit": 0.005, "ruleset": "7.ab12", "release": "r1", "language": "de",
    "occurred_ms": 1_000,
}  # fmt: skip


class History:
    """One subject's changes, a second apart; each method adds one and returns it."""

    def __init__(self, subject: str = "case:c1", at_ms: int = 0, **context: Any) -> None:
        self.subject = subject
        self.at_ms = at_ms
        self.context = CONTEXT | context
        self.changes: list[Change] = []

    def label(self, label: Label, reviewer: str = "ada", group: str = "") -> Change:
        action = Action.SKIPPED if label.skipped else Action.LABELLED
        return self._add(
            Action.LABELLED_IN_BULK if group else action, reviewer, label=label, group=group
        )

    def undo(self, number: int, back_to: Label | None, reviewer: str = "ada") -> Change:
        return self._add(Action.UNDONE, reviewer, label=back_to, undoes=number)

    def _add(self, action: Action, reviewer: str, **more: Any) -> Change:
        number = len(self.changes) + 1
        context = self.context
        if self.subject.startswith("task:"):
            seen = any(change.reviewer == reviewer for change in self.changes)
            context = {"wanted": 2, "blind": not seen} | context
        change = Change(
            self.subject,
            number,
            self.at_ms + 1_000 * number,
            reviewer,
            action,
            context=context,
            **more,
        )
        self.changes.append(change)
        return change
