"""Imported before the tests' own ``import kafka``: the adapter quiets what the client does then."""

import consumers.kafka  # noqa: F401
