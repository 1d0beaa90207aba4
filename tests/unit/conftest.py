"""How hypothesis behaves here: no clock decides, since machines of CI are busy."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "groundwatch", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("groundwatch")
