"""Does the process beside this one answer? ``python -m service.alive PORT …`` exits 0 or 1.

For the HEALTHCHECK of the image, which does not know which command runs: `serve` answers on one
port, `consume` and `judge` on another. Imports no more than that takes: it runs every few seconds.
"""

from __future__ import annotations

import sys
import urllib.error
import urllib.request
from collections.abc import Iterable

PATIENCE_S = 5.0


def answers_well(ports: Iterable[int]) -> bool:
    """Whether ``/healthz`` says 200 on the first of these ports of 127.0.0.1 that speaks at all."""
    for port in ports:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE_S):
                return True
        except urllib.error.HTTPError:
            return False
        except OSError:  # nobody listens there, or nobody answers in time
            continue
    return False


if __name__ == "__main__":
    sys.exit(0 if answers_well(map(int, sys.argv[1:])) else 1)
