"""Code-like names without a digit: flags, scopes, paths, file names, keys, variables, calls.

Precision first: in running text a name counts only where its shape says so by itself; in code,
shapes that could also be words count too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from string import ascii_letters
from typing import NamedTuple

from service.checks.reading.code import Code, code_spans
from service.checks.reading.spans import Spans


class Kind(Enum):
    FLAG = auto()  # --dry-run
    SCOPE = auto()  # telemetry:write
    PATH = auto()  # /etc/app/main.yaml, settings.toml, C:\Users
    KEY = auto()  # retention.max_days
    SNAKE = auto()  # max_retries, GROUNDWATCH_POLICY
    CAMEL = auto()  # maxRetries
    CALL = auto()  # flush()
    KEBAB = auto()  # retention-policy, X-Api-Key


class Identifier(NamedTuple):
    """``name``: as it shows, without escapes and, of a call, without parentheses."""

    kind: Kind
    start: int
    end: int
    name: str


# a mark that may join a name; "e.g." and "z.B." are passed over at once
_NEEDLE = re.compile(
    r"[_:/.\\(-](?:(?<=[_:/\\])[A-Za-z*~.]|(?<=\w\w\.)[A-Za-z_]{2}|(?<=\()\)|(?<=-)-[A-Za-z])"
)
_JOINING: dict[str, frozenset[str]] = {
    **dict.fromkeys("_:/\\", frozenset(ascii_letters + "*~.")),
    ".": frozenset(ascii_letters + "_"),
    "(": frozenset(")"),
    "-": frozenset("-"),
}
"""What a needle begins with, and what may follow that."""
_DIGIT = re.compile(r"\d")
_BREAKS = frozenset(" \t\r\n\u00a0\u202f\"'`„“”‚‘’«»‹›「」,;|()[]<>{}!?…=&#+^–—")
_REST = re.compile(r"[^\s\"'`„“”‚‘’«»‹›「」,;|()\[\]<>{}!?…=&#+^–—\u00a0\u202f]{0,200}")
_LONGEST = 200
_TOKEN = re.compile(r"[^\s\"'`„“”‚‘’«»‹›「」,;|()\[\]<>{}!?…=&#+^–—\u00a0\u202f]{2,200}")
_LEADING, _TRAILING = "*~.:_\\", "*~.:_-\\"

_KEPT = frozenset(("./", "..", "~/"))

_EXTENSIONS = (
    "yaml|yml|toml|ini|json|jsonl|xml|conf|cfg|env|properties|md|rst|txt|log|csv|tsv|sql|py|js|ts"
    "|tsx|jsx|java|kt|go|rs|rb|php|cs|cpp|hpp|sh|bash|ps1|bat|exe|dll|jar|war|zip|tar|gz|tgz|pdf"
    "|docx?|xlsx?|pptx?|html?|css|scss|lock|pem|crt|key|lua|proto|tf|tpl|service|parquet|db|sqlite"
)
_FILE = re.compile(
    rf"(?:[~.]?[\w.@+-]*/)*(?P<stem>[\w+-][\w.+-]*)\.(?P<extension>{_EXTENSIONS})", re.ASCII
)
_ABSOLUTE = re.compile(r"(?:~|\.{1,2})?(?:/[\w.@+-]*[A-Za-z][\w.@+-]*){1,20}/?", re.ASCII)
_RELATIVE = re.compile(r"[a-z.][\w.-]*(?:/[\w.*-]+){2,20}/?", re.ASCII)
_WINDOWS = re.compile(r"[A-Za-z]:\\[^\s\\]+(?:\\[^\s\\]+){0,20}\\?")
_FLAG = re.compile(r"--[A-Za-z][A-Za-z-]*[A-Za-z]")
_SCOPE = re.compile(r"[a-z][a-z_-]{2,40}(?::(?:[a-z][a-z_-]{2,40}|\*)){1,4}")
_KEY = re.compile(r"[A-Za-z_][A-Za-z_-]*(?:\.[A-Za-z_][A-Za-z_-]*){1,10}")
_SNAKE = re.compile(r"\$?[A-Za-z]+(?:_[A-Za-z]+){1,12}")
_CAMEL = re.compile(r"[a-z]{2,}(?:[A-Z][a-z]+){1,8}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_.]*")
_KEBAB = re.compile(r"[a-z]{2,}(?:-[a-z]+){1,6}|[A-Z][a-z]*(?:-[A-Z][a-z]*){1,6}")

_GENDERED = re.compile(r"(?i)[^\W\d_]+_in(?:nen)?")
_PLACEHOLDER_PARTS = frozenset(
    "your my our ihr ihre dein deine mein meine here placeholder example changeme xxx foo bar "
    "some insert".split()
)
_DASHED_WORDS = frozenset(
    "and or but which that the this it he she they we you not so as if und oder aber das die der "
    "den dem ein eine es er sie wir nicht also wenn et ou mais y o pero".split()
)
_PRONOUNS = frozenset("der die das den dem ein eine einer eines ihr ihre ihrer sein seine".split())
_SCHEMES = frozenset("http https ftp mailto tel file urn data ws wss".split())
_KNOWN = frozenset(
    (
        "--help --version application/json text/plain text/html content-type user-agent "
        "accept-language cache-control set-cookie package.json requirements.txt readme.md "
        "docker-compose.yml pyproject.toml index.html node.js next.js vue.js nuxt.js "
        "express.js three.js /dev/null /tmp /etc /var /usr /home /opt /bin"
    ).split()
)
"""Names that everybody knows: no source has to hold them."""
_DOMAIN_ENDINGS = frozenset("com org net de eu gov edu example io at ch".split())
_PRODUCT = re.compile(r"[A-Z][A-Za-z]*\.(?:js|py|ai|io|md)|ASP\.NET")
_TOOLS = frozenset(
    (
        "curl wget git docker pip pipx npm npx yarn pnpm apt apt-get brew ls cp mv rm tar ssh scp "
        "rsync grep find kubectl helm sudo systemctl journalctl ps cat make cargo go java psql "
        "redis-cli openssl chmod chown"
    ).split()
)
"""Tools whose flags are common knowledge: no answer takes them from a source."""
_CONFIG = frozenset("yaml yml toml ini json jsonc properties env dotenv conf hcl xml".split())
_SHELL = frozenset(("", "bash", "sh", "shell", "console", "zsh", "powershell", "text", "cmd"))
_IN_SHELL = frozenset((Kind.FLAG, Kind.SCOPE, Kind.PATH))
_IN_PROGRAM = frozenset((Kind.FLAG,))


def may_hold_identifier(text: str) -> bool:
    """Cheap: whether :func:`identifiers` could find any. A search for each of the marks alone is
    many times faster than one for any of them; nearly all are followed by a space."""
    if "`" in text:
        return True
    last = len(text) - 1
    for mark, joined in _JOINING.items():
        at = text.find(mark)
        while 0 <= at < last:
            if text[at + 1] in joined and _NEEDLE.match(text, at) is not None:
                return True
            at = text.find(mark, at + 1)
    return False


def identifiers(text: str) -> Iterator[Identifier]:
    """Every code-like name of ``text``: those in code first, then those in running text. Linear."""
    code = code_spans(text)
    for span in code:
        yield from _in_code(text, span)
    if _NEEDLE.search(text) is None:
        return
    claimed = Spans((span.start, span.end) for span in code)
    done = 0
    for needle in _NEEDLE.finditer(text):
        at = needle.start()
        if at < done:
            continue
        if claimed.touches(at, at + 1):
            done = at + 1
            continue
        start, floor = at, max(done, at - _LONGEST)
        while start > floor and text[start - 1] not in _BREAKS:
            start -= 1
        rest = _REST.match(text, at)
        end = rest.end() if rest is not None else at
        done = max(at + 1, end)
        found = _read(text, start, end, in_code=False)
        if found is not None:
            yield found


def _in_code(text: str, span: Code) -> Iterator[Identifier]:
    wanted: frozenset[Kind] | None = None
    is_program = False
    if span.language is not None and span.language not in _CONFIG:
        is_program = span.language not in _SHELL
        wanted = _IN_PROGRAM if is_program else _IN_SHELL
    line_end, by_tool = -1, False
    for token in _TOKEN.finditer(text, span.inner_start, span.inner_end):
        if token.start() > line_end:
            line_end = text.find("\n", token.start(), span.inner_end)
            line_end = span.inner_end if line_end < 0 else line_end
            by_tool = _is_tool(token[0])
        whole = span.language is None and token.span() == (span.inner_start, span.inner_end)
        found = _read(text, *token.span(), in_code=True, alone=whole)
        if found is None or (by_tool and found.kind is Kind.FLAG):
            continue
        if wanted is None or found.kind in wanted or _is_variable(found, text, is_program):
            yield found


def _is_tool(word: str) -> bool:
    return word.lstrip("$ ") in _TOOLS


def _is_variable(found: Identifier, text: str, is_program: bool) -> bool:
    """``GROUNDWATCH_POLICY``; not what the program itself defines."""
    if found.kind is not Kind.SNAKE or not found.name.isupper():
        return False
    return not (is_program and text[found.end : found.end + 3].lstrip()[:1] == "=")


def _read(
    text: str, start: int, end: int, *, in_code: bool, alone: bool = False
) -> Identifier | None:
    """The name in ``text[start:end]``, without the punctuation around it; None when it is none."""
    if _is_templated(text, start, end) or _is_formula_or_emoji(text, start, end):
        return None
    while start < end and text[start] in _LEADING and text[start : start + 2] not in _KEPT:
        start += 1
    while end > start and text[end - 1] in _TRAILING:
        if in_code and text.endswith(":*", start, end):
            break  # logs:*, every right on logs; in running text it may close an emphasis
        end -= 1
    name = text[start:end].replace("\\_", "_").replace("\\-", "-")
    if len(name) < 3 or not name.isascii() or _DIGIT.search(name):
        return None
    if "://" in name or "@" in name or name.startswith("www.") or name.lower() in _KNOWN:
        return None
    if text.startswith("()", end) and _NAME.fullmatch(name):
        return Identifier(Kind.CALL, start, end + 2, name)
    kind = _kind(name, in_code, alone)
    if kind is None or _is_placeholder(name):
        return None
    if kind is Kind.SNAKE:
        name = name.removeprefix("$")  # how a shell reads the variable, not its name
    return Identifier(kind, start, end, name)


def _is_templated(text: str, start: int, end: int) -> bool:
    """``/users/{id}/keys`` and ``<name>``: which name is meant stands open."""
    before = text[start - 1] if start else " "
    after = text[end : end + 1]
    return before in "<{}" or after in ("{", "}") or (after == "<" and text[end - 1] in "/_-.:")


def _is_formula_or_emoji(text: str, start: int, end: int) -> bool:
    """``\\alpha_max`` and ``:white_check_mark:``."""
    if text[start] == "\\":
        return text[start + 1 : start + 2].isalpha()
    return text[start] == ":" == text[end - 1]


def _kind(name: str, in_code: bool, alone: bool) -> Kind | None:
    if name.startswith("--"):
        is_flag = _FLAG.fullmatch(name) and (in_code or name[2:].lower() not in _DASHED_WORDS)
        return Kind.FLAG if is_flag else None
    if "/" in name or "\\" in name:
        return Kind.PATH if _is_path(name, in_code) else None
    if ":" in name:
        return Kind.SCOPE if _is_scope(name) else None
    if "." in name:
        return _dotted(name, in_code)
    if "_" in name:
        return Kind.SNAKE if _is_snake(name) else None
    if not in_code:
        return None
    if _CAMEL.fullmatch(name):
        return Kind.CAMEL
    return Kind.KEBAB if alone and _KEBAB.fullmatch(name) else None


def _is_snake(name: str) -> bool:
    """``max_age``; neither ``Kolleg_innen`` nor a formula's ``x_i``."""
    if _SNAKE.fullmatch(name) is None or (name[0].isupper() and _GENDERED.fullmatch(name)):
        return False
    return max(map(len, name.split("_"))) > 2


