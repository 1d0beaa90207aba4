"""How answers cite, as data: one row a form. Nothing here decides whether a citation resolves.

Two tables. A :class:`Mark` is what encloses a citation in the answer (brackets, a tag, a link); it
is tried at the characters in its ``opens``, in the order of the table, and the first that reads
wins; :func:`plain_bracket` comes before them. A :class:`Notation` is how the words between brackets
are written (numbers, a label and a number, refs); it is tried on the *cleaned* words (NFKC, plain
dashes, nothing invisible).

Every pattern is linear: a repetition is bounded, or it stops at a character that it cannot contain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple


class Base(Enum):
    """From where an index counts."""

    POLICY = auto()  # the app's own base, or the chunks' own numbers
    ZERO = auto()  # this form counts from 0 in every system that writes it
    EITHER = auto()  # systems differ, even within one app: in range in either count


class Read(Enum):
    """What a matched mark is read as."""

    SKIP = auto()  # consumed, no citation: code, an image, a footnote definition
    BRACKET = auto()  # group ``body``, by the notations of brackets
    PAREN = auto()  # group ``body``, by the notations of parentheses
    NAMED = auto()  # group ``body`` holds refs or numbers; the form is certainly a citation
    LINK = auto()  # groups ``text`` and ``url``
    URL = auto()  # group ``url``
    INDEX = auto()  # group ``body``: one index
    TURN = auto()  # group ``body``: ids such as turn0search2
    RAISED = auto()  # group ``body``: superscript digits


@dataclass(frozen=True, slots=True)
class Mark:
    name: str
    opens: str
    pattern: re.Pattern[str]
    read: Read
    base: Base = Base.POLICY


_LONGEST_BODY: Final = 300


def plain_bracket(answer: str, start: int) -> int:
    """Where the bracket at ``start`` ends if it is a plain one, the common case; else 0. It is read
    without a pattern, before the marks, none of which is tried then: what follows decides nothing.
    """
    close = answer.find("]", start + 1, start + 2 + _LONGEST_BODY)
    if close <= start + 1 or answer[close + 1 : close + 2] in _GOES_ON:
        return 0
    body = answer[start + 1 : close]
    if body in _TICKS or (start and answer[start - 1] == "!"):
        return 0
    if "[" in body or "\n" in body or "\\" in body:
        return 0
    if not body.isascii() and ("【" in body or "】" in body or "［" in body or "］" in body):
        return 0
    return close + 1


_GOES_ON: Final = frozenset("(:")
_TICKS: Final = frozenset(" xX")
"""What stands in the box of a task."""
_URL = r"https?://[^\s<>\"`|\\^{}\[\]（）【】，。；、]{1,2048}"
_TARGET = r"\(\s*<?(?P<url>[^\s()<>]{0,2048}(?:\([^\s()<>]{0,256}\)[^\s()<>]{0,256}){0,4})>?"
_TARGET += r"(?:\s+\"[^\"\n]{0,256}\")?\s*\)"
_TAGS = r"(?P<tag>cite|citation|inref|ref|reference|source|document|doc|chunk|quelle)"
_NAMES = r"(?:data-)?(?:id|ref|refid|source|doc|document|idx|index|number|n|name|key|chunk)"
_CITE = r"\\(?:no|foot|super|text|paren|auto|full|short|smart)?cite[a-z]{0,8}\*?"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"

MARKS: tuple[Mark, ...] = (
    Mark(
        "fenced_code",
        "`~",
        re.compile(r"(?P<f>```+|(?<![^\n])~~~)[\s\S]*?(?:(?P=f)|\Z)"),
        Read.SKIP,
    ),
    Mark("inline_code", "`", re.compile(r"``[^\n]{1,400}?``(?!`)|`[^`\n]*`"), Read.SKIP),
    Mark("task_box", "[", re.compile(r"(?<=[-*+.)] )\[[ xX]\](?=\s|$)"), Read.SKIP),
    Mark(
        "definition",
        "[",
        re.compile(r"(?:(?<=\n)|(?<=\n[ \t])|(?<=\n {2})|\A)\[\^?[^\[\]\n]{1,100}\]:[ \t][^\n]*"),
        Read.SKIP,
    ),
    Mark("image", "[", re.compile(r"(?<=!)\[[^\[\]\n]{0,300}\]" + _TARGET), Read.SKIP),
    Mark(
        "link_double",  # [[1]](url), Onyx
        "[",
        re.compile(r"\[\[(?P<text>[^\[\]\n]{1,300})\]\]" + _TARGET),
        Read.LINK,
    ),
    Mark("link", "[", re.compile(r"\[(?P<text>[^\[\]\n]{0,300})\]" + _TARGET), Read.LINK),
    Mark(
        "bracket",
        "[［【\\",
        re.compile(r"\\?[\[［【](?P<body>[^\[\]［］【】\n]{1,300}?)\\?[\]］】]"),
        Read.BRACKET,
    ),
    Mark("paren", "(（", re.compile(r"[(（](?P<body>[^()（）\n]{1,600})[)）]"), Read.PAREN),
    Mark(
        "latex",
        "\\",
        re.compile(_CITE + r"(?:\[[^\[\]\n]{0,80}\]){0,2}\{(?P<body>[^{}\n]{0,300})\}"),
        Read.NAMED,
    ),
    Mark("angle_url", "<", re.compile(rf"<(?P<url>{_URL})>"), Read.URL),
    Mark(
        "anchor",  # <a href="url">text</a>
        "<",
        re.compile(
            r"(?i)<a\s[^<>]{0,200}?\bhref\s*=\s*[\"'](?P<url>[^\"'<>]{1,2048})[\"'][^<>]{0,200}>(?P<text>)"
        ),
        Read.LINK,
    ),
    Mark(
        "tag_attribute",  # <inref id="x"/>, <cite id="x">, <ref name=x />
        "<",
        re.compile(
            rf"(?i)<{_TAGS}\s[^<>]{{0,100}}?\b{_NAMES}\s*=\s*(?:\"(?P<body>[^\"<>]{{0,300}})\""
            r"|'(?P<single>[^'<>]{0,300})'|(?P<bare>[^\s\"'<>/]{1,300}))[^<>]{0,100}>"
            r"(?:\s{0,4}</(?P=tag)>)?"
        ),
        Read.NAMED,
    ),
    Mark(
        "tag",  # <cite>x</cite>
        "<",
        re.compile(rf"(?i)<{_TAGS}>(?P<body>[^<>\n]{{0,300}})</(?P=tag)>"),
        Read.NAMED,
    ),
    Mark(
        "cohere_tag", "<", re.compile(r"<co:\s?(?P<body>[\d,\s]{1,60})>"), Read.NAMED, Base.EITHER
    ),
    Mark(
        "superscript_tag",
        "<",
        re.compile(r"(?i)<sup>\[?(?P<body>[\d,;\s–-]{1,40})\]?</sup>"),
        Read.RAISED,
    ),
    Mark("token", "<", re.compile(r"<\|(?P<body>[^|<>\n]{1,300})\|>"), Read.BRACKET),
    Mark(
        "superscript",
        _RAISED,
        re.compile(rf"(?P<body>[{_RAISED}]{{1,3}}(?:[,⁻ ʼ˒]{{1,2}}[{_RAISED}]{{1,3}}){{0,20}})"),
        Read.RAISED,
    ),
    Mark("hash_index", "#", re.compile(r"##(?P<body>\d{1,4})\$\$"), Read.INDEX, Base.ZERO),
    Mark(
        "placeholder",  # {{source:3}}
        "{",
        re.compile(r"\{\{\s?(?:source|citation|ref)\s?:\s?(?P<body>[^{}\n]{1,300}?)\s?\}\}"),
        Read.NAMED,
        Base.EITHER,
    ),
    Mark(
        "turn",  # ChatGPT's private-use marks around turn-scoped ids
        "\ue200",
        re.compile("\ue200(?:file)?cite(?P<body>[^\ue200\ue201\n]{1,600})\ue201"),
        Read.TURN,
    ),
)


@dataclass(frozen=True, slots=True)
class Notation:
    """``sure``: a ref in it is a citation even if it looks like no retrieved ref."""

    name: str
    pattern: re.Pattern[str]
    base: Base = Base.POLICY
    sure: bool = False
    parens: bool = False  # read in parentheses as well as in brackets


_WORD = r"[^\W\d_]+"
_N = r"\d{1,6}(?:\s?(?:-|\.\.\.?|~|to|bis|à)\s?\d{1,6})?"
_AND = r"\s?(?:[,;、&|]|\b(?:and|und|et|y|e)\b)\s?"
_NUMBERS = rf"(?P<numbers>{_N}(?:{_AND}#?{_N}){{0,200}})"
_LOCATOR = (
    r"(?:pp?|ss?|seiten?|pages?|p[áa]gs?|p[áa]ginas?|abs|absatz|abschnitt|abschn|kap|kapitel|ch|chap"
    r"|chapter|chapitre|cap|sec|sect|section|zeilen?|lines?|tab|table|tabelle|fig|abb|art|rn|rz|ff?"
    r"|slide|folie|para|par|z|vol|bd|chunk|at|第)(?=[\s.:\d])\.?:?|§|¶|第|頁"
)
LOCATOR = re.compile(rf"(?i)^(?:{_LOCATOR})\s?")
"""Where in the source: a page, a section. It belongs to the member before it and is no source."""

NOTATIONS: Final[tuple[Notation, ...]] = (
    # 1 · 1, 3 · 1;2 · 2-4 · #3; then, after a page, only pages: 1, p. 6-7
    Notation(
        "numeric", re.compile(rf"(?i)#?{_NUMBERS}(?P<tail>\s?[,;:|]?\s?(?:{_LOCATOR}).{{0,200}})?")
    ),
    Notation("footnote", re.compile(r"\^\s?(?P<refs>[^\s^].{0,300})"), sure=True),
    # 4:0†source · 1†L3-L5 · 2†Quelle
    Notation(
        "dagger", re.compile(r"(?:(?P<turn>\d{1,4})[:.])?(?P<index>\d{1,4})?†(?P<name>.{0,300})")
    ),
    Notation("pandoc", re.compile(r"-?(?P<refs>@[^\s@].{0,300})"), sure=True),
    # DeepSeek: within one answer, citation counts from 1 and reference from 0
    Notation("reference_zero", re.compile(r"reference:(?P<numbers>\d{1,4})"), Base.ZERO),
    Notation("dotted", re.compile(r"\d{1,4}\.(?P<numbers>\d{1,4}) source"), Base.EITHER),
    Notation(
        "labelled",
        re.compile(
            rf"(?P<label>{_WORD}(?:[ _](?:ids?|results?|no|nr|number|nummer))?)"
            r"(?P<sign>\s?[:=#._-]?\s?#?)(?P<rest>\S.{0,600})?",
        ),
        parens=True,
    ),
    Notation(
        "author_year",
        re.compile(
            r"(?P<author>[^\W\d_][^\d,;]{1,80}?)\s?,?\s\(?(?P<year>(?:1[5-9]|20)\d\d)[a-z]?\)?"
            r"(?:\s?[,:]\s?[^;]{1,40})?(?:;.{1,300})?"
        ),
        parens=True,
    ),
    Notation("ref", re.compile(r"(?P<refs>.+)"), parens=True),
)

NOTATIONS_BY_NAME = {notation.name: notation for notation in NOTATIONS}
LABELLED_NUMBERS = re.compile(
    rf"(?i)#?{_NUMBERS}(?:\s?[,;:|(-]\s?[^\s\d].{{0,300}}|\s?(?P<prose>[^\s\d,;:|(-].{{0,300}}))?"
)
EACH_LABELLED = re.compile(
    r"\s?(?:[,;|、&]|\b(?:and|und|et|y)\b)\s?"
    r"(?=[^\W\d_]{2,24}[ _]?[:#.]?[ _]?\d{1,3}(?:$|[\s,;|、&]))"
)
NUMBER_OR_RANGE = re.compile(r"(\d+)(?:\s?(?:-|\.\.\.?|~|to|bis|à)\s?(\d+))?")
MEMBERS = re.compile(r"\s?[,;|、]\s?|\s(?:and|und|et|y|&)\s")
LEAD_IN = re.compile(
    r"(?i)^(?:see(?: also)?|siehe(?: auch)?|vgl\.?|cf\.?|voir|véase|ver|nach|laut|from|aus|per"
    r"|according to|e\.g\.|z\. ?b\.)\s+"
)


class Label(NamedTuple):
    """``parens``: strong enough to make a citation of a parenthesis: (source 3). ``names``: a ref
    may follow it, and whatever follows is meant as one. ``numbers_things``: customers, orders and
    tickets have one too."""

    base: Base = Base.POLICY
    parens: bool = False
    names: bool = False
    numbers_things: bool = False


_SOURCE = Label(parens=True, names=True)
_PLACE = Label()
LABELS: dict[str, Label] = {
    **dict.fromkeys(
        (
            "source sources src quelle quellen fuente fuentes fonte fonti fontes bron bronnen "
            "źródło źródła kaynak источник источники nguồn sumber zdroj källa kilde lähde sursa "
            "forrás 출처 来源 來源 出处 出處 出典 引用元 引用 ソース المصدر مصدر"
        ).split(),
        _SOURCE,
    ),
    **dict.fromkeys(
        (
            "citation citations cite zitat beleg belege nachweis nachweise fundstelle référence "
            "références referencias riferimento references refs 参考 参考资料 参考文献 资料 資料"
        ).split(),
        _SOURCE,
    ),
    **dict.fromkeys(
        "reference referencia referência referenz referenzen ref".split(),
        Label(parens=True, names=True, numbers_things=True),
    ),
    **dict.fromkeys(
        (
            "doc docs document documents dokument dokumente documento documentos documenti "
            "文档 文件 文書 ドキュメント документ"
        ).split(),
        Label(parens=True),
    ),
    **dict.fromkeys("id ids".split(), Label(Base.EITHER, parens=True, numbers_things=True)),
    **dict.fromkeys(
        "context contexts kontext contexte contexto contesto".split(), Label(Base.EITHER)
    ),
    **dict.fromkeys(
        (
            "passage passages chunk chunks excerpt excerpts snippet snippets textstelle auszug "
            "extrait fragment fragmento file files datei dateien fichier archivo note footnote "
            "fußnote fussnote result results ergebnis treffer suchergebnis node "
            "kontextabschnitt textabschnitt"
        ).split(),
        _PLACE,
    ),
    **dict.fromkeys(
        "chunk_id doc_id document_id source_id node_id ref_id file_id chunk_ids doc_ids c".split(),
        Label(Base.EITHER, parens=False, names=True),
    ),
}
"""Words that make a citation of the number (and, with ``names``, of the ref) after them."""

SOURCE_WORDS = frozenset(word for word, label in LABELS.items() if label.parens and label.names)
SOURCE_ENDINGS = tuple(sorted(SOURCE_WORDS))
LAST_OF_SOURCE: Final = frozenset(word[-2:] for word in SOURCE_WORDS)
"""What such a word ends in; nearly all others do not."""
LABEL_BEFORE_COLON = re.compile(r"([^\W\d_]{2,24})[*_]{0,2}\s?$")
REFS_AFTER_COLON = re.compile(
    r"[*_ \t]{0,4}([^\s,;()<>\[\]【】（）`]{1,300}(?:[,;]\s?[^\s,;()<>\[\]【】（）`]{1,300}){0,20})"
)
BARE_URL = re.compile(_URL)
TURN_ID = re.compile(r"turn\d{1,4}[a-z]{1,16}(\d{1,4})")
PLAIN_TURNS = re.compile(r"\bcite(?P<body>(?:turn\d{1,4}[a-z]{1,16}?\d{1,4})+)")
DEFINITION = re.compile(r"(?m)^[ \t]{0,3}\[(\^?[^\[\]\n]{1,100})\]:[ \t]+([^\n]{1,2048})")

_OPENERS: Final = "".join(sorted({c for mark in MARKS for c in mark.opens} | {":", "："}))
_ASCII_OPENERS: Final = "".join(filter(str.isascii, _OPENERS))


def openers(answer: str) -> list[int]:
    """Where a citation may begin, in order; a mark or the word before a colon then decides. Looked
    for by one character at a time: that is far faster than a search for any of them."""
    found: list[int] = []
    for char in _ASCII_OPENERS if answer.isascii() else _OPENERS:
        at = answer.find(char)
        while at >= 0:
            found.append(at)
            at = answer.find(char, at + 1)
    found.sort()
    return found


MARKS_AT: Final[dict[str, tuple[Mark, ...]]] = {
    opener: tuple(mark for mark in MARKS if opener in mark.opens)
    for opener in sorted({c for mark in MARKS for c in mark.opens})
}

FORM_NAMES = frozenset(
    {mark.name for mark in MARKS if mark.read not in (Read.SKIP, Read.BRACKET, Read.PAREN)}
    | {notation.name for notation in NOTATIONS}
    | {"bare_url", "label_line", "structured"}
)
"""What ``policy.citations.forms`` may list."""
