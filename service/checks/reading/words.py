"""Number words: German compounds, English, French and Spanish sequences, CJK and Roman numerals."""

# ruff: noqa: E501 (a row of a table is a line)

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from service.checks.reading.folding import plain

CARDINAL, ORDINAL, FRACTION, MULTIPLE, SCALE, ARTICLE = (
    "cardinal",
    "ordinal",
    "fraction",
    "multiple",
    "scale",
    "article",
)


class WordNumber(NamedTuple):
    """What one word says. ``unit``: canonical unit name that the word carries (zehnfach, Viertelstunde)."""

    value: float
    kind: str
    unit: str = ""


_CARDINALS: dict[str, int] = {}
for _line in (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis "
    "veintisiete veintiocho veintinueve",
    "null eins zwei drei vier fuenf sechs sieben acht neun zehn elf zwoelf dreizehn vierzehn fuenfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
):
    _CARDINALS |= {word: value for value, word in enumerate(_line.split())}
for _line in (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "vingt trente quarante cinquante soixante septante huitante nonante",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "zwanzig dreissig vierzig fuenfzig sechzig siebzig achtzig neunzig",
):
    _CARDINALS |= {word: 10 * tens for tens, word in enumerate(_line.split(), start=2)}
_CARDINALS |= {"vingts": 20, "zwo": 2, "fourty": 40, "octante": 80}
_CARDINALS |= {"doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500}
_CARDINALS |= {"seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900}
_CARDINALS |= {"veintiun": 21, "veintiuna": 21}
_CARDINALS |= {
    f"{word[:-2]}as": value for word, value in _CARDINALS.items() if word.endswith("ientos")
}

_SCALES = {
    "hundred": 100, "cent": 100, "cents": 100, "cien": 100, "ciento": 100, "hundreds": 100,
    "dozen": 12, "dutzend": 12, "douzaine": 12, "docena": 12,
    "thousand": 1e3, "mille": 1e3, "mil": 1e3, "tausend": 1e3, "lakh": 1e5,
    "million": 1e6, "millions": 1e6, "millionen": 1e6, "millon": 1e6, "millones": 1e6, "crore": 1e7,
    "billion": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9,
}  # fmt: skip
_BARE_SCALES = frozenset({"hundred", "dozen", "dutzend", "douzaine", "docena", "thousand", "cien", "ciento", "cent", "mil", "mille",
                          "million", "milliarde", "billion", "millon", "tausend", "milliard", "lakh", "crore"})  # fmt: skip

_ORDINALS: dict[str, int] = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fifth": 5,
    "eighth": 8,
    "ninth": 9,
    "twelfth": 12,
}
_ORDINALS |= {
    "premier": 1,
    "premiere": 1,
    "deuxieme": 2,
    "troisieme": 3,
    "quatrieme": 4,
    "cinquieme": 5,
}
_ORDINALS |= {
    "sixieme": 6,
    "septieme": 7,
    "huitieme": 8,
    "neuvieme": 9,
    "dixieme": 10,
    "onzieme": 11,
    "douzieme": 12,
}
_ORDINALS |= {
    "primer": 1,
    "primera": 1,
    "primero": 1,
    "segunda": 2,
    "tercer": 3,
    "tercera": 3,
    "tercero": 3,
}
_ORDINALS |= {
    "cuarta": 4,
    "cuarto": 4,
    "quinto": 5,
    "quinta": 5,
    "sexto": 6,
    "septimo": 7,
    "octavo": 8,
    "noveno": 9,
    "decimo": 10,
}
_ORDINALS |= {
    f"{stem}th": value
    for stem, value in _CARDINALS.items()
    if value in (4, 6, 7, 10, 11) or 13 <= value < 20
}
_ORDINALS |= {
    f"{stem[:-1]}ieth": value
    for stem, value in _CARDINALS.items()
    if stem.endswith("ty") and value >= 20
}

_ORDINALS |= {
    f"{stem.removesuffix('e')}ieme": _CARDINALS[stem]
    for stem in "un treize quatorze quinze seize vingt trente quarante cinquante soixante".split()
    if stem in _CARDINALS
}

_FRACTIONS: dict[str, float] = {
    "half": 0.5, "halves": 0.5, "quarter": 0.25, "quarters": 0.25, "thirds": 1 / 3, "fifths": 0.2,
    "halb": 0.5, "halbe": 0.5, "halben": 0.5, "halbes": 0.5, "halber": 0.5, "haelfte": 0.5, "viertel": 0.25,
    "drittel": 1 / 3, "fuenftel": 0.2, "zehntel": 0.1, "achtel": 0.125, "sechstel": 1 / 6,
    "demi": 0.5, "demie": 0.5, "moitie": 0.5, "quart": 0.25, "quarts": 0.25, "tiers": 1 / 3,
    "medio": 0.5, "media": 0.5, "mitad": 0.5, "cuartos": 0.25, "tercio": 1 / 3, "tercios": 1 / 3,
    "anderthalb": 1.5, "dreiviertel": 0.75, "eineinhalb": 1.5,
}  # fmt: skip

_MULTIPLES = {"twice": 2, "double": 2, "doubled": 2, "doubles": 2, "triple": 3, "tripled": 3, "thrice": 3, "doppelt": 2,
              "doppelte": 2, "doppelten": 2, "verdoppelt": 2, "verdreifacht": 3, "doble": 2, "quadruple": 4}  # fmt: skip

_SPECIAL = {
    "viertelstunde": WordNumber(15, CARDINAL, "min"),
    "dreiviertelstunde": WordNumber(45, CARDINAL, "min"),
    "halbstunde": WordNumber(30, CARDINAL, "min"),
    "quinzaine": WordNumber(15, CARDINAL),
    "fortnight": WordNumber(14, CARDINAL, "d"),
}
_SPECIAL |= {f"halbjahr{ending}": WordNumber(6, CARDINAL, "mo") for ending in ("", "s", "es")}
_SPECIAL |= {f"vierteljahr{ending}": WordNumber(3, CARDINAL, "mo") for ending in ("", "s", "es")}
_ARTICLES = frozenset({"one", "eins", "un", "une", "uno", "una", "ein", "eine", "einen", "einem", "einer", "eines", "a", "an"})  # fmt: skip

_GERMAN_UNITS = (
    ("prozentig", "%"), ("stuendig", "h"), ("taegig", "d"), ("woechig", "wk"), ("monatig", "mo"),
    ("jaehrig", "a"), ("minuetig", "min"), ("fach", "x"), ("mal", "x"), ("fold", "x"),
)  # fmt: skip
_PARTS_MORE = {"einhalb": 0.5, "einviertel": 0.25, "dreiviertel": 0.75}
_ADJECTIVE = re.compile(r"(?:e[nrsm]?)?$")
_GERMAN_ORDINAL = re.compile(r"^(.+?)(?:st|t)(?:e[nrsm]?)$")
_GERMAN_IRREGULAR = {"erste": 1, "ersten": 1, "erster": 1, "erstes": 1, "dritte": 3, "dritten": 3, "dritter": 3,
                     "drittes": 3, "siebte": 7, "siebten": 7, "siebter": 7, "achte": 8, "achten": 8, "achter": 8}  # fmt: skip


def _german_below_hundred(word: str) -> int | None:
    value = _CARDINALS.get(word)
    if value is not None and value < 100:
        return value
    if word == "ein":
        return 1
    ones, joint, tens = word.partition("und")
    if joint and tens in _CARDINALS and _CARDINALS[tens] >= 20:
        small = 1 if ones == "ein" else _CARDINALS.get(ones, 99)
        if small < 10:
            return _CARDINALS[tens] + small
    return None


def _german_below_thousand(word: str) -> int | None:
    left, joint, right = word.partition("hundert")
    if not joint:
        return _german_below_hundred(word)
    hundreds = _german_below_hundred(left) if left else 1
    rest = _german_below_hundred(right.removeprefix("und")) if right else 0
    return None if hundreds is None or rest is None else hundreds * 100 + rest


def _german(word: str) -> int | None:
    left, joint, right = word.partition("tausend")
    if not joint:
        return _german_below_thousand(word)
    thousands = _german_below_thousand(left) if left else 1
    rest = _german_below_thousand(right.removeprefix("und")) if right else 0
    return None if thousands is None or rest is None else thousands * 1000 + rest


_ITALIAN_ONES = {word: value for value, word in enumerate(
    "uno due tre quattro cinque sei sette otto nove".split(), start=1)}  # fmt: skip
_ITALIAN_TEENS = {word: value for value, word in enumerate(
    "dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove".split(),
    start=10)}  # fmt: skip
_ITALIAN_TENS = {word: 10 * tens for tens, word in enumerate(
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split(), start=2)}  # fmt: skip


def _italian_numbers() -> dict[str, int]:
    """Up to 999, but for what is something else elsewhere: due, sei, Otto, Novecento, Venti."""
    below = {**_ITALIAN_TEENS, **_ITALIAN_TENS}
    for word, tens in _ITALIAN_TENS.items():
        for one, value in _ITALIAN_ONES.items():
            # ventuno, ventotto
            below[(word[:-1] if one[0] in "uo" else word) + one] = tens + value
    found = {word: value for word, value in below.items() if word not in _ELSEWHERE}
    for hundreds, word in enumerate(("", *_ITALIAN_ONES)):
        if word != "uno":
            for rest, value in (*_ITALIAN_ONES.items(), *below.items()):
                found[f"{word}cento{rest}"] = 100 * max(1, hundreds) + value
    return found


_ELSEWHERE = frozenset({"dieci", "venti", "trenta"})
_ITALIAN = _italian_numbers()
_ITALIAN_ANY = {**_ITALIAN_ONES, **_ITALIAN_TEENS, **_ITALIAN_TENS, **_ITALIAN, "cento": 100}
_ITALIAN_ANY |= {f"{word}cento": 100 * value for word, value in _ITALIAN_ONES.items() if value > 1}


def _italian(word: str) -> int | None:
    """``centoventotto``, ``duemila``, ``milleduecento``."""
    known = _ITALIAN.get(word)
    if known is not None:
        return known
    left, joint, right = word.partition("mila")
    if joint and left in _ITALIAN_ANY:
        thousands = _ITALIAN_ANY[left]
    elif word.startswith("mille") and len(word) > len("mille"):
        thousands, right = 1, word.removeprefix("mille")
    else:
        return None
    rest = _ITALIAN_ANY.get(right) if right else 0
    return None if rest is None else 1000 * thousands + rest


_OF_SO_MANY = re.compile(r"^(.+)er(?:karten?|pack|packs|packung|set|gruppen?|block|team|reihe)$")


def _compound(word: str) -> WordNumber | None:
    """Words that are built, not listed: zweieinhalb, zehnfach, dreimonatig, zwanzigste, tenfold."""
    with_part = _with_part(word)
    if with_part is not None:
        return WordNumber(with_part, FRACTION)
    so_many = _OF_SO_MANY.match(word)
    if so_many is not None and (value := _german(so_many.group(1))) is not None:
        return WordNumber(value, CARDINAL)
    bare = word
    for suffix, unit in _GERMAN_UNITS:
        at = word.rfind(suffix)
        if at > 0 and _ADJECTIVE.fullmatch(word, at + len(suffix)):
            counted: float | None = _german(word[:at])
            if counted is None:
                counted = _CARDINALS.get(word[:at])
            if counted is None:
                counted = _with_part(word[:at])
            if counted is None or (counted == 1 and unit == "x"):
                return None  # einfach is no multiple
            return WordNumber(counted, MULTIPLE if unit == "x" else CARDINAL, unit)
    if word in _GERMAN_IRREGULAR:
        return WordNumber(_GERMAN_IRREGULAR[word], ORDINAL)
    ordinal = _GERMAN_ORDINAL.match(bare)
    if ordinal is not None:
        value = _german(ordinal.group(1))
        if value is not None and value > 1:
            return WordNumber(value, ORDINAL)
    value = _german(word)
    return None if value is None or value == 1 else WordNumber(value, CARDINAL)


def _with_part(word: str) -> float | None:
    """``zweieinhalb``, ``eineinviertel``, ``anderthalb``: a whole number and a part."""
    if word == "anderthalb":
        return 1.5
    for ending, part in _PARTS_MORE.items():
        if word.endswith(ending):
            whole = _german(word.removesuffix(ending))
            return None if not whole else whole + part
    return None


def _parse(word: str) -> WordNumber | None:
    if len(word) > 80:
        return None
    low = plain(word)
    if low in _SPECIAL:
        return _SPECIAL[low]
    if low in _ARTICLES:
        return WordNumber(1, ARTICLE)
    if low in _CARDINALS:
        return WordNumber(_CARDINALS[low], CARDINAL)
    if low in _SCALES:
        return WordNumber(_SCALES[low], SCALE)
    if low in _FRACTIONS:
        return WordNumber(_FRACTIONS[low], FRACTION)
    if low in _ORDINALS:
        return WordNumber(_ORDINALS[low], ORDINAL)
    if low in _MULTIPLES:
        return WordNumber(_MULTIPLES[low], MULTIPLE, "x")
    italian = _italian(low)
    return _compound(low) if italian is None else WordNumber(italian, CARDINAL)


_MEMO: dict[str, WordNumber | None] = {}
_MEMO_LIMIT = 50_000
_LONGEST_MEMO = 40


def number_word(word: str) -> WordNumber | None:
    """What a lower-case word says as a number, or None. Remembered, within a bound."""
    try:
        return _MEMO[word]
    except KeyError:
        pass
    found = _parse(word)
    if len(word) <= _LONGEST_MEMO:
        if len(_MEMO) >= _MEMO_LIMIT:
            _MEMO.clear()
        _MEMO[word] = found
    return found


class Joined(NamedTuple):
    """A number out of consecutive words: how many words it took."""

    value: float
    kind: str
    unit: str
    taken: int


JOINTS = frozenset({"and", "et", "y", "a", "an", "und"})
LAST_ONES = frozenset({"one", "eins", "un", "une", "uno", "una"})
"""Behind a thousand these say one more: two thousand and one, mille un."""


class _Group(NamedTuple):
    """What was said up to a thousand, a million …: ``amount`` is worth ``scale`` times as much."""

    scale: float
    amount: float


def join(words: Sequence[str], links: Sequence[str]) -> Joined | None:
    """The number that ``words`` begin with. ``links[i]`` stands between word i and i + 1.

    ``words`` are lower-case; a joint ("two hundred and five") is a word of its own.
    """
    groups: list[_Group] = []
    current = 0.0
    taken, last_scale, since_joint = 0, False, False
    whole: Joined | None = None  # what stood before the last joint, or up to the last scale
    index = 0
    while index < len(words):
        word = words[index]
        found = number_word(word)
        if index and links[index - 1] not in (" ", "-", "\n"):
            break
        if taken and word in JOINTS and (found is None or found.kind == ARTICLE):
            whole = Joined(_sum(groups, current), CARDINAL, "", taken)
            since_joint = True
            index += 1
            continue
        if found is None or found.unit:
            if found is not None and not taken:
                return Joined(found.value, found.kind, found.unit, 1)
            break
        if found.kind == ARTICLE:
            if not taken or not (
                _follows(current, found.value)
                or (groups and not current and _is_one_more(words, links, index, taken, groups))
            ):
                break
        if found.kind == FRACTION:
            total = _sum(groups, current)
            value = _fraction(total, taken, found.value, words[taken:index])
            return _of_dozens(value, words, links, index + 1)
        if found.kind == SCALE:
            if not taken and word not in _BARE_SCALES and plain(word) not in _BARE_SCALES:
                break
            if found.value <= 100:
                if current > 100 and whole is not None:
                    return whole  # between one hundred and two hundred
                current = max(current, 1) * found.value
            else:
                scaled = _scaled(groups, current, found.value, since_joint)
                if not scaled and whole is not None:
                    return whole  # between one million and two million
                current, since_joint = 0.0, False
                whole = Joined(_sum(groups, current), CARDINAL, "", index + 1)
            last_scale = True
        elif found.kind == ORDINAL:
            if taken and (
                found.value == 2
                or not (_follows(current, found.value) or _is_after_ten(words, index, found.value))
            ):
                break
            if taken and index != taken and not (found.value == 1 and words[taken] == "et"):
                break
            return Joined(_sum(groups, current) + found.value, ORDINAL, "", index + 1)
        elif found.kind == MULTIPLE:
            break
        else:
            if taken and index != taken and not (last_scale or 20 <= current % 100):
                break
            if _is_after_ten(words, index, found.value) and current % 10 == 0:
                current += found.value
            else:
                merged = _merge(
                    bool(groups), current, found.value, first=taken == 0, scaled=last_scale
                )
                if merged is None:
                    break
                current = merged
            last_scale = False
        index += 1
        taken = index
    return Joined(_sum(groups, current), CARDINAL, "", taken) if taken else None


def _sum(groups: list[_Group], current: float) -> float:
    return sum([group.amount for group in groups]) + current


def _scaled(groups: list[_Group], current: float, scale: float, since_joint: bool) -> bool:
    """Close a group: what is worth less than its ``scale`` counts it (mil quinientos millones).

    False when another number begins (two million and three million). ``since_joint``: a joint
    stands behind the last group.
    """
    amount = current
    if groups and (groups[-1].scale == scale or (groups[-1].scale < scale and since_joint)):
        return False
    while groups and groups[-1].scale < scale:
        amount += groups.pop().amount
    groups.append(_Group(scale, max(amount, 1) * scale))
    return True


def _is_one_more(
    words: Sequence[str], links: Sequence[str], index: int, taken: int, groups: list[_Group]
) -> bool:
    """Whether the "one" at ``index`` goes on behind a thousand: two thousand one hundred."""
    after = number_word(words[index + 1]) if index + 1 < len(words) else None
    if after is not None and after.kind == SCALE and links[index] in (" ", "-", "\n"):
        return index == taken and after.value < groups[-1].scale
    return words[index] in LAST_ONES


def _is_after_ten(words: Sequence[str], index: int, value: float) -> bool:
    """``dix-sept``, ``dix-huitième``: only French counts on from ten."""
    return index > 0 and 7 <= value <= 9 and words[index - 1] == "dix"


def _follows(current: float, value: float) -> bool:
    last = current % 100
    return (
        (last == 0 and current > 0)
        or (last % 10 == 0 and last >= 20 and value < 10)
        or (last in (60, 80) and value < 20)
    )


def _merge(
    grouped: bool, current: float, value: float, *, first: bool, scaled: bool
) -> float | None:
    if first or (current == 0 and grouped):
        return value
    if current % 100 == 4 and value == 20:
        return current - 4 + 80
    if _follows(current, value) and (current % 100 or value < 100):
        return current + value
    if scaled and value < 100 and current % 100 == 0:
        return current + value
    if not grouped and 13 <= current <= 20 and 10 <= value < 100:
        return current * 100 + value
    return None


def _of_dozens(value: float, words: Sequence[str], links: Sequence[str], index: int) -> Joined:
    """``half a dozen``, ``anderthalb Dutzend``: what ends at ``index`` counts dozens, or none."""
    at = index + 1 if index < len(words) and words[index] in ("a", "of") else index
    dozen = number_word(words[at]) if at < len(words) else None
    if dozen is None or dozen.kind != SCALE or dozen.value != 12:
        return Joined(value, FRACTION, "", index)
    if any(link not in (" ", "-", "\n") for link in links[index - 1 : at]):
        return Joined(value, FRACTION, "", index)
    return Joined(value * dozen.value, CARDINAL, "", at + 1)


def _fraction(whole: float, taken: int, part: float, between: Sequence[str]) -> float:
    if not taken:
        return part
    if between:
        return whole + part
    return whole * part


_CJK_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7,
               "八": 8, "九": 9}  # fmt: skip
