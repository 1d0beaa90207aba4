"""Check ``links``: every URL and e-mail address of the answer stands in what the model saw. Pure.

What is decided, and what is no address, stands in docs/checks/links.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from service.checks.model import (
    CheckInput,
    CheckResult,
    Evidence,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
    Span,
)
from service.checks.reading import sources
from service.checks.reading.addresses import (
    Address,
    Kind,
    addresses,
    may_hold_address,
    same_phone,
)
from service.checks.reading.code import code_spans
from service.checks.reading.grounding import Source
from service.checks.reading.spans import Spans
from service.checks.reading.telling import Telling

NAME = "links"
MAX_ANSWER = 200_000
"""Characters of an answer past which it is ``too_large``."""
MAX_ADDRESSES = 1_000
"""Addresses of an answer past which it is ``too_large``."""
MAX_KNOWN = 20_000
"""Addresses in all sources together past which the answer is ``too_large``."""

UNKNOWN_LINK = "unknown_link"
UNKNOWN_EMAIL = "unknown_email"
REASONS: tuple[str, ...] = (UNKNOWN_LINK, UNKNOWN_EMAIL)

_PHONE = re.compile(r"\+?[0-9(][0-9 ()/.\u00a0\u2011–-]{4,28}[0-9]")
_LINK_TEXT = re.compile(r"\[([^\[\]\n]{1,90})\]\(\s?<?\Z")
_LOCAL_HOST = re.compile(
    r"(?:localhost|127\.[0-9.]+|0\.0\.0\.0|10\.[0-9.]+|192\.168\.[0-9.]+|.*\.(?:local|localhost))"
)
_PLACEHOLDER_HOST = re.compile(
    r"(?:[\w-]+\.)*(?:your|ihre?|deine?|my|meine?)-?"
    r"(?:domain|company|server|host|site|shop|firma|organi[sz]ation|org|app|website|webseite)\w*"
    r"(?:\.[\w.-]+)?"
)
_EXAMPLE_HOSTS = frozenset(("example.com", "example.org", "example.net"))
_VOCABULARY_HOSTS = frozenset(("w3.org", "schema.org", "json-schema.org", "xmlsoap.org"))
"""Hosts of names that look like URLs: namespaces and schemas, in code."""
_PLACEHOLDER_MAILBOXES = frozenset(
    (
        "user name you me email mail username your.name yourname firstname.lastname "
        "first.last vorname.nachname max.mustermann erika.mustermann john.doe jane.doe alice bob "
        "someone somebody ihre.adresse ihr.name dein.name test foo"
    ).split()
)


class _Known(NamedTuple):
    """``has_place``: it stands in a chunk's text, not in a name, the context or the query."""

    source: Source
    address: Address
    has_place: bool


def check(given: CheckInput, owned: Sequence[Span] = ()) -> CheckResult:
    """Decide every address of the answer; the same address is one finding, however often it stands.

    ``owned``: the spans of citations; a link that cites is theirs. The result owns every address.
    """
    answer = given.event.answer
    if not may_hold_address(answer):
        return CheckResult(Outcome.NOT_APPLICABLE)
    if len(answer) > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    found = list(islice(addresses(answer), MAX_ADDRESSES + 1))
    if len(found) > MAX_ADDRESSES:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    if owned:
        claimed = Spans(owned)
        found = [one for one in found if not claimed.touches(one.start, one.end)]
    spans = tuple((one.start, one.end) for one in found)
    asked = _asked(given, sorted(found, key=lambda one: one.start)) if found else []
    if not asked:
        return CheckResult(Outcome.NOT_APPLICABLE, owned=spans)
    if sources.is_too_large(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    return _decide(given, asked, spans)


def _decide(given: CheckInput, asked: Sequence[Address], spans: tuple[Span, ...]) -> CheckResult:
    answer = given.event.answer
    chunks = sources.chunk_texts(given)
    library: _Library | None = None
    evidence: list[Evidence] = []
    missing: list[Address] = []
    for address in asked:
        known = _literally(answer, address, chunks)
        if known is None:
            library = library or _Library(given, chunks)
            if library.is_too_large:
                return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
            known = library.find(address)
        if known is None:
            missing.append(address)
        else:
            evidence.append(_evidence(answer, address, known))
    if missing and sources.lacks_text(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.MISSING_TEXT)
    findings: tuple[Finding, ...] = ()
    if missing and library is not None:
        findings = tuple(map(_Explain(given, library), missing))
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        findings,
        tuple(evidence),
        evaluated=len(asked),
        failed=len(findings),
        owned=spans,
    )


