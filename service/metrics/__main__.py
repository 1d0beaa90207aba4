"""``python -m service.metrics``: docs/metrics.md on standard output."""

from __future__ import annotations

import sys

from service.metrics.reference import reference

sys.stdout.write(reference())
