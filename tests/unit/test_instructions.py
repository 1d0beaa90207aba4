"""What is taken from valgrind's report."""

from __future__ import annotations

from tests.bench.instructions import counts

REPORT = """\
Ir
1,000,500 (100.0%)  PROGRAM TOTALS

Ir                  file:function
900,000 (89.96%)  Objects/call.c:PyObject_Vectorcall [libpython3.11.so.1.0]
 70,500 ( 7.05%)  ???:CPyDef_pipeline___process [/tmp/x__mypyc.so]
 70,400 ( 7.04%)  ???:CPyDef_pipeline___process'2 [/tmp/x__mypyc.so]
  1,234 ( 0.12%)  ???:CPyDef_overlap___check
"""


def test_the_sum_and_the_functions_that_are_shown() -> None:
    found = counts(REPORT)
    assert found == {"all": 1_000_500, "pipeline.process": 70_500, "overlap.check": 1_234}


def test_uncompiled_code_has_the_sum_alone() -> None:
    assert list(counts(REPORT.partition(" 70,500")[0])) == ["all"]
