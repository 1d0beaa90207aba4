"""Review desks of every make over the same answers: what the port promises, each of them keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from service.policy import ReviewPolicy
from service.review.cases import Case, CaseFilter
from service.review.desk import Group, Lease, ReviewDesk
from tests.contract.reviewing import REVIEW, case, desk_of, expire, flag, policy, reviewed_world
from tests.contract.world import NOW, MakeWorld, World
from tests.unit.web.desk import LEASE_MS, MemoryDesk


@dataclass(frozen=True)
class Stand:
    """``world``: the answers that the desk is over; ``expire``: as when a lease's time has run
    out."""

    desk: ReviewDesk
    world: World
    expire: Callable[[Lease], object]

    def case(self, name: str, app: str = "support") -> Case:
        found = self.world.archive.case(case(name, app).removeprefix("case:"))
        assert found is not None
        return found

    def group(self, cites: str) -> Group:
        [found] = [
            group
            for group in self.desk.groups(CaseFilter()).groups
            if group.cause.endswith(f"pricing#{cites}")
        ]
        return found

    def lead(self, cites: str, reviewer: str) -> Lease:
        """The lease of a group."""
        return self.desk.claim("group:" + self.group(cites).group_id, reviewer, NOW)


class MakeStand(Protocol):
    def __call__(
        self, audit: float = 0.0, review: ReviewPolicy = REVIEW, **names: str
    ) -> Stand: ...


def stored(make_world: MakeWorld) -> MakeStand:
    """Over the store itself."""

    def make(audit: float = 0.0, review: ReviewPolicy = REVIEW, **names: str) -> Stand:
        world = reviewed_world(make_world, audit, review)
        flag(world, names)
        desk = desk_of(world.connection, policy(audit, review), LEASE_MS)
        return Stand(desk, world, lambda lease: expire(world, lease))

    return make


def remembered(make_world: MakeWorld) -> MakeStand:
    """In memory, over what the store held when it began."""

    def make(audit: float = 0.0, review: ReviewPolicy = REVIEW, **names: str) -> Stand:
        real = stored(make_world)(audit, review, **names)
        groups = {group.group_id: group for group in real.desk.groups(CaseFilter()).groups}
        desk = MemoryDesk(
            real.world.archive, real.world.store.tasks, groups, lambda: NOW / 1000,
            review.required, review.required_of_tasks, wanted=2 if review.double_label else 1,
        )  # fmt: skip
        return Stand(desk, real.world, lambda lease: desk.leases.pop(lease.subject))

    return make
