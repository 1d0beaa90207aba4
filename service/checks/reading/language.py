"""Which language a text is in: function words counted over its beginning. Microseconds."""

# ruff: noqa: E501 (a row of the table is a line)

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from service.checks.reading.folding import LONG, beyond_ascii, folded
from service.checks.reading.pieces import HEAD, Pieces, split

_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_EAST_ASIAN = re.compile(r"[\u3040-\u9fff]")

_WORDS = {
    "de": "der die das und ist nicht ein eine einen einem einer mit für auf den dem des von zu im in sich sie wird werden "
    "bei nach auch oder als am an beträgt kostet kosten sind zum zur wie ihr ihre bis wenn aus nur ab pro je wir ich es "
    "kann dieser uhr was wann war wurde hat haben über unter vor dort gibt rund innerhalb liegt dauert euro jahr jahre "
    "tage prozent danach darf muss sowie um",
    "en": "the and is of to in for with on that are be as at by this from or an a it was were will your you per can has "
    "have not which their its what when how does until after up we there they into about only each than within more "
    "costs takes days years percent if no",
    "fr": "le la les et est des du une un pour dans sur par au aux que qui ne pas avec en ce sont il elle vous votre "
    "nous ou à a été être sous jusqu quel quelle combien se si de plus chaque ans jours coûte dure entre cette son ses "
    "environ compte",
    "es": "el la los las y es de del una un para en con por que no se al su sus son como más o este esta lo ha está a "
    "cuál cuánto hasta desde si entre cada años días cuesta dura hay tiene fue unos",
}
_LANGUAGES = tuple(_WORDS)
_BITS: Final = 12
"""Wide enough for the words of the head: the counts of all languages are summed in one integer."""
_SHIFTS = tuple(range(0, _BITS * len(_LANGUAGES), _BITS))
_MASK = (1 << _BITS) - 1
_WEIGHTS: dict[str, int] = {}
for _place, _line in enumerate(_WORDS.values()):
    for _word in dict.fromkeys(_line.split()):
        _WEIGHTS[_word] = _WEIGHTS.get(_word, 0) + (1 << _BITS * _place)
_WEIGHING: Final = Pieces(lambda piece: _WEIGHTS.get(piece.lower()))
_LETTERS = (("de", "ßäöü"), ("fr", "çèêœëîù"), ("es", "ñ¿¡"))
"""Letters of one of the languages; they decide where the words do not."""


def detect(text: str) -> str:
    """``de``, ``en``, ``fr``, ``es``, ``zh``, ``ja``, or ``und`` when nothing speaks for one. Only
    the text's head is looked at: function words show early."""
    return _of(text if len(text) <= LONG else text[:HEAD])


@lru_cache(64)
def _of(text: str) -> str:
    """Remembered for a while: a few checks and the answer's row ask for the same texts."""
    if not text.isascii() and _EAST_ASIAN.search(folded(text)[1]):
        others = beyond_ascii(text[:HEAD])
        if _KANA.search(others):
            return "ja"
        if _HAN.search(others):
            return "zh"
    total = sum(_WEIGHING.told(split(text)[0]))
    scores = [total >> shift & _MASK for shift in _SHIFTS]
    best = max(scores)
    if scores.count(best) == 1:
        return _LANGUAGES[scores.index(best)]
    leading = [code for code, score in zip(_LANGUAGES, scores, strict=True) if score == best]
    return "und" if text.isascii() else _by_letters(text[:HEAD], leading)


def _by_letters(head: str, among: list[str]) -> str:
    for code, letters in _LETTERS:
        if code in among and any(letter in head for letter in letters):
            return code
    return "und"
