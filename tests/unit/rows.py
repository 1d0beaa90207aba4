"""Rows of every kind, for hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from service.accounting import CheckRow, Kind, Row
from service.checks.model import NotEvaluated, Outcome
from service.events import RejectReason
from service.sampling import STRATA

names = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)
checks = st.builds(
    CheckRow,
    outcome=st.sampled_from([outcome.value for outcome in Outcome]),
    evaluated=st.integers(0, 50),
    failed=st.integers(0, 50),
    not_evaluated=st.sampled_from(["", *(reason.value for reason in NotEvaluated)]),
)
causes = st.tuples(
    st.sampled_from(["citations", "numbers"]), names, names, st.sampled_from(["low", "high"]), names
)
probabilities = st.floats(0, 1)


def _row(kind: Kind) -> st.SearchStrategy[Row]:
    parts: dict[str, Any] = {
        "offset": st.integers(0, 1 << 62),
        "kind": st.just(kind),
        "timestamp_ms": st.integers(0, 1 << 50),
    }
    if kind is Kind.REJECTED:
        parts["reason"] = st.sampled_from([reason.value for reason in RejectReason])
        return st.builds(Row, **parts)
    parts |= {
        "app": st.sampled_from(["support", "sales", "other"]),
        "identity": names, "event_id": names, "release": st.sampled_from(["", "r1", "r2"]),
        "ruleset": st.sampled_from(["1-a", "1-b"]), "language": st.sampled_from(["de", "en"]),
        "purpose": st.sampled_from(["live", "probe", "shadow"]),
        "status": st.sampled_from(["ok", "truncated", "error"]),
        "hour": st.integers(498_000, 498_003),
        "tags": st.sampled_from(["", "channel=web", "channel=-,plan=other"]),
    }  # fmt: skip
    if kind is Kind.CHECKED:
        parts |= {
            "u": st.floats(0, 1, exclude_max=True), "pi": probabilities, "pi_audit": probabilities,
            "stratum": st.sampled_from(STRATA),
            "label": st.sampled_from(["", "answer", "no_answer"]),
            "marks": st.lists(st.sampled_from(["low_overlap", "empty_retrieval"]), unique=True).map(
                tuple
            ),
            "checks": st.fixed_dictionaries({"citations": checks, "numbers": checks}),
            "causes": st.lists(causes, max_size=3).map(tuple),
        }  # fmt: skip
    return st.builds(Row, **parts)


rows = st.one_of([_row(kind) for kind in Kind])
"""Each with what its kind keeps, and nothing else."""