def _asked(given: CheckInput, found: Iterable[Address]) -> list[Address]:
    """Every address once, without placeholders and what the policy allows."""
    answer = given.event.answer
    allowed = [host.lower().removeprefix("www.") for host in given.policy.links.allowed_hosts]
    code = Spans((span.start, span.end) for span in code_spans(answer))
    asked: dict[tuple[bool, str], Address] = {}
    for address in found:
        if address.kind in (Kind.URL, Kind.DOMAIN) and _is_within(address.host, allowed):
            continue
        if address.kind is Kind.PHONE:
            stands_open = _shows_its_number(answer, address)
        else:
            stands_open = _is_placeholder(address, code.touches(address.start, address.end))
        if not stands_open:
            asked.setdefault((address.kind is Kind.MAIL, address.key), address)
    return list(asked.values())


def _shows_its_number(answer: str, address: Address) -> bool:
    """``[030 1234567](tel:+49301234567)``: the number in the text is decided by ``numbers``."""
    shown = _LINK_TEXT.search(answer, max(0, address.start - 100), address.start)
    if shown is None:
        return False
    digits = "".join(filter(str.isdigit, shown[1]))
    return bool(digits) and same_phone(digits, address.key.removeprefix("tel:"))


def _is_within(host: str, allowed: Iterable[str]) -> bool:
    return any(host == name or host.endswith(f".{name}") for name in allowed)


def _is_placeholder(address: Address, in_code: bool) -> bool:
    host = address.host
    if _LOCAL_HOST.fullmatch(host) or _PLACEHOLDER_HOST.fullmatch(host):
        return True
    if address.kind is Kind.MAIL:
        return host in _EXAMPLE_HOSTS and address.key.partition("@")[0] in _PLACEHOLDER_MAILBOXES
    if in_code:
        return host in _EXAMPLE_HOSTS or _is_within(host, _VOCABULARY_HOSTS)
    return False


# ------------------------------------------------------------------------------------ what is known


_ENDS = re.compile(r"[.,;:!?*_'\"”»)\]>]{0,3}(?:[\s<>\"`|]|\Z)")
_BEGINS = frozenset(" \t\n(<\"'[*:")


def _literally(answer: str, address: Address, chunks: Sequence[Source]) -> _Known | None:
    """The first chunk that holds the address to the letter; no other address has to be read."""
    words = answer[address.start : address.end]
    for chunk in chunks:
        start = chunk.text.find(words)
        if start < 0 or (start and chunk.text[start - 1] not in _BEGINS):
            continue
        end = start + len(words)
        if _ENDS.match(chunk.text, end) is not None:
            return _Known(chunk, address._replace(start=start, end=end), True)
    return None


