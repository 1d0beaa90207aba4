"""Which language a text is in: function words counted over its beginning. Microseconds."""

# ruff: noqa: E501 (a row of the table is a line)

from __future__ import annotations

import re

_HEAD = 500
"""Characters that are looked at; function words show early."""

_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")

_WORDS = {
    "de": "der die das und ist nicht ein eine mit für auf den dem des von zu im sich sie wird werden bei nach auch "
    "oder als am beträgt kostet sind zum zur wie ihr ihre bis wenn aus nur ab pro wir ich es kann dieser uhr was wann",
    "en": "the and is of to in for with on that are be as at by this from or an it was were will your you per can has "
    "have not which their its what when how does until after up we",
    "fr": "le la les et est des du une un pour dans sur par au aux que qui ne pas avec en ce sont il elle vous votre "
    "nous ou à être sous jusqu l d quel quelle combien",
    "es": "el la los las y es de del una un para en con por que no se al su sus son como más o este esta lo ha está "
    "cuál cuánto hasta desde",
}
_WEIGHTS: dict[str, tuple[str, ...]] = {}
for _code, _line in _WORDS.items():
    for _word in _line.split():
        _WEIGHTS[_word] = (*_WEIGHTS.get(_word, ()), _code)


def detect(text: str) -> str:
    """``de``, ``en``, ``fr``, ``es``, ``zh``, ``ja``, or ``und`` when nothing speaks for any."""
    head = text[:_HEAD]
    if not head.isascii():
        if _KANA.search(head):
            return "ja"
        if _HAN.search(head):
            return "zh"
    score = {"de": 0, "en": 0, "fr": 0, "es": 0}
    for word in head.lower().replace("'", " ").split():
        if word in _WEIGHTS:
            for code in _WEIGHTS[word]:
                score[code] += 1
    best = max(score, key=score.__getitem__)
    return best if score[best] else "und"
