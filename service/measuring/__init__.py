"""Measuring a RAG system on labelled questions: retrieval, the answer step, the whole.

Pure: ``questions`` and ``cases`` (what is asked, and what is expected), ``facts`` (what an answer
has to say), ``rating`` and ``diagnosis`` (what an answer is worth, and whose fault it is),
``lists``, ``retrieval``, ``answering`` and ``system`` (the three measurements), ``summary`` and the
reports, ``runs`` (the file that a measurement leaves behind, which comparing and gates read),
``lines`` (how files are read).
Not pure: ``targets`` (the systems that are asked), ``judging`` (the judge on measured answers),
``answered`` (all questions of a measurement, some at the same time).
"""
