"""What the pages and the JSON routes read cases through."""

from __future__ import annotations

from typing import Protocol

from service.review.cases import Case, CaseFilter, CasePage


class CaseReader(Protocol):
    """All methods raise ``service.outage.Outage`` while the store is away."""

    def list_cases(self, filter: CaseFilter, cursor: str | None, limit: int) -> CasePage:
        """At most ``limit`` cases by falling priority, after ``cursor`` (None: from the top).
        Raises ValueError for a cursor that it did not hand out."""
        ...

    def case(self, case_id: str) -> Case | None: ...

    def case_counts(self) -> dict[str, int]:
        """Status → number of cases."""
        ...

    def facets(self) -> dict[str, list[str]]:
        """The known values of ``apps``, ``releases``, ``checks`` and ``reasons``."""
        ...
