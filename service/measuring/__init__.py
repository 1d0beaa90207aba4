"""Measuring a RAG system on labelled questions: retrieval, the answer step, the whole.

Pure: ``questions`` (what is asked, and which refs it needs), ``facts`` (what an answer has to say),
``runs`` (the file that a measurement
leaves behind, which comparing and gates read), ``lines`` (how both are read).
"""
