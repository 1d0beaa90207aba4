"""What the shipped estimates are held against: values of implementations of their own.

``FLAGGED_FIRST``, ``AGREEING``: computed once with another program, to 16 digits; the point
estimates agree with ppi_py 0.2.3 where it has the same form.
"""

from __future__ import annotations

from typing import Any

FLAGGED_FIRST: dict[str, Any] = {
    # Verdict: (judged, labelled, bad).
    "cells": {"bad": (249, 150, 72), "fine": (1751, 52, 2)},
    "stratified": (0.09343307692307692, 0.06640133212117176, 0.17427248721979205),
    "sensitivity": (0.6396021833809473, 0.34027740651890287, 0.8660542083496692),
    "unaudited": (0.49750999999999995, 0.0596509608628481, 0.9353718305762604),
}
AGREEING: dict[str, Any] = {
    # 20 labels that all agree with the judge, and 2,000 answers that only the judge saw.
    "cells": {"bad": (192, 2, 2), "fine": (1828, 18, 0)},
    "stratified": (0.09504950495049505, 0.03124801409744009, 0.2547245348972351),
}