_CJK_SMALL = {"十": 10, "百": 100, "千": 1000}
_CJK_LARGE = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
CJK_NUMERALS = "".join((*_CJK_DIGITS, *_CJK_SMALL, *_CJK_LARGE))


def cjk(run: str) -> float | None:
    """The value of CJK numerals (``三十``, ``二〇二六``, ``一亿二千万``); None if they are none."""
    if len(run) > 24:
        return None
    if all(char in _CJK_DIGITS for char in run):
        return float("".join(str(_CJK_DIGITS[char]) for char in run))
    total = section = digit = 0
    for char in run:
        if char in _CJK_DIGITS:
            digit = _CJK_DIGITS[char]
        elif char in _CJK_SMALL:
            section += (digit or 1) * _CJK_SMALL[char]
            digit = 0
        else:
            total += ((section + digit) or 1) * _CJK_LARGE[char]
            section = digit = 0
    return float(total + section + digit)


_ROMAN = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman(numeral: str) -> int | None:
    """The value of a well-formed Roman numeral in capitals."""
    if not numeral or not _ROMAN.fullmatch(numeral):
        return None
    values = [_ROMAN_DIGITS[char] for char in numeral]
    return sum(-v if v < after else v for v, after in zip(values, [*values[1:], 0], strict=True))
