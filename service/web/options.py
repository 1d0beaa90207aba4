"""What the web app is told by its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.health import MAX_TICK_AGE_S


@dataclass(frozen=True, slots=True)
class WebOptions:
    """``public_url``: where senders reach this server, for the examples on the pages (the Host
    header is a stranger's text and is never used). Sizes in bytes, ages in seconds. ``wanted``:
    targets of the diagnosis tree, by line, that are not the packaged ones."""

    public_url: str = "http://127.0.0.1:8321"
    max_body_bytes: int = 16 << 20
    max_events: int = 500
    max_tick_age_s: float = MAX_TICK_AGE_S
    wanted: Mapping[str, float] = field(default_factory=dict)