def _is_path(name: str, in_code: bool) -> bool:
    if _WINDOWS.fullmatch(name):
        return True
    if _FILE.fullmatch(name):
        return True
    if _ABSOLUTE.fullmatch(name):
        # "39 € /month": one segment alone is a path only in code
        return in_code or name.rstrip("/").count("/") >= 2
    return in_code and _RELATIVE.fullmatch(name) is not None


def _is_scope(name: str) -> bool:
    if _SCOPE.fullmatch(name) is None:
        return False
    parts = name.split(":")
    if parts[0] in _SCHEMES or parts[-1] in ("innen", "rinnen"):
        return False
    return not any(part in _PRONOUNS for part in parts)


def _dotted(name: str, in_code: bool) -> Kind | None:
    file = _FILE.fullmatch(name)
    if file is not None:
        return None if _PRODUCT.fullmatch(name) or len(file["stem"]) < 2 else Kind.PATH
    if _KEY.fullmatch(name) is None:
        return None
    parts = name.split(".")
    if min(map(len, parts)) < 2 or parts[-1].lower() in _DOMAIN_ENDINGS:
        return None
    if in_code or "_" in name.strip("_"):
        return Kind.KEY
    return Kind.KEY if len(parts) > 2 and name.islower() else None


def _is_placeholder(name: str) -> bool:
    if "path/to" in name:
        return True
    parts = re.split(r"[^a-z]+", name.lower())
    return not _PLACEHOLDER_PARTS.isdisjoint(parts)
