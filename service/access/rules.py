"""The access file: which group of people may do what, and keys that are kept in a file."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from service.access.api_keys import ApiKey
from service.access.roles import EVERY_APP, Grant, Role


def _apps(named: tuple[str, ...]) -> tuple[str, ...]:
    if EVERY_APP in named and len(named) > 1:
        raise ValueError(f"either {EVERY_APP} (every app) or names of apps")
    return named


Apps = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1), AfterValidator(_apps)
]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PeopleRule(_Closed):
    """``group`` as the proxy names it, or ``user``: a user name or an e-mail address."""

    group: str | None = Field(None, min_length=1)
    user: str | None = Field(None, min_length=1)
    role: Literal["viewer", "reviewer", "admin"]
    apps: Apps

    @model_validator(mode="after")
    def _is_of_somebody(self) -> PeopleRule:
        if (self.group is None) == (self.user is None):
            raise ValueError("name either a group or a user")
        return self

    def fits(self, names: Collection[str], groups: Collection[str]) -> bool:
        return self.group in groups if self.user is None else self.user in names


class KeyRule(_Closed):
    """A key as ``groundwatch keys create`` prints it for this file: without its secret."""

    id: str = Field(pattern=r"^[0-9a-f]{12}$")
    name: str = Field(min_length=1, max_length=100)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    role: Role
    apps: Apps
    expires: AwareDatetime | None = None

    def key(self) -> ApiKey:
        expires_ms = None if self.expires is None else _ms(self.expires)
        grant = Grant.of(self.apps)
        return ApiKey(self.id, self.name, self.role, grant, self.sha256, expires_ms=expires_ms)


class AccessRules(_Closed):
    """The first rule for people that fits counts: somebody in two groups never gets the role of one
    in the apps of the other."""

    people: tuple[PeopleRule, ...] = ()
    keys: tuple[KeyRule, ...] = ()

    @model_validator(mode="after")
    def _ids_differ(self) -> AccessRules:
        ids = [rule.id for rule in self.keys]
        if len(set(ids)) < len(ids):
            raise ValueError("keys: two have the same id")
        return self

    def person(self, names: Collection[str], groups: Collection[str]) -> tuple[Role, Grant] | None:
        """None for somebody whom no rule lets in."""
        for rule in self.people:
            if rule.fits(names, groups):
                return Role(rule.role), Grant.of(rule.apps)
        return None

    def key(self, key_id: str) -> ApiKey | None:
        return next((rule.key() for rule in self.keys if rule.id == key_id), None)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
