"""What the checks share: reading numbers, units, dates, times and Markdown out of text. Pure.

Every reader works on folded text of the same length (:mod:`.folding`), so that all offsets are
Python character offsets into the original. All of it is linear in the length of the text.
"""