class _Library:
    """Every address in the sources of one answer, by what equal addresses have in common."""

    def __init__(self, given: CheckInput, chunks: Sequence[Source]) -> None:
        names = [*sources.other_texts(given), *sources.chunk_names(given)]
        self._sources = [
            *((source, True) for source in chunks),
            *((source, False) for source in names),
        ]
        self.known: dict[str, _Known] = {}
        self.hosts: dict[str, _Known] = {}
        left = MAX_KNOWN
        for source, has_place in self._sources:
            if not may_hold_address(source.text):
                continue
            for address in addresses(source.text):
                left -= 1
                if left < 0:
                    break
                known = _Known(source, address, has_place)
                self.known.setdefault(address.key, known)
                if address.kind in (Kind.URL, Kind.DOMAIN):
                    self.hosts.setdefault(address.host, known)
        self.is_too_large = left < 0

    def find(self, address: Address) -> _Known | None:
        """The same address; for the bare host of a site, any page of it."""
        if address.kind is Kind.PHONE:
            return self._phone(address.key.removeprefix("tel:"))
        known = self.known.get(address.key)
        if known is not None:
            return known
        if address.kind is not Kind.MAIL and (address.is_template or address.key == address.host):
            known = self.hosts.get(address.host)
        return known or self._literal(address)

    def _literal(self, address: Address) -> _Known | None:
        """``Acme.com`` in a text is no address, but the answer's ``acme.com`` stands there; a page
        whose parts were run together has ``desk@acme.comContact``."""
        is_domain = address.kind is Kind.DOMAIN and address.key == address.host
        if address.kind is not Kind.MAIL and not is_domain:
            return None
        pattern = re.compile(
            rf"(?<![\w.@+-])(?i:{re.escape(address.key)})(?![a-z0-9_-]|\.[a-z0-9])"
        )
        for source, has_place in self._sources:
            match = pattern.search(source.text)
            if match is not None:
                place = address._replace(start=match.start(), end=match.end())
                return _Known(source, place, has_place)
        return None

    def _phone(self, digits: str) -> _Known | None:
        return next((known for number, known in self._phones if same_phone(digits, number)), None)

    def nearest_phone(self, digits: str) -> _Known | None:
        numbers = dict(self._phones[:_MOST_COMPARED])
        close = get_close_matches(digits, numbers, 1, 0.7)
        return numbers[close[0]] if close else None

    @cached_property
    def _phones(self) -> list[tuple[str, _Known]]:
        found = (
            (source, has_place, match)
            for source, has_place in self._sources
            for match in _PHONE.finditer(source.text)
        )
        phones = []
        for source, has_place, match in islice(found, MAX_KNOWN):
            digits = "".join(filter(str.isdigit, match[0]))
            place = Address(Kind.PHONE, *match.span(), f"tel:{digits}", "")
            phones.append((digits, _Known(source, place, has_place)))
        return phones


def _evidence(answer: str, address: Address, known: _Known) -> Evidence:
    source = known.source
    return Evidence(
        NAME,
        source.kind,
        answer[address.start : address.end],
        address.start,
        address.end,
        source.ref,
        known.address.start if known.has_place else None,
        known.address.end if known.has_place else None,
    )


# ------------------------------------------------------------------------------------ the findings

_MOST_COMPARED = 200
_LONGEST_COMPARED = 300


class _Explain:
    def __init__(self, given: CheckInput, library: _Library) -> None:
        self._answer = given.event.answer
        self._library = library
        self._telling = Telling(given)

    def __call__(self, address: Address) -> Finding:
        surface = self._answer[address.start : address.end]
        near = None
        known = self._nearest(address) if self._telling.may_seek() else None
        if known is not None:
            source, there, _ = known
            near = source, source.text[there.start : there.end], _other(address, there)
        return Finding(
            NAME,
            UNKNOWN_EMAIL if address.kind is Kind.MAIL else UNKNOWN_LINK,
            surface,
            address.start,
            address.end,
            self._telling.absent(surface, near),
            self._severity(address),
            address.key[:200],
        )

    def _severity(self, address: Address) -> Severity:
        """Another page of a site that the texts name is less bad than a site that they do not."""
        if address.kind is Kind.DOMAIN or address.host in self._library.hosts:
            return Severity.HIGH if address.kind is Kind.MAIL else Severity.MEDIUM
        return Severity.HIGH

    def _nearest(self, address: Address) -> _Known | None:
        if address.kind is Kind.PHONE:
            return self._library.nearest_phone(address.key.removeprefix("tel:"))
        same_host: list[str] = []
        others: list[str] = []
        is_mail = address.kind is Kind.MAIL
        for key, known in self._library.known.items():
            if len(key) <= _LONGEST_COMPARED and (known.address.kind is Kind.MAIL) is is_mail:
                (same_host if known.address.host == address.host else others).append(key)
        sought = address.key[:_LONGEST_COMPARED]
        close = get_close_matches(sought, same_host[:_MOST_COMPARED], 1, 0.0) or get_close_matches(
            sought, others[:_MOST_COMPARED], 1, 0.6
        )
        return self._library.known[close[0]] if close else None


def _other(sought: Address, found: Address) -> tuple[str, str]:
    """What the nearest address is instead, in English and in German."""
    if sought.kind is Kind.PHONE:
        return "another number", "eine andere Nummer"
    if sought.host != found.host:
        return "another host", "ein anderer Host"
    if sought.kind is Kind.MAIL:
        return "another mailbox", "ein anderes Postfach"
    return "another page", "eine andere Seite"
