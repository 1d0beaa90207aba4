"""How hypothesis behaves here."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No clock decides: machines of CI are busy. Nor does chance: what CI says of a commit must stay
# so; `make fuzz` looks for what these examples do not show.
settings.register_profile(
    "groundwatch",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("groundwatch")
