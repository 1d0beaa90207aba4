"""Measuring a RAG system on labelled questions: retrieval, the answer step, the whole.

Pure: ``questions`` (what is asked, and which refs it needs), ``runs`` (the file that a measurement
leaves behind, which comparing and gates read), ``lines`` (how both are read), ``comparing`` (two
runs, paired), ``releases`` (two releases by their live answers), ``attribution`` (whether a
difference can be laid to one thing), ``compared_text`` (comparisons as lines).
"""
