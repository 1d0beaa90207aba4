"""What the web app is told by its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.health import MAX_TICK_AGE_S


@dataclass(frozen=True, slots=True)
class WebOptions:
    """``public_url``: where people and senders reach this server (the Host header is a stranger's
    text and is never used); ``address``: where it listens. ``allowed_hosts``: names that a request
    without a key may give, None for any; ``metrics_open``: /metrics needs no key;
    ``sends_per_minute``: requests with events, of one key; ``wanted``: targets of
    the diagnosis tree, by line, that are not the packaged ones. Sizes in bytes, ages in seconds."""

    public_url: str = "http://127.0.0.1:8321"
    address: str = "http://127.0.0.1:8321"
    allowed_hosts: frozenset[str] | None = None
    metrics_open: bool = False
    sends_per_minute: int = 6_000
    max_body_bytes: int = 16 << 20
    max_events: int = 500
    max_tick_age_s: float = MAX_TICK_AGE_S
    wanted: Mapping[str, float] = field(default_factory=dict)
