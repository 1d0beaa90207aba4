"""Redaction: personal data in texts, found and masked before anything is kept, shown, judged or
produced. Pure.

:mod:`~service.redaction.redactor` masks one text, :mod:`~service.redaction.answers` a whole answer
with what was found in it. One module for each kind of value says what is one; ``patterns`` says
which custom patterns are safe to run. What is masked and what is not: docs/privacy.md.
"""
