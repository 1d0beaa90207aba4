"""The words of the pages, one module a page: key → (English, German).

A key is ``page.what``. ``{name}`` stands for a value that the template hands in and that is
escaped; ``<code>``, ``<em>`` and ``<kbd>`` may stand in a text, no other tag. A key that ends in
``.one`` is taken instead of the one without it where ``n`` is 1. To add a page: a module here, and
its table among ``TABLES`` in ``service/web/texts.py``.
"""

from collections.abc import Mapping

Words = Mapping[str, tuple[str, str]]
