"""Which kinds of value are masked. A closed set: it labels a metric."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """``custom``: a pattern of the policy; ``unreadable``: a text that is masked as a whole, as
    after some passes there was still something in it."""

    EMAIL = "email"
    PHONE = "phone"
    IBAN = "iban"
    CARD = "card"
    IP = "ip"
    CUSTOM = "custom"
    UNREADABLE = "unreadable"
