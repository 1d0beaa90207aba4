"""``groundwatch evaluate``: precision and recall of the findings on labelled answers.

Two kinds of line are read. A *case* says what a careful human would flag: ``expect`` with the name
of a check (or ``unresolved_citations`` or ``unsupported_numbers``) and surfaces ("" for a finding
whose surface is not named), ``<check>_label`` with the class that the check should decide on,
``<check>_measures`` with values or ``[low, high]``, and ``alt`` (other surfaces for the same
finding). A *public* line labels every number of a public data set: ``numbers`` with ``start``,
``end`` and ``gold``. A line speaks about one check, and only what it says is scored; a line whose
``expect`` is empty names no check, and is only counted.
"""

from __future__ import annotations

from service.evaluation.labels import EvaluationError, NumberLabels, SurfaceLabels
from service.evaluation.report import render
from service.evaluation.scores import Accuracy, Tally
from service.evaluation.scoring import Evaluation, Wrong, evaluate

__all__ = [
    "Accuracy", "Evaluation", "EvaluationError", "NumberLabels", "SurfaceLabels", "Tally", "Wrong",
    "evaluate", "render",
]  # fmt: skip
