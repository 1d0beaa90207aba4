"""What a dependency's absence is called. Nothing else that fails is ever retried like this."""

from __future__ import annotations


class Outage(Exception):
    """A dependency is away or refuses us for now; nothing is lost; try again later.

    The message says what to check and never repeats a payload or a secret.
    """


class Misconfiguration(Exception):
    """No retry will help: a setting is wrong or a part of this installation is missing."""
