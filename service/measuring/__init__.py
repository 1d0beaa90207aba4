"""Measuring a RAG system on labelled questions: retrieval, the answer step, the whole.

Pure: ``questions`` and ``cases`` (what is asked, and what is expected), ``facts`` (what an answer
has to say), ``rating`` and ``diagnosis`` (what an answer is worth, and whose fault it is),
``lists``, ``retrieval``, ``answering`` and ``system`` (the three measurements), ``summary`` and the
reports, ``runs`` (the file that a measurement leaves behind, which comparing and gates read),
``lines`` (how files are read), ``comparing`` (two runs, paired), ``releases`` (two releases by
their live answers), ``attribution`` (whether a difference can be laid to one thing),
``compared_text`` (comparisons as lines), ``rules``, ``gates`` and ``gate_reports`` (what has to
hold, and whether it does).
Not pure: ``targets`` (the systems that are asked), ``judging`` (the judge on measured answers),
``answered`` (all questions of a measurement, some at the same time).
"""
