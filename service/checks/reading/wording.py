"""What a finding tells its reviewer, in German where the answer is German, else in English."""

from __future__ import annotations

from service.checks.reading import language
from service.events import AnswerEvent

SHOWN = 120
"""Characters of a text that a sentence repeats."""

_ENGLISH = {
    "absent": '"{surface}" stands in no retrieved text.',
    "nearest": ' Nearest: "{words}" in {where} ({note}).',
    "from_query": "the query",
    "from_context": "the context",
    "another unit": "another unit",
    "another sign": "another sign",
    "digits swapped": "digits swapped",
    "day and month swapped": "day and month swapped",
    "another scale": "another scale",
    "another value": "another value",
    "another time": "another time",
    "another year": "another year",
    "another date": "another date",
    "malformed": "{shown} is written as a citation, but names no source.",
    "no_prompt": "{shown} points to a chunk, but none was in the prompt.",
    "out_of_range": "{shown} points to none of the {count} chunks in the prompt ({low} to {high}).",
    "nothing_retrieved": "{shown} names a source, but nothing was retrieved.",
    "unknown_author": "{shown} is not author and year of any of the {count} retrieved chunks.",
    "unknown_author_of_one": "{shown} is not author and year of the one retrieved chunk.",
    "unknown_url": "{shown} is not the address of any of the {count} retrieved chunks.",
    "unknown_url_of_one": "{shown} is not the address of the one retrieved chunk.",
    "unknown_ref": "{shown} is not among the {count} retrieved chunks.",
    "unknown_ref_of_one": "{shown} is not the one retrieved chunk.",
    "not_retrieved": "{shown} is in the document store, but not among the {count} "
    "retrieved chunks.",
    "not_retrieved_of_one": "{shown} is in the document store, but not the one retrieved chunk.",
    "nearest_ref": " Nearest: {ref}.",
}
_GERMAN = {
    "absent": "„{surface}“ steht in keinem der gefundenen Texte.",
    "nearest": " Am nächsten kommt „{words}“ in {where} ({note}).",
    "from_query": "der Frage",
    "from_context": "dem Kontext",
    "another unit": "andere Einheit",
    "another sign": "anderes Vorzeichen",
    "digits swapped": "Ziffern vertauscht",
    "day and month swapped": "Tag und Monat vertauscht",
    "another scale": "andere Größenordnung",
    "another value": "anderer Wert",
    "another time": "andere Uhrzeit",
    "another year": "anderes Jahr",
    "another date": "anderes Datum",
    "malformed": "{shown} ist als Quellenangabe geschrieben, nennt aber keine Quelle.",
    "no_prompt": "{shown} verweist auf einen Abschnitt, aber im Prompt stand keiner.",
    "out_of_range": "{shown} verweist auf keinen der {count} Abschnitte im Prompt "
    "({low} bis {high}).",
    "nothing_retrieved": "{shown} nennt eine Quelle, aber es wurde nichts gefunden.",
    "unknown_author": "{shown}: so heißt keiner der {count} gefundenen Abschnitte (Name und Jahr).",
    "unknown_author_of_one": "{shown}: so heißt der einzige gefundene Abschnitt nicht.",
    "unknown_url": "{shown} ist die Adresse keines der {count} gefundenen Abschnitte.",
    "unknown_url_of_one": "{shown} ist nicht die Adresse des einzigen gefundenen Abschnitts.",
    "unknown_ref": "{shown} ist keiner der {count} gefundenen Abschnitte.",
    "unknown_ref_of_one": "{shown} ist nicht der einzige gefundene Abschnitt.",
    "not_retrieved": "{shown} gibt es im Dokumentenspeicher, aber nicht unter den {count} "
    "gefundenen Abschnitten.",
    "not_retrieved_of_one": "{shown} gibt es im Dokumentenspeicher, aber gefunden wurde ein "
    "anderer Abschnitt.",
    "nearest_ref": " Am nächsten kommt {ref}.",
}


class Wording:
    """The sentences of one answer's findings, in its language."""

    def __init__(self, event: AnswerEvent) -> None:
        code = event.language or language.detect(event.answer)
        if code == "und":
            code = language.detect(event.query)
        self._sentences = _GERMAN if code[:2].lower() == "de" else _ENGLISH

    def __call__(self, key: str, **fields: object) -> str:
        """The sentence called ``key``; KeyError for a key that is in no table."""
        return self._sentences[key].format(**fields) if fields else self._sentences[key]


def shortened(text: str) -> str:
    """One line of at most :data:`SHOWN` characters."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
