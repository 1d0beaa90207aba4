"""Words beside a number that change what it says: a loss, a rounding, a counted thing."""

from __future__ import annotations

import re

from service.checks.reading.quantities import Quantity

# stems (open at the end) and whole words that say a value goes down or is below zero
_LOSS_STEMS = (
    "loss lost lose negativ verlust fehlbetrag defizit deficit déficit perte pérdida fall fell "
    "drop declin decreas "
    "reduc shrank shrink sank sink gesunken rückgang gefallen abzüglich kälte frost baiss "
    "recul dimin inférieur cayó rabatt nachlass discount descuento remise sconto desconto zniżk "
    "bajó caída descen"
).split()
_LOSS_WORDS = (
    "minus|moins|menos|down|cut|below zero|below freezing|degrees below|unter null|bajo cero|"
    "unter dem gefrierpunkt|au-dessous de zéro|sous zéro"
)
_LESS_AFTER = re.compile(
    r"(?i)[^.,;:!?\n\d]{0,16}"
    r"\b(?:less|lower|fewer|down|below|off|discount|rebate|cheaper|lighter|weniger|niedriger"
    r"|unter null|rabatt|nachlass|ermäßigung|günstiger|billiger|leichter|zurück|menos|bajo"
    r"|descuento|rebaja|remise|réduction|sconto|desconto|korting|zniżki)\b"
)
_LOSS_CJK = "亏损 下降 减少 零下 赤字 減少 マイナス 氷点下".split()
_LOSS = re.compile(rf"(?i)(?:{'|'.join(_LOSS_STEMS)})|\b(?:{_LOSS_WORDS})\b|{'|'.join(_LOSS_CJK)}")

_ARTICLES = "the a an de den die der un une".split()
_ARTICLE = rf"[ (*]*(?:{'|'.join(f'{word} ' for word in _ARTICLES)})?[€$£]?$"


_ASCII_WORD = re.compile(r"[a-z]+")
_LAST_WORDS: set[str] = set()
"""Each mark in ASCII ends in one of them, if not in a sign; an article may follow, glued or not."""


def _marks(words: str) -> re.Pattern[str]:
    for mark in words.split("|"):
        for last in _ASCII_WORD.findall(mark)[-1:]:
            _LAST_WORDS.update(last + article for article in ("", *_ARTICLES))
    return re.compile(rf"(?i)(?:(?<![^\W\d_])(?:{words})){_ARTICLE}")


_ABOUT = _marks(
    r"about|around|approximately|approx\.?|roughly|circa|ca\.?|c\.|some|rund|etwa|ungefähr|"
    r"zirka|gut|environ|"
    r"à peu près|autour de|quelque|unos|unas|alrededor de|aproximadamente|cerca de|≈|~|±|约|約|"
    r"大约|およそ|ほぼ|"
    r"estimated|an average of|average of"
)
_OVER = _marks(
    r"over|more than|above|upwards of|at least|über|mehr als|mindestens|plus de|plus d'|más de|"
    r"超过|超過|exceeding|"
    r"exceeds"
)
_ALMOST = _marks(
    r"almost|nearly|close to|fast|knapp|beinahe|nahezu|presque|"
    r"près de|casi|近|将近"
)

_MOST_OFF = 0.2
"""Share of a value that a rounding may be off: "about 2,000" is not 1,500."""
_OPEN = 1 - 1e-9
_CLOSED = 1 + 1e-9

_CONNECTIVES = (
    "and or to of in on at for from per by with the is was as than off each out up more less "
    "about und oder bis von "
    "pro je im in am an auf für mit das die der ist aus ab mehr weniger netto brutto zzgl inkl "
    "et ou par à de du des "
    "le la les en sur pour y o por el los las a al con"
).split()
_COUNTED = re.compile(rf"[ -](?!(?:{'|'.join(_CONNECTIVES)})\b)[^\W\d_]{{3,}}")


def says_loss(text: str, quantity: Quantity) -> bool:
    """Whether the words around a number say that it is below zero or taken off."""
    start, end = max(0, quantity.start - 80), min(len(text), quantity.end + 30)
    return (
        _LOSS.search(text, start, end) is not None
        or _LESS_AFTER.match(text, quantity.end) is not None
    )


def counts_something(text: str, quantity: Quantity) -> bool:
    """Whether a number without a unit counts what the next word names (``14 Plätze``)."""
    return _COUNTED.match(text, quantity.end) is not None


def tolerance(text: str, quantity: Quantity) -> tuple[float, float] | None:
    """The values that a number marked as rounded may stand for; None when it is not marked."""
    before = text[max(0, quantity.start - 30) : quantity.start]
    if before.isascii() and "~" not in before:
        # nearly always: three searches for marks that end where the number begins are dear
        if _LAST_WORDS.isdisjoint(_ASCII_WORD.findall(before.lower())[-2:]):
            return None
    value, step = quantity.values[0], shown_step(quantity)
    if _ABOUT.search(before):
        half = min(step / 2, max(abs(value) * _MOST_OFF, quantity.step / 2))
        half *= _CLOSED  # 2.65 is about 2.7, whatever 2.7 - 0.05 is in binary
        return value - half, value + half
    # what is over 14 is not yet 15: the far end is open
    if _OVER.search(before):
        return value, value + step * _OPEN
    if _ALMOST.search(before):
        return value - min(step, max(abs(value) * _MOST_OFF, quantity.step)) * _OPEN, value
    return None


def shown_step(quantity: Quantity) -> float:
    """Worth of the last digit that carries something: 100 for 1,200, 0.01 for 3.14."""
    value, step = quantity.values[0], quantity.step or 1.0
    if step < 1.0 or value == 0:
        return step
    while value % (step * 10) == 0:
        step *= 10
    return step
