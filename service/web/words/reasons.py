"""What checks are called, and why they fail, where a page names it in a word or two. English keeps
the names that the API has."""

from service.checks import CHECKS
from service.web.words import Words

_CHECKS_DE = {
    "citations": "Zitate",
    "links": "Verweise",
    "quotes": "wörtliche Zitate",
    "numbers": "Zahlen",
    "identifiers": "Kennungen",
    "citation_coverage": "Belegdichte",
    "abstention": "Enthaltung",
    "access": "Zugriff",
    "retrieval": "Abruf",
    "scope": "Geltung",
    "overlap": "Überlappung",
}

_REASONS_DE = {
    "unknown_ref": "unbekannte Quelle",
    "unknown_url": "unbekannte Adresse",
    "unknown_author_year": "unbekanntes Werk",
    "index_out_of_range": "Nummer zu hoch",
    "not_retrieved": "nicht abgerufen",
    "malformed": "missgebildet",
    "unknown_link": "unbekannter Verweis",
    "unknown_email": "unbekannte E-Mail-Adresse",
    "not_found": "nicht gefunden",
    "not_verbatim": "nicht wörtlich",
    "quote_not_in_ref": "nicht in der Quelle",
    "absent": "fehlt",
    "unit_mismatch": "andere Einheit",
    "magnitude": "andere Größenordnung",
    "sign": "anderes Vorzeichen",
    "transposed": "Ziffern vertauscht",
    "unknown_identifier": "unbekannte Kennung",
    "uncited_sentence": "Satz ohne Zitat",
    "answered_without_evidence": "Antwort ohne Beleg",
    "refused_despite_evidence": "abgelehnt trotz Beleg",
    "forbidden_chunk": "verbotener Abschnitt",
    "forbidden_chunk_cited": "verbotener Abschnitt zitiert",
    "contradicted": "widersprochen",
    "unsupported": "unbelegt",
    "instructions_in_data": "Anweisungen in den Daten",
    "wrong_abstention": "falsch enthalten",
    "miscited": "falsch zitiert",
    "off_topic": "am Thema vorbei",
    "low_relevance": "wenig treffend",
    "sources_contradict": "Quellen widersprechen sich",
    "negative_feedback": "negative Rückmeldung",
    "missing_text": "Text fehlt",
    "too_large": "zu groß",
    "check_error": "Fehler der Prüfung",
}


def _both(kind: str, german: dict[str, str]) -> Words:
    return {f"{kind}.{name}": (name.replace("_", " "), said) for name, said in german.items()}


WORDS: Words = {
    **_both("check", {name: _CHECKS_DE[name] for name in CHECKS}),
    "check.judge": ("judge", "Prüfmodell"),
    "check.feedback": ("feedback", "Rückmeldung"),
    **_both("reason", _REASONS_DE),
}
