"""The diagnosis tree of the overview."""

from service.web.words import Words

WORDS: Words = {
    "tree.title": ("Where to look first", "Wo zuerst suchen"),
    "tree.what": (
        "Read from the top: what retrieval does not bring, no later step can mend.",
        "Von oben zu lesen: Was die Suche nicht bringt, kann kein späterer Schritt heilen.",
    ),
    "tree.recall": ("Recall of retrieval", "Vollständigkeit der Suche"),
    "tree.recall.at": ("Recall of retrieval @{k}", "Vollständigkeit der Suche @{k}"),
    "tree.precision": ("Precision of retrieval", "Genauigkeit der Suche"),
    "tree.precision.at": ("Precision of retrieval @{k}", "Genauigkeit der Suche @{k}"),
    "tree.faithfulness": ("Faithfulness", "Quellentreue"),
    "tree.relevance": ("Relevance of the answer", "Relevanz der Antwort"),
    "tree.context_precision": ("Context precision", "Kontextpräzision"),
    "tree.standing.met": ("above {target}", "über {target}"),
    "tree.standing.maybe": (
        "above {target}, but its interval reaches below",
        "über {target}, aber das Intervall reicht darunter",
    ),
    "tree.standing.missed": ("wanted: above {target}", "gewünscht: über {target}"),
    "tree.standing.unknown": ("wanted: above {target}", "gewünscht: über {target}"),
    "tree.source.questions": (
        "{n} labelled questions, last probe",
        "{n} Fragen mit bekannter Antwort, letzte Probe",
    ),
    "tree.source.questions.one": (
        "1 labelled question, last probe",
        "1 Frage mit bekannter Antwort, letzte Probe",
    ),
    "tree.source.audits": (
        "live: {n} audited answers, of all that was retrieved",
        "Betrieb: {n} Antworten der Stichprobe, von allem, was gefunden wurde",
    ),
    "tree.source.audits.one": (
        "live: 1 audited answer, of all that was retrieved",
        "Betrieb: 1 Antwort der Stichprobe, von allem, was gefunden wurde",
    ),
    "tree.source.judge": (
        "live: {n} answers that the judge read",
        "Betrieb: {n} Antworten, die das Prüfmodell las",
    ),
    "tree.source.judge.one": (
        "live: 1 answer that the judge read",
        "Betrieb: 1 Antwort, die das Prüfmodell las",
    ),
    "tree.source.none.recall": (
        "needs a probe (groundwatch probe), or audits that say which chunks were needed",
        "braucht eine Probe (groundwatch probe) oder Stichproben, die benötigte Stellen nennen",
    ),
    "tree.source.none.precision": (
        "needs a probe (groundwatch probe)",
        "braucht eine Probe (groundwatch probe)",
    ),
    "tree.source.none.faithfulness": ("needs the judge", "braucht das Prüfmodell"),
    "tree.source.none.relevance": ("needs the judge", "braucht das Prüfmodell"),
    "tree.source.none.context_precision": ("needs the judge", "braucht das Prüfmodell"),
    "tree.attainable": ("attainable at most {share}", "erreichbar höchstens {share}"),
    "tree.greyed": (
        "not yet: recall is below its target, mend retrieval first",
        "noch nicht: Die Suche bringt zu wenig, sie zuerst verbessern",
    ),
    "tree.spread": ("Distribution", "Verteilung"),
    "tree.spread.what": (
        "How many have which value, from 0 to 1",
        "Wie viele welchen Wert haben, von 0 bis 1",
    ),
    "tree.spread.bin": ("{low} to {high}: {n}", "{low} bis {high}: {n}"),
}
