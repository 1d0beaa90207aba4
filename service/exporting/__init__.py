"""What people said about answers, as files for others: retrieval's relevance, test cases of the
answer step, and the labels themselves. Pure but for :mod:`service.exporting.output`, which writes.

An *answer* is the unit: its case and its audit task share one id. Answers come in the order of the
last change to their labels, so that an export can go on later from where it stopped. Of an answer
whose audit is open nothing leaves the store: it is held back, and comes in a later export.
"""
