"""Addresses in a text: URLs with and without a scheme, e-mail addresses, telephone links.

Domains without a scheme, ``www.`` or a path are read only where they can be nothing else.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from service.checks.citation_forms import BARE_URL
from service.checks.citation_targets import fold_url, trim_url
from service.checks.reading.spans import Span


class Kind(Enum):
    URL = auto()
    DOMAIN = auto()  # a URL without a scheme
    MAIL = auto()
    PHONE = auto()  # the target of a telephone link


class Address(NamedTuple):
    """``key``: what equal addresses have in common; ``host``: of a URL or of a mailbox, "" of a
    phone. ``is_template``: a placeholder follows, so that only the host is certain."""

    kind: Kind
    start: int
    end: int
    key: str
    host: str
    is_template: bool = False


_ESCAPED = "\\_*~&-."
_MORE = re.compile(r"[^\s<>\"`|\\^{}\[\]]{0,2048}")
_WWW = re.compile(r"(?<![\w/.@-])www\.(?=[a-zA-Z0-9])")
_TLDS = (
    "com org net de eu gov edu example at ch li io dev app fr es it nl uk pl be dk se no fi cz us "
    "ca au jp cn br info biz mil int cloud ai co"
).split()
_SURE_TLDS = frozenset("com org net de eu gov edu example".split())
"""These end a domain even if nothing else speaks for one, and in code."""
_TLD = re.compile(rf"\.(?:{'|'.join(_TLDS)})(?![A-Za-z0-9_-])")
_HOST_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}([a-z]{2,12})(?![\w-])")
_PATH = re.compile(r"(?::[0-9]{2,5})?(?:[/?#][^\s<>\"`|\\^{}\[\]（）【】，。；、]{0,1024})?")
_LOCAL_CHARS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-äöüÄÖÜß"
)
_MAIL_HOST = re.compile(
    r"(?:[A-Za-z0-9äöüß](?:[A-Za-z0-9äöüß-]{0,62})\.){1,8}[A-Za-z]{2,12}(?![A-Za-z0-9_-])"
)
_LONGEST_LOCAL = 64
_TEL = re.compile(r"(?i)(?<![a-z])tel:(\+?[0-9](?:[0-9.-]|\([0-9]{1,5}\)){2,30}[0-9])")
_REVERSED = frozenset("com org net io de dev".split())


def addresses(text: str) -> Iterator[Address]:
    """Every address of ``text``, by kind, in the order of their places within a kind. Linear."""
    taken: list[Span] = []
    if "://" in text:
        for url in _urls(text):
            taken.append((url.start, url.end))
            yield url
    if "www." in text:
        for match in _WWW.finditer(text):
            found = _schemeless(text, match.start())
            if found is not None:
                taken.append((found.start, found.end))
                yield found._replace(kind=Kind.URL)
    if "@" in text:
        for mail in _mails(text):
            taken.append((mail.start, mail.end))
            yield mail
    if "tel:" in text:
        for match in _TEL.finditer(text):
            digits = "".join(char for char in match[1] if char.isdigit())
            yield Address(Kind.PHONE, match.start(), match.end(), f"tel:{digits}", "")
    if _TLD.search(text) is not None:
        yield from _domains(text, taken)


def may_hold_address(text: str) -> bool:
    """Cheap: whether :func:`addresses` could find any."""
    return (
        "://" in text or "@" in text or "tel:" in text or "www." in text or bool(_TLD.search(text))
    )


def same_phone(one: str, other: str) -> bool:
    """Two runs of digits that are one number, with or without the country's code."""
    one, other = one.lstrip("0"), other.lstrip("0")
    short, long = sorted((one, other), key=len)
    return len(short) >= 6 and long.endswith(short) and len(long) - len(short) <= 3


def _urls(text: str) -> Iterator[Address]:
    done = 0
    for match in BARE_URL.finditer(text):
        start, end = match.span()
        if start < done:
            continue
        while text[end : end + 1] == "\\" and text[end + 1 : end + 2] in _ESCAPED:
            # Markdown's escapes belong to the text, not to the address
            more = _MORE.match(text, end + 2)
            end = more.end() if more is not None else end + 2
        done = end
        url = trim_url(text[start:end])
        found = _url(text, start, start + len(url), url)
        if found is not None:
            yield found


def _url(text: str, start: int, end: int, url: str) -> Address | None:
    after = text[end : end + 2]
    is_template = after[:1] in ("{", "<") and (after[1:].isalpha() or after[:1] == "{")
    url = url.replace("\\", "")
    if "&amp;" in url:
        url = html.unescape(url)
    key = fold_url(url)
    if not key:
        return None
    return Address(Kind.URL, start, end, key, _host(key), is_template)


def _host(key: str) -> str:
    return re.split(r"[/?#:]", key, maxsplit=1)[0]


def _schemeless(text: str, start: int) -> Address | None:
    host = _HOST.match(text[start : start + 300].lower())
    if host is None:
        return None
    path = _PATH.match(text, start + host.end())
    raw = text[start : path.end() if path is not None else start + host.end()]
    words = trim_url(raw)
    found = _url(text, start, start + len(words), f"https://{words}")
    return None if found is None else found._replace(kind=Kind.DOMAIN)


def _domains(text: str, taken: list[Span]) -> Iterator[Address]:
    taken.sort()
    number = done = 0
    for match in _TLD.finditer(text):
        start = match.start()
        while number < len(taken) and taken[number][1] <= start:
            number += 1
        if start < done or (number < len(taken) and taken[number][0] <= start):
            continue
        floor = max(done, start - 253)
        while start > floor and text[start - 1] in _HOST_CHARS:
            start -= 1
        done = match.end()
        before = text[start - 1] if start else " "
        if before.isalnum() or before in "_@/\\$%&#-." or text[start] in "-.":
            continue
        found = _schemeless(text, start)
        if found is None or found.end < match.end() or not _is_sure(found, text):
            continue
        done = found.end
        yield found


def _is_sure(domain: Address, text: str) -> bool:
    """``help.acme.com``, ``acme.io/pricing``, ``acme.de``; not ``com.acme.app``, ``go.it``."""
    labels = domain.host.split(".")
    if (
        labels[-1] not in _TLDS
        or labels[0] in _REVERSED
        or text[domain.end : domain.end + 1] == "("
    ):
        return False
    if labels[-1] in _SURE_TLDS:
        return len(labels) > 2 or len(labels[0]) > 2
    has_path = "/" in domain.key and len(domain.key) > len(domain.host) + 2
    return has_path or (len(labels) > 2 and len(labels[-1]) < 3 and len(labels[0]) > 2)


def _mails(text: str) -> Iterator[Address]:
    at = text.find("@")
    done = 0
    while at >= 0:
        left, floor = at, max(done, at - _LONGEST_LOCAL)
        while left > floor and text[left - 1] in _LOCAL_CHARS:
            left -= 1
        host = _MAIL_HOST.match(text, at + 1)
        while left < at and text[left] in "._%+-":
            left += 1
        if host is not None and left < at:
            done = host.end()
            follows = text[done : done + 2]
            if not (follows[:1] == ":" and follows[1:].strip()):  # git@host:path is no mailbox
                key = text[left:done].lower()
                yield Address(Kind.MAIL, left, done, key, host[0].lower())
        at = text.find("@", max(at + 1, done))
