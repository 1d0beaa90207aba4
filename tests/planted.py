"""Personal data of every kind, all made up, planted wherever an answer event may hold a text."""

from __future__ import annotations

from typing import Any

SECRETS = {
    "email": "jane.doe@example.com",
    "phone": "+49 30 901820",
    "iban": "DE89370400440532013000",
    "card": "4111111111111111",
    "ip": "10.20.30.40",
}
ALL = " and ".join(SECRETS.values())
TELLING = ("jane.doe", "901820", "DE8937", "0532013000", "41111111", "10.20.30", "20.30.40")
"""Parts by which each would be known."""


def planted(secret: str = ALL) -> dict[str, Any]:
    """An event's fields; keys of free objects too. It cites nothing that exists."""
    return {
        "query": f"Who is {secret}?",
        "query_id": secret,
        "context": [{"name": secret, "kind": secret, "text": secret, "more": [secret]}],
        "retrieved": [
            {
                "ref": f"doc#{secret}", "text": f"Pro: 45 € a seat. {secret}", "url": secret,
                "title": secret, "tenant": secret, "acl": [secret],
                "metadata": {secret: {"deep": [secret]}, "card": 4111111111111111},
                "unknown": secret,
            },
            {"ref": "pricing#plans", "text": None},
        ],
        "answer": f"A seat costs 54 € [pricing#none] [pricing#{secret}]. {secret}",
        "citations": [{"ref": secret, "quote": secret, "start": 0, "end": 4}],
        "user": {"id_hash": "hash-1", "tenant": secret, "groups": [secret], "name": secret},
        "session_id": secret, "trace_id": secret, "tags": {secret: secret},
        "release": {"id": "r1", "model": secret, "retrieval_params": {"host": secret}},
        "unknown": {"deep": {secret: [secret]}},
    }  # fmt: skip


def leaks(text: str) -> list[str]:
    return [part for part in TELLING if part in text]
