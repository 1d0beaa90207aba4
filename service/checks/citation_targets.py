"""What a citation of one answer can resolve to: refs, documents, numbers, URLs, authors and years.

Names are compared folded: case, Unicode dashes, full-width forms, invisible characters and
percent-encoding do not matter; a plural or a path prefix is another name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from service.checks.citation_forms import Base
from service.events import Chunk
from service.policy import CitationPolicy

_INVISIBLE = dict.fromkeys(
    [0xAD, 0x180E, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]
)
_DASHES = dict.fromkeys([*range(0x2010, 0x2016), 0x2043, 0x2212, 0xFE58, 0xFE63, 0xFF0D], "-")
_PLAIN: dict[int, str | None] = {**_INVISIBLE, **_DASHES}
_QUOTES = "\"'“”„‚‘’«»`"
_ASCII_QUOTES = "".join(filter(str.isascii, _QUOTES))
_SPACES = re.compile(r"\s+")


def clean(words: str) -> str:
    """The words of a citation as typed on a plain keyboard: NFKC, ``-``, nothing invisible."""
    if words.isascii():
        return words.strip()
    return unicodedata.normalize("NFKC", words).translate(_PLAIN).strip()


_MOST_FOLDED: Final = 4096
_FOLDED: Final[dict[str, str]] = {}
"""What was folded, begun anew when it is full: an lru_cache costs several times as much."""


def fold(ref: str) -> str:
    """What equal refs have in common."""
    folded = _FOLDED.get(ref)
    if folded is None:
        folded = _folded(ref)
        if len(_FOLDED) >= _MOST_FOLDED:
            _FOLDED.clear()
        _FOLDED[ref] = folded
    return folded


def _folded(ref: str) -> str:
    if ref.isascii() and "%" not in ref and "  " not in ref:
        return ref.strip().strip(_ASCII_QUOTES).strip().casefold()
    ref = clean(ref)
    if "%" in ref:
        ref = clean(unquote(ref))
    ref = ref.strip(_QUOTES).strip()
    if "  " in ref or not ref.isascii():
        ref = _SPACES.sub(" ", ref)
    return ref.casefold()


def _is_plain(names: str) -> bool:
    """Whether :func:`fold` does no more to names than lower and strip them."""
    return names.isascii() and "%" not in names and "  " not in names


_TRACKING = re.compile(
    r"(?i)^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|igshid|mc_[ce]id|_hs\w+)$"
)
_TEXT_FRAGMENT_END = ".,;:!?*_'\"“”»…’‘"


@lru_cache(maxsize=4096)
def fold_url(url: str) -> str | None:
    """Host, path and query of an http(s) URL without what does not change the page; None when it
    is no such URL. The scheme, ``www.``, the default port, the fragment, a trailing slash, tracking
    parameters, host case and percent- or punycode do not count."""
    try:
        parts = urlsplit(clean(url))
        host = (parts.hostname or "").removeprefix("www.")
        port = parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host:
        return None
    if "xn--" in host:
        host = _unicode_host(host)
    if port not in (None, 80, 443):
        host = f"{host}:{port}"
    path = unicodedata.normalize("NFC", unquote(parts.path)).rstrip("/")
    query = parts.query
    if query:
        kept = [pair for pair in parse_qsl(query, True) if not _TRACKING.match(pair[0])]
        query = urlencode(sorted(kept))
    return f"{unicodedata.normalize('NFC', host)}{path}{'?' + query if query else ''}"


def _unicode_host(host: str) -> str:
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host


def is_url(words: str) -> bool:
    return words[:8].lower().startswith(("http://", "https://"))


def trim_url(url: str) -> str:
    """A URL in running text without the punctuation of its sentence."""
    url = url.partition("—")[0]
    while url:
        if url[-1] in _TEXT_FRAGMENT_END:
            url = url[:-1]
        elif url[-1] == ")" and url.count(")") > url.count("("):
            url = url[:-1]
        elif url.endswith(("'s", "’s")):
            url = url[:-2]
        else:
            break
    return url


_RUNS = re.compile(r"[^\W\d_]+|\d+|\s+")
_UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEX = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,64}")
_FILE = re.compile(
    r"(?i)[\w][\w ().~/-]{0,200}"
    r"\.(?:pdf|docx?|pptx?|xlsx?|odt|ods|odp|txt|md|html?|csv|epub|rtf|tex)"
    r"(?:#[\w=.,;:-]{1,100})?"
)
_NO_REF = re.compile(
    r"^[-:.…/*+<=>|!?%&@^~]|^[\d:.,\s]+$|^[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}$|^[a-z0-9]-[a-z0-9](?:$|_|\W|[a-z0-9]-)|[=\[\]{}|*+?\\<>]"
)
_EDITORIAL = frozenset(
    (
        "sic recte emphasis redacted omitted optional required default none null true false todo "
        "tbd options args file path name inaudible unverständlich laughter translation ellipsis "
        "original hervorhebung anmerkung added laughs laughter applause crosstalk cut gekürzt "
        "gelöscht unleserlich lachen beifall date number unknown unclear link image bild "
        "enter strg druck shift tab space escape"
    ).split()
)


def _shape(ref: str) -> str:
    """``kb-101`` → ``a-9``: runs of letters and of digits, and what joins them."""
    return _RUNS.sub(_run, ref)


def _run(match: re.Match[str]) -> str:
    run = match[0]
    return "9" if run[0].isdigit() else " " if run[0].isspace() else "a"


def _prefix(ref: str) -> str:
    match = _RUNS.match(ref)
    return match[0] if match else ""


_GUESSES = 20
"""Comparisons letter by letter in one answer: the dearest step, and hostile text asks for many."""

_NAMING_METADATA = (
    "source", "file", "filename", "file_name", "file_id", "id", "chunk_id", "doc_id", "document_id"
)  # fmt: skip
_NAMING = frozenset(_NAMING_METADATA)


def _other_names(chunk: Chunk, separator: str) -> list[str]:
    names = [] if chunk.title is None else [chunk.title]
    metadata = chunk.metadata
    if not _NAMING.isdisjoint(metadata):
        found = (metadata.get(key) for key in _NAMING_METADATA)
        names += [name for name in found if isinstance(name, str)]
    if "/" in chunk.ref and not is_url(chunk.ref):
        name = chunk.ref.rpartition("/")[2]
        names += (name, name.partition(separator)[0])
    return names


class Targets:
    """The retrieved chunks of one answer, by everything that a citation may call them."""

    __slots__ = (
        "_authors", "_by_author", "_documents", "_families", "_guesses", "_numbers", "_others",
        "_policy", "_positions", "_prefixes", "_refs", "_retrieved", "_shapes", "_spelled", "_urls",
    )  # fmt: skip

    def __init__(self, retrieved: Sequence[Chunk], policy: CitationPolicy) -> None:
        self._retrieved = retrieved
        self._policy = policy
        self._refs: dict[str, str] = {}
        for chunk in retrieved:
            ref = chunk.ref
            self._refs.setdefault(fold(ref), ref)
        self._documents: dict[str, str] | None = None
        self._positions: list[str] | None = None
        self._numbers: dict[int, str] = {}
        self._urls: dict[str, str] | None = None
        self._authors: dict[tuple[str, str], str] | None = None
        self._by_author: bool | None = None
        self._others: dict[str, str] | None = None
        self._spelled: str | None = None
        self._families: frozenset[tuple[str, str]] | None = None
        self._shapes: frozenset[str] = frozenset()
        self._prefixes: frozenset[str] = frozenset()
        self._guesses = _GUESSES

    def __len__(self) -> int:
        return len(self._retrieved)

    # numbers

    def number(self, index: int, base: Base) -> str | None:
        """The ref of the chunk that a numeric citation means."""
        positions = self._positions
        if positions is None:
            positions = self._count()
        if base is Base.ZERO:
            return positions[index] if 0 <= index < len(positions) else None
        found = self._numbers.get(index) or self._refs.get(str(index))
        if found is None and base is Base.EITHER:
            if 0 < index <= len(positions):
                return positions[index - 1]
            if index == 0 and positions:
                return positions[0]
        return found

    @property
    def numbered(self) -> int:
        """How many chunks a numeric citation can mean."""
        return len(self._count() if self._positions is None else self._positions)

    def _count(self) -> list[str]:
        shown = [chunk for chunk in self._retrieved if chunk.in_prompt]
        ranked = [chunk.rank for chunk in shown if chunk.rank is not None]
        if shown and len(ranked) == len(shown):
            shown.sort(key=lambda chunk: chunk.rank or 0)
        self._positions = [chunk.ref for chunk in shown]
        for position, chunk in enumerate(shown, self._policy.base):
            number = position if chunk.number is None else chunk.number
            self._numbers.setdefault(number, chunk.ref)
        return self._positions

    # names

    def known(self, words: str) -> str | None:
        """:meth:`ref` without URLs, numbers and other guesses that need more than the name."""
        return None if words.isdecimal() else self._named(fold(words))

    def ref(self, words: str) -> str | None:
        """The chunk that carries this ref, or a chunk of the document that is called so."""
        found = self._named(fold(words))
        if found is None and is_url(words):
            found = self.url(words)
        return found

    def _named(self, folded: str) -> str | None:
        found = self._refs.get(folded)
        if found is None:
            found = self._known_documents().get(folded)
        return self._other_name(folded) if found is None else found

    def _known_documents(self) -> dict[str, str]:
        """The first chunk of each; known when no ref is called so."""
        documents = self._documents
        if documents is None:
            documents = self._documents = {}
            for folded, ref in self._refs.items():
                document, separator, _ = folded.partition(self._policy.separator)
                if separator and document:
                    documents.setdefault(document, ref)
        return documents

    @property
    def has_files(self) -> bool:
        return any(_FILE.fullmatch(name) for name in (*self._refs, *self._known_documents()))

    def _other_name(self, folded: str) -> str | None:
        """A part of a document that was retrieved whole; a title; a file by its name alone."""
        document, separator, part = folded.partition(self._policy.separator)
        if separator and part and document in self._refs:
            if document not in self._known_documents():
                return self._refs[document]
        if self._spelled is None:
            names = [n for c in self._retrieved for n in _other_names(c, self._policy.separator)]
            self._spelled = "\n".join(names).lower()
        if not folded or (folded not in self._spelled and _is_plain(self._spelled)):
            return None
        if self._others is None:
            self._others = {}
            for chunk in self._retrieved:
                for name in _other_names(chunk, self._policy.separator):
                    self._others.setdefault(fold(name), chunk.ref)
        return self._others.get(folded)

    # URLs

    @property
    def by_url(self) -> bool:
        """Whether links of this answer can be citations at all."""
        return self._policy.by_url and bool(self._known_urls())

    def url(self, url: str) -> str | None:
        folded = fold_url(url)
        return None if folded is None else self._known_urls().get(folded)

    def _known_urls(self) -> dict[str, str]:
        if self._urls is None:
            self._urls = {}
            for chunk in self._retrieved:
                for url in (chunk.ref, chunk.url):
                    folded = fold_url(url) if url and is_url(url) else None
                    if folded is not None:
                        self._urls.setdefault(folded, chunk.ref)
        return self._urls

    # authors

    @property
    def by_author(self) -> bool:
        """Whether at least half of the chunks are known by author and year."""
        if self._by_author is None:
            known = set(self._known_authors().values())
            self._by_author = bool(known) and 2 * len(known) >= len(self._refs)
        return self._by_author

    def author(self, name: str, year: str) -> str | None:
        known = self._known_authors()
        return next((known[key, year] for key in _spellings(name) if (key, year) in known), None)

    def _known_authors(self) -> dict[tuple[str, str], str]:
        if self._authors is None:
            self._authors = {}
            for chunk in self._retrieved:
                for name, year in _authorship(chunk, self._policy.separator):
                    for key in _spellings(name):
                        self._authors.setdefault((key, year), chunk.ref)
        return self._authors

    # what an unknown ref looks like

    def resembles(self, words: str, closes: bool, apart: bool = True) -> bool:
        """Whether words that no chunk is called by are meant as a ref nevertheless.

        ``closes``: they end a clause. Then the shape of the retrieved refs is enough; in the middle
        of a sentence a part in common is needed (``[kb-114]`` beside ``kb-101``, not ``[utf-8]``).
        ``apart``: they stand in a mark that sets citations apart; a parenthesis does not.
        """
        if not words or len(words) > 300:
            return False
        folded = fold(words)
        if is_url(folded):
            return self.by_url
        if apart and (_FILE.fullmatch(folded) or _UUID.fullmatch(folded)):
            return True
        if _NO_REF.search(folded) or folded in _EDITORIAL:
            return False
        document, separator, part = folded.partition(self._policy.separator)
        if separator and len(document) > 1 and part and " " not in folded:
            return apart or document in self._known_documents()
        if apart and _HEX.fullmatch(folded):
            return True
        return self._of_the_family(folded, words, closes)

    def names_alike(self, folded: str) -> bool:
        """Whether retrieved refs are written so: ``doc-9`` beside ``doc-7`` is a ref, no index."""
        return (_prefix(folded), _shape(folded)) in self._known_families()

    def numbers_alike(self, digits: str) -> bool:
        """Whether refs are bare numbers of this length: ``48999`` beside ``48213``."""
        return any(ref.isdecimal() and len(ref) == len(digits) for ref in self._refs)

    def _of_the_family(self, folded: str, words: str, closes: bool) -> bool:
        if len(folded) > 100:
            return False
        self._known_families()
        shape, prefix = _shape(folded), _prefix(folded)
        akin = shape in self._shapes
        related = len(prefix) > 1 and prefix in self._prefixes
        if " " in folded:
            return akin and related and any(c.isdigit() for c in folded)
        if any(c.isdigit() for c in folded):
            return (related and len(folded) > 3) or (akin and closes)
        if akin and related and not folded.isalpha():
            return True
        if akin and closes and len(folded) > 3 and words == folded:
            return True
        # A plural, a slip of the pen: another name, but certainly meant as one.
        if not 4 < len(folded) <= 60 or self._guesses <= 0:
            return False
        self._guesses -= 1
        names = [name for name in (*self._refs, *self._known_documents()) if len(name) <= 70]
        return closest(folded, names, 0.85) is not None

    def _known_families(self) -> frozenset[tuple[str, str]]:
        if self._families is None:
            self._families = frozenset((_prefix(ref), _shape(ref)) for ref in self._refs)
            self._prefixes = frozenset(prefix for prefix, _ in self._families)
            shapes = {shape for _, shape in self._families}
            self._shapes = frozenset(shapes.union(map(_shape, self._known_documents())))
        return self._families

    def refs(self) -> list[str]:
        """Every retrieved ref once, folded."""
        return list(self._refs)

    def spelled(self, folded: str) -> str:
        return self._refs[folded]


_AUTHOR_REF = re.compile(
    r"^(?P<name>[^\W\d_]{2,40}(?:-[^\W\d_]{2,40})?)"
    r"(?:[-_ ,.]?(?:et[-_ ]?al|[^\W\d_]{2,40})"
    r"|,? (?:&|and|und|y|et) [^\W\d_]{2,40}(?:-[^\W\d_]{2,40})?)?"
    r"[-_ ,.(]{0,3}(?P<year>(?:1[5-9]|20)\d\d)[a-z]?\)?$"
)
_AUTHOR_TITLE = re.compile(
    r"^(?P<name>[^\W\d_]{2,40})\b[^\d\n]{0,80}?\(?(?P<year>(?:1[5-9]|20)\d\d)[a-z]?\)"
)
_PARTICLES = frozenset("von van der den de la le du di da ten ter zu zur".split())


def _authorship(chunk: Chunk, separator: str) -> Iterable[tuple[str, str]]:
    for name, pattern in (
        (chunk.ref.partition(separator)[0], _AUTHOR_REF),
        (chunk.title, _AUTHOR_TITLE),
    ):
        match = pattern.match(clean(name[:300])) if name else None
        if match and is_author(match["name"]):
            yield match["name"], match["year"]
    if chunk.metadata:
        year = str(chunk.metadata.get("year", ""))[:4]
        authors = chunk.metadata.get("authors") or chunk.metadata.get("author")
        first = authors[0] if isinstance(authors, list) and authors else authors
        if isinstance(first, str) and year.isdecimal():
            yield surname(first[:200]), year


def surname(author: str) -> str:
    """What a first author is cited by: of ``Müller, A.``, ``Ann Smith``, ``Smith et al.``"""
    author = re.split(r"(?i),|;|&|\bet\.? al|\bu\. ?a\.|\band\b|\bund\b|\bet\b|\by\b", author)[0]
    words = [word for word in author.split() if word.casefold() not in _PARTICLES]
    words = [word for word in words if not re.fullmatch(r"(?:[^\W\d_]\.)+", word)]
    return words[-1] if words else author.strip()


def closest(word: str, names: Iterable[str], cutoff: float) -> str | None:
    """The name most like ``word``, as ``difflib.get_close_matches`` finds it, or None.

    Nearly all names share too few letters with the word, which is far cheaper to see.
    """
    letters = frozenset(word)
    matcher: SequenceMatcher[str] | None = None
    best: tuple[float, str] | None = None
    for name in names:
        most = len(word) - len(letters.difference(name))
        together = len(word) + len(name)
        if together and 2.0 * most / together < cutoff:
            continue
        if matcher is None:
            matcher = SequenceMatcher()
            matcher.set_seq2(word)
        matcher.set_seq1(name)
        if matcher.quick_ratio() < cutoff:
            continue
        found = (matcher.ratio(), name)
        if found[0] >= cutoff and (best is None or found > best):
            best = found
    return best and best[1]


def _spellings(name: str) -> list[str]:
    folded = name.casefold()
    spelled = folded
    for umlaut, written in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ø", "oe"), ("å", "aa")):
        spelled = spelled.replace(umlaut, written)
    bare = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    return [spelled] if spelled == bare else [spelled, bare]


_NOT_AUTHORS = frozenset(
    (
        "january february march april may june july august september october november december "
        "januar februar märz mai juni juli oktober dezember jan feb mar apr jun jul aug sep sept "
        "oct okt nov dec dez janvier février mars avril juin juillet août septembre octobre "
        "novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre "
        "octubre noviembre diciembre spring summer autumn fall winter frühjahr sommer herbst "
        "stand version since "
        "seit ab bis until from in as of report bericht handbuch handbook manual preise prices "
        "guide release policy annual annex anhang directive richtlinie edition ausgabe auflage "
        "doc docs file kb"
    ).split()
)


def is_author(name: str) -> bool:
    return name.casefold() not in _NOT_AUTHORS
