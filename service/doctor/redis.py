"""Whether a Redis keeps what it is given, and has room for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.doctor.advice import Advice

AREA = "redis"
OLDEST = (7, 0)
"""The oldest version that is tested."""
NEARLY_FULL = 0.8
"""Share of maxmemory from which cases are suppressed."""


@dataclass(frozen=True, slots=True)
class RedisFacts:
    """``max_bytes`` is 0 where nothing bounds the memory. ``schema``: of the store, 0 for an empty
    one. ``refused``: commands of ours that this user may not run; None where Redis cannot tell.
    What INFO does not show (a managed Redis, a narrow user) is None."""

    version: str
    user: str
    used_bytes: int | None
    max_bytes: int | None
    policy: str | None
    aof: bool | None
    replica: bool
    evicted: int
    schema: int
    known_schema: int
    refused: Sequence[str] | None


def examine(facts: RedisFacts) -> Iterator[Advice]:
    yield from _version(facts)
    yield from _keeping(facts)
    yield from _memory(facts)
    yield from _rights(facts)
    if facts.schema > facts.known_schema:
        yield Advice(
            "fail",
            AREA,
            f"the store has schema {facts.schema}, this release reads {facts.known_schema}",
            "run the release that wrote it, or a newer one",
        )


def _version(facts: RedisFacts) -> Iterator[Advice]:
    if facts.replica:
        yield Advice("fail", AREA, "this is a replica: it takes no writes", "name the primary")
    if _numbers(facts.version) < OLDEST:
        yield Advice(
            "warn",
            AREA,
            f"version {facts.version}: nothing older than {'.'.join(map(str, OLDEST))} is tested",
            "update Redis",
        )
    else:
        yield Advice("ok", AREA, f"version {facts.version}, user {facts.user}")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())


def _keeping(facts: RedisFacts) -> Iterator[Advice]:
    if facts.policy is None:
        yield Advice(
            "warn", AREA, "INFO does not tell maxmemory-policy", "make sure that it is noeviction"
        )
    elif facts.policy != "noeviction":
        yield Advice(
            "fail",
            AREA,
            f"maxmemory-policy {facts.policy}: counters and checkpoints would go",
            "redis-cli config set maxmemory-policy noeviction, and in redis.conf",
        )
    if facts.evicted:
        yield Advice(
            "fail",
            AREA,
            f"{facts.evicted} keys were evicted since it started: counts may be missing",
            "groundwatch books, then groundwatch rebuild",
        )
    if facts.aof is False:
        yield Advice(
            "warn",
            AREA,
            "no append-only file: a restart loses what came after the last snapshot",
            "redis-cli config set appendonly yes, and in redis.conf",
        )
    elif facts.aof and facts.policy == "noeviction":
        yield Advice("ok", AREA, "noeviction, append-only file on")


def _memory(facts: RedisFacts) -> Iterator[Advice]:
    if facts.used_bytes is None or facts.max_bytes is None:
        return
    used = facts.used_bytes
    if not facts.max_bytes:
        yield Advice(
            "warn",
            AREA,
            f"{_mib(used)} used and no maxmemory: the machine's memory is the only bound",
            "set maxmemory below the machine's memory (docs/store.md says what grows with what)",
        )
        return
    said = f"{_mib(used)} of {_mib(facts.max_bytes)} used ({used / facts.max_bytes:.0%})"
    if used >= facts.max_bytes * NEARLY_FULL:
        yield Advice(
            "warn",
            AREA,
            f"{said}: from {NEARLY_FULL:.0%} on, flagged answers are counted without their case",
            "raise maxmemory, or keep less (GROUNDWATCH_REVIEW_RETENTION_DAYS)",
        )
    else:
        yield Advice("ok", AREA, said)


def _mib(number: int) -> str:
    return f"{number / (1 << 20):.0f} MiB"


def _rights(facts: RedisFacts) -> Iterator[Advice]:
    if facts.refused is None:
        yield Advice(
            "warn", AREA, "cannot tell what this user may run (Redis before 7)", "update Redis"
        )
    elif facts.refused:
        commands = " ".join(facts.refused)
        yield Advice(
            "fail",
            AREA,
            f"user {facts.user} may not run {commands}",
            f"ACL SETUSER {facts.user} " + " ".join(f"+{name}" for name in facts.refused),
        )
    else:
        yield Advice("ok", AREA, f"user {facts.user} may run every command that is used")
